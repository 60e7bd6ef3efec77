/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C constant expressions, as they appear in the kernel's event formats.
 *
 * The kernel prints the expansion of its macros, so a mask or an order appears as "(((unsigned
 * int)(21 - 12)) < 10 ? ... : 10)". All operators of C except assignment and comma are supported.
 * Casts to named types are ignored. __builtin_choose_expr() yields its second argument: min_t()
 * uses it until 6.9, with a condition that only tests whether both are constant. Numbers are u64;
 * comparisons are signed. The caller provides the values of identifiers. An expression with an
 * unknown identifier has no value, unless the identifier is in a branch that is not taken.
 */
#ifndef TRACEPOINT_CONST_EXPR_H
#define TRACEPOINT_CONST_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Evaluate the expression at *p, which ends at `end` or at the first text that cannot be part of
 * it. *p moves past it. Errors: -EINVAL if it has no value.
 */
int const_expr_read(const char **p, const char *end, uint64_t *ret_value);

/* Look up the value of an identifier. Returns false if it has none. */
typedef bool (*const_expr_word_fn)(const void *ctx, const char *word, size_t len,
				   uint64_t *ret_value);

int const_expr_read_with(const char **p, const char *end, const_expr_word_fn word, const void *ctx,
			 uint64_t *ret_value);

#endif
