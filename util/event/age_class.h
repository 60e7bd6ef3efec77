/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ages in classes, so that allocations can be grouped by them.
 *
 * A class has what is at most as old as its limit and older than the one before.
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

/* In ns; UINT64_MAX for the last class, and for what is not one. */
uint64_t age_class_limit_ns(uint64_t age_class);

/* "10 ms"; NULL: not a class. */
const char *age_class_name(uint64_t age_class);

#endif
