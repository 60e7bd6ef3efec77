/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct print_parser: a parser that turns the expressions of a print fmt into nodes.
 *
 * Results are added to `out`, which owns them. On a syntax that is not supported, or beyond a
 * limit, out->failed is set and parsing stops: callers check once, at the end. Constant expressions
 * are folded.
 */
#ifndef TRACEPOINT_PRINT_EXPR_H
#define TRACEPOINT_PRINT_EXPR_H

#include "util/tracepoint/c_tokens.h"
#include "util/tracepoint/print_parsed.h"

struct print_parser {
	struct print_parsed *out;
	struct c_tokens t;
	int depth; /* of nested parentheses and operators, here */
	bool no_memory;
};

/* Parse an expression, up to text that cannot be part of it. Returns its node. */
uint32_t print_expr_read(struct print_parser *s);

/* Parse a string literal; adjacent literals are concatenated. */
const char *print_expr_read_text(struct print_parser *s);

void print_parser_expect(struct print_parser *s, const char *token);

/* Returns 0. */
uint32_t print_parser_fail(struct print_parser *s);

/* v truncated to `size` bytes; 0: unchanged. */
uint64_t print_cast(uint64_t v, uint64_t size, bool is_signed);

/* Grow an array (at powers of two) by one element. Returns false after a failure. */
bool print_parser_grow(struct print_parser *s, void **v, size_t nr, size_t size);

#endif
