// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/wrap.h"

#include <stdbool.h>
#include <string.h>

/* Number of bytes of a word of len that fit into room, without splitting a UTF-8 character; at
 * least one character. */
static int piece_of(const char *word, int len, int room)
{
	int n = room < 1 ? 1 : room;

	if (n >= len)
		return len;
	while (n > 1 && ((unsigned char)word[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* Length of the word at the start; a number is kept together with its percent sign. */
static int word_len(const char *text)
{
	size_t len = strcspn(text, " \n");

	if (len && !strncmp(text + len, " %", 2))
		len += 1 + strcspn(text + len + 1, " \n");
	return (int)len;
}

static void wrap(FILE *out, const char *text, int at, const char *prefix, int indent, int columns,
		 bool breaks)
{
	bool first = true; /* first word of the current line */

	while (*text) {
		int len = word_len(text);

		if (!first && at + 1 + len > columns) {
			fprintf(out, "\n%s%*s", prefix, indent, "");
			at = (int)strlen(prefix) + indent;
			first = true;
		}
		if (breaks && first)
			len = piece_of(text, len, columns - at);
		if (len) {
			fprintf(out, "%s%.*s", first ? "" : " ", len, text);
			at += len + !first;
			first = false;
		}
		text += len;
		if (*text == '\n') {
			fprintf(out, "\n%s%*s", prefix, indent, "");
			at = (int)strlen(prefix) + indent;
			first = true;
		}
		if (*text == ' ' || *text == '\n')
			text++;
	}
	fputc('\n', out);
}

void wrap_text(FILE *out, const char *text, int at, int indent, int columns)
{
	wrap(out, text, at, "", indent, columns, false);
}

void wrap_comment(FILE *out, const char *label, int indent, const char *text, int columns)
{
	int at = fprintf(out, "# %-*s", indent, label);

	wrap(out, text, at, "# ", indent, columns, true);
}
