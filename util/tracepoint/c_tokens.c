// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/c_tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool c_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

char c_tokens_peek(struct c_tokens *t)
{
	t->p = skip_space(t->p, t->end);
	return t->p < t->end ? *t->p : '\0';
}

static bool starts_with(struct c_tokens *t, const char *token, size_t len)
{
	t->p = skip_space(t->p, t->end);
	return (size_t)(t->end - t->p) >= len && !memcmp(t->p, token, len);
}

bool c_tokens_accept(struct c_tokens *t, const char *token)
{
	size_t len = strlen(token);

	if (!starts_with(t, token, len))
		return false;
	t->p += len;
	return true;
}

bool c_tokens_accept_word(struct c_tokens *t, const char *word)
{
	size_t len = strlen(word);

	if (!starts_with(t, word, len) || (t->p + len < t->end && c_is_word(t->p[len])))
		return false;
	t->p += len;
	return true;
}

const char *c_tokens_word(struct c_tokens *t, size_t *ret_len)
{
	const char *start;

	t->p = skip_space(t->p, t->end);
	for (start = t->p; t->p < t->end && c_is_word(*t->p); t->p++)
		;
	*ret_len = (size_t)(t->p - start);
	return start;
}

uint64_t c_tokens_number(struct c_tokens *t)
{
	char digits[32];
	size_t len;
	const char *word = c_tokens_word(t, &len);

	if (len > sizeof(digits) - 1)
		len = sizeof(digits) - 1;
	memcpy(digits, word, len);
	digits[len] = '\0';
	return strtoull(digits, NULL, 0);
}

bool c_tokens_accept_cast(struct c_tokens *t, char ret_type[C_TYPE_MAX])
{
	const char *p = skip_space(t->p, t->end);
	size_t len = 0;

	if (p == t->end || isdigit((unsigned char)*p))
		return false;
	for (; p < t->end && (c_is_word(*p) || isspace((unsigned char)*p) || *p == '*'); p++)
		if (len < C_TYPE_MAX - 1)
			ret_type[len++] = *p;
	ret_type[len] = '\0';
	if (!len || p == t->end || *p != ')')
		return false;
	p = skip_space(p + 1, t->end);
	if (p == t->end || !(c_is_word(*p) || *p == '(' || *p == '~' || *p == '"'))
		return false;
	t->p = p;
	return true;
}

/* A token precedes its prefixes. */
static const struct {
	const char *token;
	enum c_operator op;
	int binding; /* larger numbers bind more tightly */
} operators[] = {
	{"||", C_OR_ELSE, 1},	 {"&&", C_AND_THEN, 2},	  {"|", C_OR, 3},
	{"^", C_XOR, 4},	 {"&", C_AND, 5},	  {"==", C_EQUAL, 6},
	{"!=", C_NOT_EQUAL, 6},	 {"<<", C_SHIFT_LEFT, 8}, {">>", C_SHIFT_RIGHT, 8},
	{"<=", C_LESS_EQUAL, 7}, {"<", C_LESS, 7},	  {">=", C_GREATER_EQUAL, 7},
	{">", C_GREATER, 7},	 {"+", C_ADD, 9},	  {"-", C_SUBTRACT, 9},
	{"*", C_MULTIPLY, 10},	 {"/", C_DIVIDE, 10},	  {"%", C_MODULO, 10},
};

bool c_tokens_accept_operator(struct c_tokens *t, int binding, enum c_operator *ret_op,
			      int *ret_binding)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t len = strlen(operators[i].token);

		if (!starts_with(t, operators[i].token, len))
			continue;
		if (operators[i].binding < binding)
			return false;
		t->p += len;
		*ret_op = operators[i].op;
		*ret_binding = operators[i].binding;
		return true;
	}
	return false;
}

uint64_t c_operate(enum c_operator op, uint64_t a, uint64_t b)
{
	switch (op) {
	case C_OR_ELSE:
		return a || b;
	case C_AND_THEN:
		return a && b;
	case C_OR:
		return a | b;
	case C_XOR:
		return a ^ b;
	case C_AND:
		return a & b;
	case C_EQUAL:
		return a == b;
	case C_NOT_EQUAL:
		return a != b;
	case C_LESS:
		return (int64_t)a < (int64_t)b;
	case C_GREATER:
		return (int64_t)a > (int64_t)b;
	case C_LESS_EQUAL:
		return (int64_t)a <= (int64_t)b;
	case C_GREATER_EQUAL:
		return (int64_t)a >= (int64_t)b;
	case C_SHIFT_LEFT:
		return b < 64 ? a << b : 0;
	case C_SHIFT_RIGHT:
		return b < 64 ? a >> b : 0;
	case C_ADD:
		return a + b;
	case C_SUBTRACT:
		return a - b;
	case C_MULTIPLY:
		return a * b;
	case C_DIVIDE:
		return b ? a / b : 0;
	case C_MODULO:
		return b ? a % b : 0;
	}
	return 0;
}
