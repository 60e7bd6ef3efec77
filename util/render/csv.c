// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/csv.h"

#include <string.h>

#include "util/base/printable.h"

/* A plain number, which may be negative: a node can be -1. */
static bool is_number(const char *text)
{
	text += *text == '-';
	text += strspn(text, "0123456789");
	if (*text == '.')
		text += 1 + strspn(text + 1, "0123456789");
	return !*text;
}

/* Whether a spreadsheet would evaluate the cell as a formula. */
static bool is_formula(const char *text)
{
	return *text && strchr("=+-@", *text) && !is_number(text);
}

static void write_quoted(FILE *out, const char *text)
{
	while (*text) {
		uint32_t c = 0;
		size_t n = utf8_decode(text, &c);

		if (c == '"')
			fputc('"', out);
		if (n && printable_char(c))
			fwrite(text, 1, n, out);
		else
			fputc('?', out);
		text += n ? n : 1;
	}
}

static bool is_plain(const char *text)
{
	while (*text >= ' ' && *text < 0x7f && *text != '"' && *text != ',')
		text++;
	return !*text;
}

void csv_write_field(FILE *out, bool comma, const char *text)
{
	bool formula = is_formula(text);

	if (comma)
		fputc(',', out);
	if (!formula && is_plain(text)) {
		fputs(text, out);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	write_quoted(out, text);
	fputc('"', out);
}
