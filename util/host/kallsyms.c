// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/kallsyms.h"

#include <string.h>

#include "util/base/symbol.h"

/* Lower-case hex digits, up to any other character. Hand-written, because strtoull() would take
 * most of the time. */
static const char *parse_address(const char *p, const char *end, uint64_t *ret)
{
	uint64_t v = 0;

	for (; p < end; p++) {
		unsigned int digit;

		if (*p >= '0' && *p <= '9')
			digit = (unsigned int)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			digit = (unsigned int)(*p - 'a') + 10;
		else
			break;
		v = v << 4 | digit;
	}
	*ret = v;
	return p;
}

static void find_module(struct kallsyms_line *l, const char *p, const char *end)
{
	const char *open = memchr(p, '[', (size_t)(end - p)), *close;

	l->module = NULL;
	l->module_len = 0;
	if (!open)
		return;
	open++;
	close = memchr(open, ']', (size_t)(end - open));
	if (!close)
		return;
	l->module = open;
	l->module_len = (size_t)(close - open);
}

static bool parse(struct kallsyms_line *l)
{
	const char *end = l->text + l->len, *p = parse_address(l->text, end, &l->address);

	if (p == l->text || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	l->type = p[1];
	p += 3;
	l->name = p;
	while (p < end && *p && *p != ' ' && *p != '\t')
		p++;
	l->name_len = (size_t)(p - l->name);
	find_module(l, p, end);
	return l->name_len > 0 && !symbol_is_mapping(l->name, l->name_len);
}

bool kallsyms_next(const char **pos, const char *end, struct kallsyms_line *ret_line)
{
	const char *p = *pos;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;
		struct kallsyms_line l = {.text = p, .len = (size_t)(stop - p)};

		p = newline ? newline + 1 : end;
		if (parse(&l)) {
			*pos = p;
			*ret_line = l;
			return true;
		}
	}
	*pos = p;
	return false;
}
