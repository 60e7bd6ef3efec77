/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_view: the state of top's screen, and the effect of each key.
 *
 * Keys and frames change it, and draw.h draws it. It depends on no terminal, thread or clock. It
 * owns the latest frame. For data that the frame lacks (another grouping, a row's details) it sets
 * `request` and increments the request's serial number.
 */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/top/frame.h"

/* Characters are their code points; other keys are above all characters. */
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
	TOP_KEY_RESIZE, /* no key: only redraw */
	TOP_KEY_WHEEL_UP,
	TOP_KEY_WHEEL_DOWN,
};

enum top_mode {
	TOP_TABLE,
	TOP_TYPING, /* editing the filter; the table stays visible */
	TOP_DETAILS,
	TOP_HELP,
};

/* Bits: the effect of a key. */
enum top_change {
	TOP_DRAW = 1,
	TOP_ASK = 2, /* the request */
	TOP_QUIT = 4,
};

#define TOP_FILTER_MAX	64
#define TOP_MESSAGE_MAX 96

/* The most columns of a mode. */
#define TOP_SHOWN 7

/* The cells of a column's heading, from `begin` to before `end`. */
struct top_heading {
	int begin, end;
	unsigned int column; /* number of top_column_at() */
};

struct top_view {
	/* constant: */
	/* writes the settings to a file and appends its name to *path; NULL: cannot be kept */
	int (*keep)(const struct top_view *v, struct strbuf *path, struct error *err);
	const char *const *groupings[ACCOUNTS_NR]; /* groupings' names by index, of each account */
	unsigned int nr_groupings[ACCOUNTS_NR];
	uint64_t interval_ns;
	const char *source; /* "perf.data"; NULL for live events */
	bool live_unknown;  /* frees cannot be matched to allocations */

	struct top_request request;
	enum top_mode mode;
	bool total; /* sums since the start, not rates of the interval */
	bool paused;
	unsigned int order[2]; /* the sort column, by [total] */
	bool ascending;
	char message[TOP_MESSAGE_MAX]; /* in place of the last line until the next key; "": none */
	char filter[TOP_FILTER_MAX];   /* rows whose name contains this are shown; "": all */
	char before[TOP_FILTER_MAX];   /* the filter before editing, restored by escape */

	struct top_frame *frame; /* NULL before the first one */
	uint32_t *rows;		 /* rows of the frame that pass the filter, sorted */
	size_t nr_rows;
	bool has_cursor;
	size_t cursor;		  /* index in rows */
	size_t first, first_line; /* first visible row, first visible line of the details */
	size_t page;		  /* number of visible rows or lines, set by drawing */
	size_t nr_lines;	  /* number of lines of the details or the help, set by drawing */
	int heading_line;	  /* of the table, whose rows follow; set by drawing, as these: */
	struct top_heading headings[TOP_SHOWN];
	unsigned int nr_headings;
	bool failed; /* out of memory: the screen is incomplete */
};

void top_view_init(struct top_view *v);
void top_view_deinit(struct top_view *v);

/* An interval has ended. The view owns the frame now; a paused one drops it unless it asked for it.
 */
void top_view_take(struct top_view *v, struct top_frame *frame);

/* Returns bits of enum top_change. */
unsigned int top_view_key(struct top_view *v, uint32_t key);

/* A click on a cell of the table: a heading sorts by its column, another click reverses that; a row
 * is chosen, another click shows its details. Returns bits of enum top_change. */
unsigned int top_view_click(struct top_view *v, int line, int column);

/* The columns of the present mode, as numbers of top_column_at(), most important first. */
unsigned int top_view_columns(const struct top_view *v, unsigned int ret_columns[TOP_SHOWN]);

/* A row as it is shown, from 0; NULL: there are no more. */
const struct top_row *top_view_row(const struct top_view *v, size_t i);

#endif
