// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/wrap.h"

#include <stdbool.h>
#include <string.h>

void wrap_text(FILE *out, const char *text, int at, int indent, int columns)
{
	bool first = true; /* in its line */

	while (*text) {
		int len = (int)strcspn(text, " \n");

		if (!first && at + 1 + len > columns) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
			first = true;
		}
		if (len) {
			fprintf(out, "%s%.*s", first ? "" : " ", len, text);
			at += len + !first;
			first = false;
		}
		text += len;
		if (*text == '\n') {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
			first = true;
		}
		if (*text)
			text++;
	}
	fputc('\n', out);
}
