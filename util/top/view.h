/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_view: the state of top's screen, and what each key does to it.
 *
 * Keys and frames change it, draw.h draws it; it knows no terminal, no thread and no clock.  The
 * latest frame is its own.  What it cannot answer from that (another grouping, the details of a
 * row) it asks for in `request`, whose serial number grows then.
 */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/top/frame.h"

/* Characters are themselves (Unicode); keys without one are above all characters. */
enum top_key {
	TOP_KEY_NONE = 0,
	TOP_KEY_ENTER = '\n',
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_BACKSPACE = 127,
	TOP_KEY_UP = 0x110000,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_RESIZE, /* nothing but a reason to draw */
};

enum top_mode {
	TOP_TABLE,
	TOP_TYPING, /* the filter; the table is still shown */
	TOP_DETAILS,
	TOP_HELP,
};

/* What a key changed; bits. */
enum top_change {
	TOP_DRAW = 1,
	TOP_ASK = 2, /* the request */
	TOP_QUIT = 4,
};

#define TOP_FILTER_MAX 64

struct top_view {
	/* from the start on */
	const char *const *groupings[2]; /* names by number, of slab and page */
	unsigned int nr_groupings[2];
	uint64_t interval_ns;
	const char *source; /* "perf.data"; NULL: this machine, now */
	bool live_unknown;  /* frees are counted, but not of what */

	struct top_request request;
	enum top_mode mode;
	bool total; /* sums since the start, not rates of the interval */
	bool paused;
	unsigned int order[2]; /* the column that rows are sorted by: [total] */
	bool ascending;
	char filter[TOP_FILTER_MAX]; /* rows whose name contains this; "": all */
	char before[TOP_FILTER_MAX]; /* the filter before it was changed, for escape */

	struct top_frame *frame; /* NULL: none yet */
	uint32_t *rows;		 /* of the frame, those that pass the filter, in order */
	size_t nr_rows;
	bool has_cursor;
	size_t cursor;		  /* index in rows */
	size_t first, first_line; /* the first row, and line of the details, on the screen */
	size_t page;		  /* rows or lines there is room for: set when it is drawn */
	size_t nr_lines;	  /* of the details or the help: likewise */
	bool failed;		  /* no memory: what is shown is not complete */
};

void top_view_init(struct top_view *v);
void top_view_deinit(struct top_view *v);

/* Is the page allocator shown? Also the index of what there is for each allocator. */
static inline unsigned int top_view_is_page(const struct top_view *v)
{
	return v->request.allocator == ALLOCATOR_PAGE;
}

/* An interval has ended. The view owns the frame now; a paused one drops it unless it asked for it.
 */
void top_view_take(struct top_view *v, struct top_frame *frame);

/* Returns bits of enum top_change. */
unsigned int top_view_key(struct top_view *v, uint32_t key);

/* The columns of the present mode, as numbers of top_column_at(), most important first. */
#define TOP_SHOWN 6
unsigned int top_view_columns(const struct top_view *v, unsigned int ret_columns[TOP_SHOWN]);

/* A row as it is shown, from 0; NULL: there are no more. */
const struct top_row *top_view_row(const struct top_view *v, size_t i);

#endif
