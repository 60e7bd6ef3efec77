/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a kernel that never was: of 0x1000 bytes each, the first one from 0x1000 on. */
#ifndef TESTS_UNIT_FUNCTIONS_H
#define TESTS_UNIT_FUNCTIONS_H

#include "util/accounts/trace_pair.h"

/* names: ends with NULL. */
static uint64_t find_function(const void *names, uint64_t address, const char **ret_name)
{
	const char *const *v = names;
	uint64_t i = 1;

	while (*v && i < address / 0x1000) {
		v++;
		i++;
	}
	if (!*v || i != address / 0x1000)
		return 0;
	*ret_name = *v;
	return i * 0x1000;
}

#endif
