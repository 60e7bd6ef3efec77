/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C constant expressions, as the kernel leaves them in the text of event formats.
 *
 * The kernel prints the source of its macros, so a mask or an order stands there as
 * "(((unsigned int)(21 - 12)) < 10 ? ... : 10)".  All operators of C but assignment and
 * comma; casts to named types are looked through; __builtin_choose_expr() yields its second
 * argument (min_t() until 6.9 uses it, with a condition that only tells whether both are
 * constant).  Numbers are u64; comparisons are signed.  An identifier has the value that the
 * caller knows for it, or none: the expression has none then, unless the identifier stands
 * in a branch that is not taken.
 */
#ifndef TRACEPOINT_CONST_EXPR_H
#define TRACEPOINT_CONST_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Read the expression at *p, which ends at `end` or before what cannot be part of it; *p is moved
 * behind it. Errors: -EINVAL when it has no value.
 */
int const_expr_read(const char **p, const char *end, uint64_t *ret_value);

/* The value of an identifier; false: it has none. */
typedef bool (*const_expr_word_fn)(const void *ctx, const char *word, size_t len,
				   uint64_t *ret_value);

int const_expr_read_with(const char **p, const char *end, const_expr_word_fn word, const void *ctx,
			 uint64_t *ret_value);

#endif
