// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/trace/print_flags.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64 /* of parentheses */
#define MAX_NAMES 256

/* A constant expression being read. `bad`: something in it has no value. */
struct expression {
	const char *p;
	const char *end;
	bool bad;
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
	if ((size_t)(e->end - e->p) < n || memcmp(e->p, token, n))
		return false;
	e->p += n;
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static uint64_t read_or(struct expression *e);

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
	if (!last || p == e->end || *p != ')' || isdigit((unsigned char)e->p[0]))
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

static uint64_t read_unary(struct expression *e)
{
	uint64_t v;

	if (++e->depth > MAX_DEPTH) {
		e->bad = true;
		e->p = e->end;
		return 0;
	}
	skip_space(e);
	if (e->p == e->end) {
		e->bad = true;
		v = 0;
	} else if (accept(e, "~")) {
		v = ~read_unary(e);
	} else if (accept(e, "(")) {
		if (accept_cast(e)) {
			v = read_unary(e);
		} else {
			v = read_or(e);
			if (!accept(e, ")"))
				e->bad = true;
		}
	} else if (isdigit((unsigned char)*e->p)) {
		v = read_number(e);
	} else {
		/* an identifier has no value here */
		e->bad = true;
		v = 0;
		if (!is_word(*e->p))
			e->p = e->end;
		while (e->p < e->end && is_word(*e->p))
			e->p++;
	}
	e->depth--;
	return v;
}

static uint64_t read_sum(struct expression *e)
{
	uint64_t v = read_unary(e);

	for (;;) {
		if (accept(e, "+"))
			v += read_unary(e);
		else if (accept(e, "-"))
			v -= read_unary(e);
		else
			return v;
	}
}

static uint64_t read_shift(struct expression *e)
{
	uint64_t v = read_sum(e);

	while (accept(e, "<<")) {
		uint64_t n = read_sum(e);

		v = n < 64 ? v << n : 0;
	}
	return v;
}

static uint64_t read_and(struct expression *e)
{
	uint64_t v = read_shift(e);

	while (accept(e, "&"))
		v &= read_shift(e);
	return v;
}

static uint64_t read_or(struct expression *e)
{
	uint64_t v = read_and(e);

	while (accept(e, "|"))
		v |= read_and(e);
	return v;
}

static int add_name(struct flag_names *f, uint64_t mask, const char *name, size_t len)
{
	struct flag_name *v = reallocarray(f->v, f->nr + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	f->v = v;
	v[f->nr].mask = mask;
	v[f->nr].name = strndup(name, len);
	if (!v[f->nr].name)
		return -ENOMEM;
	f->nr++;
	return 0;
}

/* {expression, "NAME"}, ... up to the entry of zero that ends the table. */
static int read_entries(struct flag_names *f, const char *p, const char *end)
{
	while (f->nr < MAX_NAMES) {
		const char *open, *comma, *quote, *close;
		struct expression e = {0};
		uint64_t mask;

		while (p < end && (isspace((unsigned char)*p) || *p == ','))
			p++;
		if (p == end || *p != '{')
			return 0;
		open = p;
		close = memchr(open, '}', end - open);
		if (!close)
			return 0;
		comma = memchr(open, ',', close - open);
		quote = comma ? memchr(comma, '"', close - comma) : NULL;
		p = close + 1;
		if (!quote)
			continue;
		e.p = open + 1;
		e.end = comma;
		mask = read_or(&e);
		skip_space(&e);
		close = memchr(quote + 1, '"', close - quote - 1);
		if (!e.bad && e.p == e.end && mask && close &&
		    add_name(f, mask, quote + 1, close - quote - 1))
			return -ENOMEM;
	}
	return 0;
}

int flag_names_parse(struct flag_names *f, const char *text, size_t len, const char *field)
{
	static const char call[] = "__print_flags(";
	const char *p = text, *end = text + len;

	*f = (struct flag_names){0};
	while ((p = memmem(p, end - p, call, sizeof(call) - 1))) {
		const char *entries, *name;

		p += sizeof(call) - 1;
		entries = memchr(p, '{', end - p);
		if (!entries)
			return 0;
		name = memmem(p, entries - p, field, strlen(field));
		if (!name)
			continue;
		if (read_entries(f, entries, end)) {
			flag_names_deinit(f);
			return -ENOMEM;
		}
		return 0;
	}
	return 0;
}

void flag_names_deinit(struct flag_names *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->v[i].name);
	free(f->v);
	*f = (struct flag_names){0};
}
