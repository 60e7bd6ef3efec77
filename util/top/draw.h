/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws a struct top_view, top's screen, into cells.
 *
 * The screen has four lines of totals, headings, rows, and a line of keys; on a low screen the
 * totals are dropped first. Figures have fixed widths, so that they do not move between intervals.
 * Columns that do not fit are dropped, the least important first.
 */
#ifndef TOP_DRAW_H
#define TOP_DRAW_H

#include "util/top/cells.h"
#include "util/top/view.h"

struct draw_options {
	bool utf8;     /* otherwise sparklines are ASCII */
	bool is_ended; /* no more frames will follow */
};

/* Also sets the members of the view that depend on the screen (page, nr_lines, scroll
 * positions). */
void top_draw(struct cells *c, struct top_view *v, const struct draw_options *o);

#endif
