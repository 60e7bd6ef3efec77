/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of age, to group allocations by.
 *
 * A class contains ages up to its limit and above the limit of the class before.
 */
#ifndef EVENT_AGE_CLASS_H
#define EVENT_AGE_CLASS_H

#include <stdint.h>

/* id, limit in ns, name */
#define AGE_CLASSES(CLASS)                                                                         \
	CLASS(1MS, 1000000ull, "1 ms")                                                             \
	CLASS(10MS, 10000000ull, "10 ms")                                                          \
	CLASS(100MS, 100000000ull, "100 ms")                                                       \
	CLASS(1S, 1000000000ull, "1 s")                                                            \
	CLASS(10S, 10000000000ull, "10 s")                                                         \
	CLASS(1MIN, 60000000000ull, "1 min")                                                       \
	CLASS(10MIN, 600000000000ull, "10 min")                                                    \
	CLASS(1H, 3600000000000ull, "1 h")                                                         \
	CLASS(1DAY, 86400000000000ull, "1 day")                                                    \
	CLASS(OLDER, UINT64_MAX, "any")

#define AGE_CLASS_ENUM(id, ...) AGE_##id,
enum age_class { AGE_CLASSES(AGE_CLASS_ENUM) AGE_CLASSES_NR };

enum age_class age_class_of(uint64_t age_ns);

/* In ns; UINT64_MAX for the last class, and for an invalid one. */
uint64_t age_class_limit_ns(uint64_t age_class);

/* "10 ms"; NULL if it is not a class. */
const char *age_class_name(uint64_t age_class);

#endif
