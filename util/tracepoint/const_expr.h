/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C constant expressions, as they appear in the text of the kernel's event formats.
 *
 * The kernel prints the expansion of its macros, so a mask or an order appears as "(((unsigned
 * int)(21 - 12)) < 10 ? ... : 10)".  Supported are all operators of C except assignment and comma;
 * casts to named types are ignored; __builtin_choose_expr() yields its second argument (min_t()
 * uses it until 6.9, with a condition that only tests whether both are constant).  Numbers are u64;
 * comparisons are signed.  An identifier has the value that the caller provides, if any; without
 * one the expression has no value, unless the identifier is in a branch that is not taken.
 */
#ifndef TRACEPOINT_CONST_EXPR_H
#define TRACEPOINT_CONST_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Read the expression at *p, which ends at `end` or before something that cannot be part of it; *p
 * moves past it. Errors: -EINVAL if it has no value.
 */
int const_expr_read(const char **p, const char *end, uint64_t *ret_value);

/* The value of an identifier; false: it has none. */
typedef bool (*const_expr_word_fn)(const void *ctx, const char *word, size_t len,
				   uint64_t *ret_value);

int const_expr_read_with(const char **p, const char *end, const_expr_word_fn word, const void *ctx,
			 uint64_t *ret_value);

#endif
