// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/print_flags.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/printable.h"

#define MAX_NAMES 256

/* The longest name in the kernel has 26 bytes (__GFP_SKIP_KASAN_UNPOISON). */
#define NAME_MAX_BYTES 64

int flag_names_add(struct flag_names *f, uint64_t mask, const char *name, size_t len)
{
	struct flag_name *v = reallocarray(f->v, f->nr + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	f->v = v;
	v[f->nr].mask = mask;
	v[f->nr].name = strndup(name, len < NAME_MAX_BYTES ? len : NAME_MAX_BYTES);
	if (!v[f->nr].name)
		return -ENOMEM;
	printable_make(v[f->nr].name);
	f->nr++;
	return 0;
}

/* Entries {expression, "NAME"}, up to the zero entry that ends the table. */
static int read_entries(struct flag_names *f, const char *p, const char *end,
			const_expr_word_fn word, const void *ctx)
{
	while (f->nr < MAX_NAMES) {
		const char *open, *comma, *quote, *close, *value;
		uint64_t mask;
		int ret;

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
		value = open + 1;
		ret = const_expr_read_with(&value, comma, word, ctx, &mask);
		close = memchr(quote + 1, '"', close - quote - 1);
		if (!ret && value == comma && mask && close &&
		    flag_names_add(f, mask, quote + 1, close - quote - 1))
			return -ENOMEM;
	}
	return 0;
}

int flag_names_parse(struct flag_names *f, const char *text, size_t len, const char *field,
		     const_expr_word_fn word, const void *ctx)
{
	static const char call[] = "__print_flags(";
	const char *end = text + len, *next = memmem(text, len, call, sizeof(call) - 1);

	*f = (struct flag_names){0};
	while (next) {
		const char *p = next + sizeof(call) - 1, *entries, *stop;

		/* the arguments end before the next call, so each byte is scanned once */
		next = memmem(p, end - p, call, sizeof(call) - 1);
		stop = next ? next : end;
		entries = memchr(p, '{', stop - p);
		if (!entries || !memmem(p, entries - p, field, strlen(field)))
			continue;
		if (read_entries(f, entries, end, word, ctx)) {
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
