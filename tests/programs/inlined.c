// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that call each other, of which some are inlined into their callers: as a program of
 * several kinds, and (with LIBRARY) as a library.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/programs/inlined.h"

#define NOINLINE __attribute__((noinline))

static volatile unsigned int sink;

static inline __attribute__((always_inline)) void innermost(char *p, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		p[i] = (char)(sink + i);
		sink += (unsigned char)p[i];
	}
}

static inline __attribute__((always_inline)) void middle(char *p, unsigned int n)
{
	if (n > 3)
		innermost(p, n / 2);
	innermost(p, n - 1);
}

NOINLINE unsigned int outer_function(unsigned int n)
{
	char *p = malloc(n + 1);

	if (!p)
		return 0;
	middle(p, n);
	sink += n;
	free(p);
	return sink;
}

/* The compiler may put the branch that it takes for cold in a place of its own. */
NOINLINE unsigned int with_cold_part(const char *s)
{
	if (__builtin_expect(!s, 0)) {
		sink += outer_function(9);
		abort();
	}
	return (unsigned int)strlen(s) + scaled(sink);
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	unsigned int n = outer_function((unsigned int)argc + 10);

	return (int)((n + with_cold_part(argv[0])) & 1);
}
#endif
