// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/const_expr.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 128 /* nested parentheses and operators before a value, two per pair */

/* An expression being read. */
struct expression {
	const char *p;
	const char *end;
	const_expr_word_fn word; /* NULL: identifiers have no value */
	const void *ctx;
	bool bad;    /* what was read so far has no value */
	bool broken; /* nor will the rest have one: not an expression, or nested too deeply */
	int depth;
};

static void skip_space(struct expression *e)
{
	while (e->p < e->end && isspace((unsigned char)*e->p))
		e->p++;
}

static bool accept(struct expression *e, const char *token)
{
	size_t n = strlen(token);

	skip_space(e);
	if ((size_t)(e->end - e->p) < n || memcmp(e->p, token, n) != 0)
		return false;
	e->p += n;
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static uint64_t read_ternary(struct expression *e);

static uint64_t fail(struct expression *e)
{
	e->bad = true;
	return 0;
}

/* Do not read any further. */
static uint64_t give_up(struct expression *e)
{
	e->p = e->end;
	e->broken = true;
	return fail(e);
}

static uint64_t read_number(struct expression *e)
{
	char digits[32];
	size_t n = 0;

	while (e->p < e->end && is_word(*e->p)) {
		if (n < sizeof(digits) - 1)
			digits[n++] = *e->p;
		e->p++;
	}
	digits[n] = '\0';
	return strtoull(digits, NULL, 0); /* a suffix like UL ends the number */
}

/* "(unsigned long)", "( gfp_t)": words only, followed by something to cast. */
static bool accept_cast(struct expression *e)
{
	const char *p = e->p, *last = NULL;

	while (p < e->end && (is_word(*p) || isspace((unsigned char)*p) || *p == '*')) {
		if (!isspace((unsigned char)*p))
			last = p;
		p++;
	}
	if (!last || p == e->end || *p != ')')
		return false;
	for (const char *q = e->p; q < p; q++) {
		if (isspace((unsigned char)*q))
			continue;
		if (isdigit((unsigned char)*q))
			return false;
		break;
	}
	for (p++; p < e->end && isspace((unsigned char)*p); p++)
		;
	if (p == e->end || !(is_word(*p) || *p == '(' || *p == '~'))
		return false;
	e->p = p;
	return true;
}

/* Skip an argument, whatever is in it, and the comma after it. */
static bool skip_argument(struct expression *e)
{
	int depth = 0;

	for (; e->p < e->end; e->p++) {
		if (*e->p == '(' || *e->p == '{')
			depth++;
		else if ((*e->p == ')' || *e->p == '}') && depth-- == 0)
			return false;
		else if (*e->p == ',' && !depth)
			break;
	}
	if (e->p >= e->end)
		return false;
	e->p++;
	return true;
}

/* "(condition, value, other)": the name has been read. */
static uint64_t read_choose_expr(struct expression *e)
{
	uint64_t v;

	if (!accept(e, "(") || !skip_argument(e))
		return give_up(e);
	v = read_ternary(e);
	if (!accept(e, ","))
		return give_up(e);
	skip_argument(e);
	if (!accept(e, ")"))
		return give_up(e);
	return v;
}

static uint64_t read_word(struct expression *e)
{
	static const char choose[] = "__builtin_choose_expr";
	const char *start = e->p;
	uint64_t v;

	while (e->p < e->end && is_word(*e->p))
		e->p++;
	if (e->p == start)
		return give_up(e);
	if ((size_t)(e->p - start) == sizeof(choose) - 1 &&
	    !memcmp(start, choose, sizeof(choose) - 1))
		return read_choose_expr(e);
	if (e->word && e->word(e->ctx, start, (size_t)(e->p - start), &v))
		return v;
	return fail(e);
}

static uint64_t read_unary(struct expression *e)
{
	uint64_t v;

	if (++e->depth > MAX_DEPTH)
		return give_up(e);
	skip_space(e);
	if (e->p == e->end) {
		v = fail(e);
	} else if (accept(e, "~")) {
		v = ~read_unary(e);
	} else if (accept(e, "!")) {
		v = !read_unary(e);
	} else if (accept(e, "-")) {
		v = -read_unary(e);
	} else if (accept(e, "+")) {
		v = read_unary(e);
	} else if (accept(e, "(")) {
		if (accept_cast(e)) {
			v = read_unary(e);
		} else {
			v = read_ternary(e);
			if (!accept(e, ")"))
				give_up(e);
		}
	} else if (isdigit((unsigned char)*e->p)) {
		v = read_number(e);
	} else {
		v = read_word(e);
	}
	e->depth--;
	return v;
}

enum operator_kind {
	LOGICAL_OR,
	LOGICAL_AND,
	OR,
	XOR,
	AND,
	EQUAL,
	NOT_EQUAL,
	LESS,
	GREATER,
	LESS_EQUAL,
	GREATER_EQUAL,
	SHIFT_LEFT,
	SHIFT_RIGHT,
	ADD,
	SUBTRACT,
	MULTIPLY,
	DIVIDE,
	MODULO,
};

/* A token precedes those that it is a prefix of. */
static const struct binary_operator {
	const char *token;
	enum operator_kind kind;
	int binding; /* larger numbers bind more tightly */
} operators[] = {
	{"||", LOGICAL_OR, 1}, {"&&", LOGICAL_AND, 2}, {"|", OR, 3},
	{"^", XOR, 4},	       {"&", AND, 5},	       {"==", EQUAL, 6},
	{"!=", NOT_EQUAL, 6},  {"<<", SHIFT_LEFT, 8},  {">>", SHIFT_RIGHT, 8},
	{"<=", LESS_EQUAL, 7}, {"<", LESS, 7},	       {">=", GREATER_EQUAL, 7},
	{">", GREATER, 7},     {"+", ADD, 9},	       {"-", SUBTRACT, 9},
	{"*", MULTIPLY, 10},   {"/", DIVIDE, 10},      {"%", MODULO, 10},
};

static const struct binary_operator *peek_operator(struct expression *e)
{
	skip_space(e);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t n = strlen(operators[i].token);

		if ((size_t)(e->end - e->p) >= n && !memcmp(e->p, operators[i].token, n))
			return &operators[i];
	}
	return NULL;
}

