/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Skipping a test: scripts/test prints the reason. */
#ifndef TESTS_UNIT_SKIP_H
#define TESTS_UNIT_SKIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Ends the test. */
static inline void skip_because(const char *reason)
{
	print_message("# %s\n", reason);
	skip();
}

#endif
