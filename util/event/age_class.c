// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/age_class.h"

#include <stddef.h>

#define AGE_CLASS_ROW(id, ...) [AGE_##id] = {__VA_ARGS__},

static const struct {
	uint64_t limit_ns;
	const char *name;
} classes[AGE_CLASSES_NR] = {AGE_CLASSES(AGE_CLASS_ROW)};

enum age_class age_class_of(uint64_t age_ns)
{
	int c = 0;

	while (age_ns > classes[c].limit_ns)
		c++;
	return (enum age_class)c;
}

uint64_t age_class_limit_ns(uint64_t age_class)
{
	return age_class < AGE_CLASSES_NR ? classes[age_class].limit_ns : UINT64_MAX;
}

const char *age_class_name(uint64_t age_class)
{
	return age_class < AGE_CLASSES_NR ? classes[age_class].name : NULL;
}
