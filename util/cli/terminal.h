/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The width and the colours of a terminal, and a status line on it.
 *
 * COLUMNS in the environment (1 to 4096) takes precedence over the terminal's own width. 80 columns
 * are assumed if it is not a terminal, or if its width is unknown.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

int terminal_columns(int fd);

/* Whether TERM has colours and NO_COLOR is unset or empty (no-color.org). */
bool terminal_has_colours(void);

/*
 * struct status_line: one line on a terminal that is rewritten in place.
 *
 * It is truncated to the terminal's width, so that it can be erased. Log messages erase it
 * themselves; other writers to the terminal must clear it first.
 */
struct status_line {
	FILE *out; /* a terminal */
};

void status_line_show(struct status_line *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void status_line_clear(struct status_line *l);

/*
 * Words wrapped to the width of a terminal, for usage texts and lists.
 *
 * Text starts at column `at` (already written) and continues at `indent` on further lines; lines
 * break at blanks before `columns`, and where the text has a newline.  A longer word is not
 * broken.  Bytes are columns (ASCII text).
 */

/* Ends in a newline. */
void wrap_text(FILE *out, const char *text, int at, int indent, int columns);

/*
 * "# LABEL text", and "#" before each further line, where the text continues aligned: `indent`
 * columns after "# ".  Words longer than a line are broken.
 */
void wrap_comment(FILE *out, const char *label, int indent, const char *text, int columns);

#endif
