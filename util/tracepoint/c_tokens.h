/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct c_tokens: C, as the text of the kernel's event formats contains it, word by word.
 *
 * A cursor that never passes `end`.  Functions skip white space first, and move past what they
 * return or accept.  The operators with two operands are here with what they make of numbers, too,
 * for those who compute (const_expr.h) and for those who compile (print_expr.h).
 */
#ifndef TRACEPOINT_C_TOKENS_H
#define TRACEPOINT_C_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct c_tokens {
	const char *p;
	const char *end;
};

/* Of a word: a letter, digit or underscore. */
bool c_is_word(char c);

/* The next character, which is not moved past; '\0' at the end. */
char c_tokens_peek(struct c_tokens *t);

bool c_tokens_accept(struct c_tokens *t, const char *token);

/* As accept; but the word must end where `word` does. */
bool c_tokens_accept_word(struct c_tokens *t, const char *word);

/* A word, and its length, which is 0 if there is none. */
const char *c_tokens_word(struct c_tokens *t, size_t *ret_len);

/* A number; a suffix like UL belongs to it and changes nothing. */
uint64_t c_tokens_number(struct c_tokens *t);

/*
 * "unsigned long)" after a parenthesis, with something behind it that can be cast: the words, cut
 * to what fits.
 */
#define C_TYPE_MAX 64
bool c_tokens_accept_cast(struct c_tokens *t, char ret_type[C_TYPE_MAX]);

enum c_operator {
	C_OR_ELSE,
	C_AND_THEN,
	C_OR,
	C_XOR,
	C_AND,
	C_EQUAL,
	C_NOT_EQUAL,
	C_LESS,
	C_GREATER,
	C_LESS_EQUAL,
	C_GREATER_EQUAL,
	C_SHIFT_LEFT,
	C_SHIFT_RIGHT,
	C_ADD,
	C_SUBTRACT,
	C_MULTIPLY,
	C_DIVIDE,
	C_MODULO,
};

/* The next operator, if it binds at least as tightly as `binding` (1 or more). */
bool c_tokens_accept_operator(struct c_tokens *t, int binding, enum c_operator *ret_op,
			      int *ret_binding);

/* Comparisons are signed; a division by 0 is 0. */
uint64_t c_operate(enum c_operator op, uint64_t a, uint64_t b);

#endif
