/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Skipping a test: scripts/test prints the reason. */
#ifndef TESTS_UNIT_SKIP_H
#define TESTS_UNIT_SKIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* Ends the test: skip() does not return, but is not declared so. */
static inline __attribute__((noreturn)) void skip_because(const char *reason)
{
	print_message("# %s\n", reason);
	skip();
	abort();
}

#endif
