// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/array.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_ELEMENTS 16

void *array_grow(void *v, size_t *cap, size_t size)
{
	size_t want = *cap ? 2 * *cap : FIRST_ELEMENTS, bytes;
	void *grown;

	/* not reallocarray(), which ends the program under sanitizers if the size overflows */
	if (*cap > SIZE_MAX / 2 || __builtin_mul_overflow(want, size, &bytes))
		return NULL;
	grown = realloc(v, bytes);
	if (grown)
		*cap = want;
	return grown;
}
