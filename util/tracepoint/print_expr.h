/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct print_parser: a print fmt while it is read; its expressions become nodes.
 *
 * What is read is added to `out`, which owns it.  Once something is not understood, or there is too
 * much of it, out->failed is set and nothing more is read: results are checked once, at the end.
 * Nodes that are computed from constants are constants.
 */
#ifndef TRACEPOINT_PRINT_EXPR_H
#define TRACEPOINT_PRINT_EXPR_H

#include "util/tracepoint/c_tokens.h"
#include "util/tracepoint/print_parsed.h"

struct print_parser {
	struct print_parsed *out;
	struct c_tokens t;
	int depth; /* of nested parentheses and operators */
	bool no_memory;
};

/* An expression, up to what cannot be part of it; its node. */
uint32_t print_expr_read(struct print_parser *s);

/* String literals, of which several in a row are one. */
const char *print_expr_read_text(struct print_parser *s);

void print_parser_expect(struct print_parser *s, const char *token);

/* Always 0. */
uint32_t print_parser_fail(struct print_parser *s);

/* v as a number of `size` bytes; 0: as it is. */
uint64_t print_cast(uint64_t v, uint64_t size, bool is_signed);

/* Make room for one more element of an array that grows at powers of two; false: it has failed. */
bool print_parser_grow(struct print_parser *s, void **v, size_t nr, size_t size);

#endif
