/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct c_tokens: a tokenizer for the C expressions in the kernel's event formats.
 *
 * A cursor that never passes `end`. Functions skip white space first, and move past the text that
 * they return or accept. The binary operators and their arithmetic are here, too: const_expr.h
 * evaluates them, print_expr.h compiles them.
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

/* Whether a character may be part of a word: a letter, digit or underscore. */
bool c_is_word(char c);

/* The next character, without moving past it; '\0' at the end. */
char c_tokens_peek(struct c_tokens *t);

bool c_tokens_accept(struct c_tokens *t, const char *token);

/* Like accept, but the word in the text must end where `word` does. */
bool c_tokens_accept_word(struct c_tokens *t, const char *word);

/* A word and its length. The length is 0 if there is none. */
const char *c_tokens_word(struct c_tokens *t, size_t *ret_len);

/* A number. A suffix such as UL is skipped. */
uint64_t c_tokens_number(struct c_tokens *t);

/*
 * A cast such as "unsigned long)", after its opening parenthesis and followed by an operand: its
 * words, truncated to the buffer.
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

/* The next binary operator, if it binds at least as tightly as `binding` (1 or more). */
bool c_tokens_accept_operator(struct c_tokens *t, int binding, enum c_operator *ret_op,
			      int *ret_binding);

/* Comparisons are signed; a division by 0 is 0. */
uint64_t c_operate(enum c_operator op, uint64_t a, uint64_t b);

#endif