static uint64_t apply(struct expression *e, enum operator_kind kind, uint64_t a, uint64_t b)
{
	switch (kind) {
	case LOGICAL_OR:
		return a || b;
	case LOGICAL_AND:
		return a && b;
	case OR:
		return a | b;
	case XOR:
		return a ^ b;
	case AND:
		return a & b;
	case EQUAL:
		return a == b;
	case NOT_EQUAL:
		return a != b;
	case LESS:
		return (int64_t)a < (int64_t)b;
	case GREATER:
		return (int64_t)a > (int64_t)b;
	case LESS_EQUAL:
		return (int64_t)a <= (int64_t)b;
	case GREATER_EQUAL:
		return (int64_t)a >= (int64_t)b;
	case SHIFT_LEFT:
		return b < 64 ? a << b : 0;
	case SHIFT_RIGHT:
		return b < 64 ? a >> b : 0;
	case ADD:
		return a + b;
	case SUBTRACT:
		return a - b;
	case MULTIPLY:
		return a * b;
	case DIVIDE:
		return b ? a / b : fail(e);
	case MODULO:
		return b ? a % b : fail(e);
	}
	return fail(e);
}

/* Operators that bind at least as tightly as `binding`; equal ones from left to right. */
static uint64_t read_binary(struct expression *e, int binding)
{
	uint64_t v = read_unary(e);
	const struct binary_operator *op;

	while ((op = peek_operator(e)) && op->binding >= binding) {
		e->p += strlen(op->token);
		v = apply(e, op->kind, v, read_binary(e, op->binding + 1));
	}
	return v;
}

static uint64_t read_ternary(struct expression *e)
{
	uint64_t condition, yes, no;
	bool bad, yes_bad, no_bad;

	if (++e->depth > MAX_DEPTH)
		return give_up(e);
	condition = read_binary(e, 1);
	if (!accept(e, "?")) {
		e->depth--;
		return condition;
	}
	bad = e->bad;
	e->bad = false;
	yes = read_ternary(e);
	yes_bad = e->bad;
	e->bad = false;
	if (!accept(e, ":"))
		return give_up(e);
	no = read_ternary(e);
	no_bad = e->bad;
	e->bad = bad || (condition ? yes_bad : no_bad);
	e->depth--;
	return condition ? yes : no;
}

int const_expr_read_with(const char **p, const char *end, const_expr_word_fn word, const void *ctx,
			 uint64_t *ret_value)
{
	struct expression e = {.p = *p, .end = end, .word = word, .ctx = ctx};
	uint64_t v = read_ternary(&e);

	*p = e.p;
	if (e.bad || e.broken)
		return -EINVAL;
	*ret_value = v;
	return 0;
}

int const_expr_read(const char **p, const char *end, uint64_t *ret_value)
{
	return const_expr_read_with(p, end, NULL, NULL, ret_value);
}
