/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The width of a terminal, and a status line on it.
 *
 * COLUMNS in the environment (1 to 4096) takes precedence over the terminal's own width. 80 columns
 * are assumed if it is not a terminal, or if its width is unknown.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdio.h>

int terminal_columns(int fd);

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

#endif
