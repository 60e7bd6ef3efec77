// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/format_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 512

/* More than any kernel's event has. libtraceevent's lookups are linear in it. */
#define FIELDS_MAX 512

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "TYPE NAME" or "TYPE NAME[N]", where TYPE is words, stars and "[]". */
static bool declaration_is_plain(const char *decl)
{
	size_t words = 0;
	bool in_word = false, name_last = false;

	for (const char *p = decl; *p; p++) {
		if (is_word(*p)) {
			words += !in_word;
			in_word = name_last = true;
			continue;
		}
		in_word = false;
		if (*p == '[') {
			if (p == decl || p[-1] == ' ' || p[-1] == '*')
				return false;
			p += strspn(p + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_") + 1;
			if (*p != ']')
				return false;
		} else if (*p == '*') {
			name_last = false;
		} else if (*p != ' ') {
			return false;
		}
	}
	return words >= 2 && name_last && !isdigit((unsigned char)decl[0]);
}

/* Copy the next line, without its newline, as a string; truncate a longer one. Returns false at the
 * end. */
static bool next_line(const char **pos, const char *end, char line[LINE_MAX_BYTES])
{
	const char *start = *pos;
	const char *nl;
	size_t len;

	if (start >= end)
		return false;
	nl = memchr(start, '\n', (size_t)(end - start));
	len = (size_t)((nl ? nl : end) - start);
	*pos = nl ? nl + 1 : end;
	if (len >= LINE_MAX_BYTES)
		len = LINE_MAX_BYTES - 1;
	memcpy(line, start, len);
	line[len] = '\0';
	return true;
}

static void add_field(struct strbuf *sb, const char *line)
{
	/* digits as strings: %u would accept a minus sign */
	char decl[256], offset[10], size[10], is_signed[2];
	int n = sscanf(line, " field:%255[^;]; offset:%9[0-9]; size:%9[0-9]; signed:%1[01];", decl,
		       offset, size, is_signed);

	if (n < 3 || !declaration_is_plain(decl))
		return;
	strbuf_addf(sb, "\tfield:%s;\toffset:%s;\tsize:%s;", decl, offset, size);
	/* missing before 2.6.32 */
	if (n == 4)
		strbuf_addf(sb, "\tsigned:%s;", is_signed);
	strbuf_addch(sb, '\n');
}

int format_text_rewrite(struct strbuf *sb, const struct trace_text *text)
{
	const char *pos = text->text, *end = pos + text->len;
	char line[LINE_MAX_BYTES], name[128] = "";
	char id[10] = "";
	unsigned int nr_fields = 0;
	bool have_fields = false;

	strbuf_reset(sb);
	while (next_line(&pos, end, line)) {
		if (!strncmp(line, "print fmt", 9))
			break;
		if (!have_fields && sscanf(line, "name: %127[A-Za-z0-9_]", name) == 1)
			continue;
		if (!have_fields && sscanf(line, "ID: %9[0-9]", id) == 1)
			continue;
		if (!have_fields) {
			if (!name[0] || !id[0])
				continue;
			strbuf_addf(sb, "name: %s\nID: %s\nformat:\n", name, id);
			have_fields = true;
		}
		/* an empty line separates the fields common to all events from the event's own */
		if (!line[0])
			strbuf_addch(sb, '\n');
		else if (nr_fields++ < FIELDS_MAX)
			add_field(sb, line);
	}
	strbuf_addstr(sb, "\nprint fmt: \"\"\n");
	if (sb->failed)
		return -ENOMEM;
	return have_fields ? 0 : -EINVAL;
}
