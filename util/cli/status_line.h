/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct status_line: one line on a terminal that is rewritten in place.
 *
 * It is cut to the terminal's width, so that it can be erased.  Messages of the log erase it by
 * themselves; who writes to the terminal otherwise clears it before.
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
