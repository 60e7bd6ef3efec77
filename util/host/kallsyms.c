// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/kallsyms.h"

#include <endian.h>
#include <string.h>

#include "util/base/symbol.h"

#define EACH_BYTE(value) (0x0101010101010101ull * (value))

/* Parse 8 lower-case hex digits at once. Returns false if there are other characters among them. */
static bool parse_eight(const char *p, uint64_t *ret)
{
	uint64_t c, letters, v, wrong;

	memcpy(&c, p, sizeof(c));
	c = le64toh(c);
	letters = c >> 6 & EACH_BYTE(1);
	v = (c & EACH_BYTE(0xf)) + 9 * letters;
	/* '0' to '9' are 0x30 to 0x39, 'a' to 'f' are 0x61 to 0x66 */
	wrong = (c & EACH_BYTE(0xf0)) ^ (EACH_BYTE(0x30) + 0x30 * letters);
	wrong |= (v | ((v + EACH_BYTE(6)) ^ letters << 4)) & EACH_BYTE(0x10);
	v = (v << 4 | v >> 8) & 0x00ff00ff00ff00ffull;
	v = (v << 8 | v >> 16) & 0x0000ffff0000ffffull;
	*ret = (v << 16 | v >> 32) & 0xffffffffull;
	return !wrong;
}

/* Lower-case hex digits, up to any other character. Hand-written, because strtoull() would take
 * most of the time. */
static const char *parse_address(const char *p, const char *end, uint64_t *ret)
{
	uint64_t v = 0, eight;

	for (; end - p >= 8 && *p != ' ' && parse_eight(p, &eight); p += 8)
		v = v << 32 | eight;
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

static bool ends_name(char c)
{
	return !c || c == ' ' || c == '\t';
}

void kallsyms_finish(struct kallsyms_line *l)
{
	const char *end = l->text + l->len, *p = l->name;

	while (p < end && !ends_name(*p))
		p++;
	l->name_len = (size_t)(p - l->name);
	find_module(l, p, end);
}

/* Parse the line's beginning. after: the end of its address. */
static bool parse(struct kallsyms_line *l, const char *after)
{
	const char *end = l->text + l->len;

	if (after == l->text || end - after < 4 || after[0] != ' ' || after[2] != ' ' ||
	    ends_name(after[3]))
		return false;
	l->type = after[1];
	l->name = after + 3;
	if (*l->name != '$')
		return true;
	kallsyms_finish(l);
	return !symbol_is_mapping(l->name, l->name_len);
}

bool kallsyms_next_start(const char **pos, const char *end, struct kallsyms_line *ret_line)
{
	const char *p = *pos;

	while (p < end) {
		struct kallsyms_line *l = ret_line;
		const char *after = parse_address(p, end, &l->address);
		const char *newline = memchr(after, '\n', (size_t)(end - after));
		const char *stop = newline ? newline : end;

		l->text = p;
		l->len = (size_t)(stop - p);
		p = newline ? newline + 1 : end;
		if (parse(l, after)) {
			*pos = p;
			return true;
		}
	}
	*pos = p;
	return false;
}

bool kallsyms_next(const char **pos, const char *end, struct kallsyms_line *ret_line)
{
	if (!kallsyms_next_start(pos, end, ret_line))
		return false;
	kallsyms_finish(ret_line);
	return true;
}
