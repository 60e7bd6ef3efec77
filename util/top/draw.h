/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What top's screen looks like: a struct top_view drawn into cells.
 *
 * Four lines of what happens in all, headings, rows, and a line of keys; with few lines the
 * former go first.  Figures have fixed widths, so that they stay where they are from one interval
 * to the next; those that do not fit are left out, the least important first.
 */
#ifndef TOP_DRAW_H
#define TOP_DRAW_H

#include "util/top/cells.h"
#include "util/top/view.h"

struct draw_options {
	bool utf8;     /* else sparklines in ASCII */
	bool is_ended; /* nothing more will come */
};

/* Sets what the view must know about its screen (page, nr_lines, and what is scrolled). */
void top_draw(struct cells *c, struct top_view *v, const struct draw_options *o);

#endif
