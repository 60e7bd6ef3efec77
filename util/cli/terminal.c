// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "util/base/log.h"
#include "util/base/units.h"

int terminal_columns(int fd)
{
	const char *env = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns;

	if (env && !units_parse_u64_bounded(env, 1, 4096, &columns))
		return (int)columns;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}

bool terminal_has_colours(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0;
}

#define TEXT_MAX 256

void status_line_show(struct status_line *l, const char *fmt, ...)
{
	int columns = terminal_columns(fileno(l->out));
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* keep the last column free: some terminals wrap there */
	flockfile(l->out);
	fprintf(l->out, "\r%.*s\033[K", columns - 1, text);
	fflush(l->out);
	log_set_status_line(true);
	funlockfile(l->out);
}

void status_line_clear(struct status_line *l)
{
	flockfile(l->out);
	if (log_set_status_line(false)) {
		fputs("\r\033[K", l->out);
		fflush(l->out);
	}
	funlockfile(l->out);
}

/* How many bytes of a word of len fit into room, without splitting a UTF-8 character; at least
 * one. */
static int piece_of(const char *word, int len, int room)
{
	int n = room < 1 ? 1 : room;

	if (n >= len)
		return len;
	while (n > 1 && ((unsigned char)word[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* The bytes of the word at the start; a number is not parted from its percent sign. */
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
	bool first = true; /* in the current line */

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
