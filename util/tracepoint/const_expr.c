// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/const_expr.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>

#include "util/tracepoint/c_tokens.h"

#define MAX_DEPTH 128 /* nested parentheses and operators before a value, two per pair */

/* An expression while it is evaluated. */
struct expression {
	struct c_tokens t;
	const_expr_word_fn word; /* may be NULL: identifiers have no value */
	const void *ctx;
	bool bad;    /* the text so far has no value */
	bool broken; /* reading stopped: not an expression, or nested too deeply */
	int depth;
};

static uint64_t read_ternary(struct expression *e);

static uint64_t fail(struct expression *e)
{
	e->bad = true;
	return 0;
}

/* Stop reading. */
static uint64_t give_up(struct expression *e)
{
	e->t.p = e->t.end;
	e->broken = true;
	return fail(e);
}

/* Skip an argument and the comma after it. */
static bool skip_argument(struct c_tokens *t)
{
	int depth = 0;

	for (; t->p < t->end; t->p++) {
		if (*t->p == '(' || *t->p == '{')
			depth++;
		else if ((*t->p == ')' || *t->p == '}') && depth-- == 0)
			return false;
		else if (*t->p == ',' && !depth)
			break;
	}
	if (t->p >= t->end)
		return false;
	t->p++;
	return true;
}

/* The arguments of __builtin_choose_expr: "(condition, value, other)". */
static uint64_t read_choose_expr(struct expression *e)
{
	uint64_t v;

	if (!c_tokens_accept(&e->t, "(") || !skip_argument(&e->t))
		return give_up(e);
	v = read_ternary(e);
	if (!c_tokens_accept(&e->t, ","))
		return give_up(e);
	skip_argument(&e->t);
	if (!c_tokens_accept(&e->t, ")"))
		return give_up(e);
	return v;
}

static uint64_t read_word(struct expression *e)
{
	const char *word;
	uint64_t v;
	size_t len;

	if (c_tokens_accept_word(&e->t, "__builtin_choose_expr"))
		return read_choose_expr(e);
	word = c_tokens_word(&e->t, &len);
	if (!len)
		return give_up(e);
	if (e->word && e->word(e->ctx, word, len, &v))
		return v;
	return fail(e);
}

static uint64_t read_unary(struct expression *e)
{
	char type[C_TYPE_MAX], next = c_tokens_peek(&e->t);
	uint64_t v;

	if (++e->depth > MAX_DEPTH)
		return give_up(e);
	if (e->t.p == e->t.end) {
		v = fail(e);
	} else if (c_tokens_accept(&e->t, "~")) {
		v = ~read_unary(e);
	} else if (c_tokens_accept(&e->t, "!")) {
		v = !read_unary(e);
	} else if (c_tokens_accept(&e->t, "-")) {
		v = -read_unary(e);
	} else if (c_tokens_accept(&e->t, "+")) {
		v = read_unary(e);
	} else if (c_tokens_accept(&e->t, "(")) {
		if (c_tokens_accept_cast(&e->t, type)) {
			v = read_unary(e);
		} else {
			v = read_ternary(e);
			if (!c_tokens_accept(&e->t, ")"))
				give_up(e);
		}
	} else if (isdigit((unsigned char)next)) {
		v = c_tokens_number(&e->t);
	} else {
		v = read_word(e);
	}
	e->depth--;
	return v;
}

static uint64_t apply(struct expression *e, enum c_operator op, uint64_t a, uint64_t b)
{
	return !b && (op == C_DIVIDE || op == C_MODULO) ? fail(e) : c_operate(op, a, b);
}

/* Operators that bind at least as tightly as `binding`; those of equal binding from left to
 * right. */
static uint64_t read_binary(struct expression *e, int binding)
{
	uint64_t v = read_unary(e);
	enum c_operator op;
	int its;

	while (c_tokens_accept_operator(&e->t, binding, &op, &its))
		v = apply(e, op, v, read_binary(e, its + 1));
	return v;
}

static uint64_t read_ternary(struct expression *e)
{
	uint64_t condition, yes, no;
	bool bad, yes_bad, no_bad;

	if (++e->depth > MAX_DEPTH)
		return give_up(e);
	condition = read_binary(e, 1);
	if (!c_tokens_accept(&e->t, "?")) {
		e->depth--;
		return condition;
	}
	bad = e->bad;
	e->bad = false;
	yes = read_ternary(e);
	yes_bad = e->bad;
	e->bad = false;
	if (!c_tokens_accept(&e->t, ":"))
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
	struct expression e = {.t = {*p, end}, .word = word, .ctx = ctx};
	uint64_t v = read_ternary(&e);

	*p = e.t.p;
	if (e.bad || e.broken)
		return -EINVAL;
	*ret_value = v;
	return 0;
}

int const_expr_read(const char **p, const char *end, uint64_t *ret_value)
{
	return const_expr_read_with(p, end, NULL, NULL, ret_value);
}
