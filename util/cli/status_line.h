/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct status_line: one line on a terminal that is rewritten in place.
 *
 * It is cut to the terminal's width, so that it can be erased.  Log messages erase it by
 * themselves; whoever else writes to the terminal must clear it first.
 */
#ifndef CLI_STATUS_LINE_H
#define CLI_STATUS_LINE_H

#include <stdio.h>

struct status_line {
	FILE *out; /* a terminal */
};

void status_line_show(struct status_line *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void status_line_clear(struct status_line *l);

#endif
