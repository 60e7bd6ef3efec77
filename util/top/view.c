// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Indices of top_column_at(). */
enum { HIT_RATE, BYTE_RATE, FREE_RATE, HITS, BYTES, FREED, LIVE, LIVE_HITS, GROWTH, SUSPECT };

static const unsigned int columns[2][TOP_SHOWN] = {
	{HIT_RATE, BYTE_RATE, LIVE, GROWTH, SUSPECT, LIVE_HITS, FREE_RATE},
	{HITS, BYTES, LIVE, GROWTH, SUSPECT, LIVE_HITS, FREED},
};

void top_view_init(struct top_view *v)
{
	*v = (struct top_view){
		.order = {BYTE_RATE, BYTES},
		.page = 1,
	};
}

void top_view_deinit(struct top_view *v)
{
	top_frame_free(v->frame);
	free(v->rows);
	top_request_deinit(&v->request);
}

unsigned int top_view_columns(const struct top_view *v, unsigned int ret_columns[TOP_SHOWN])
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < TOP_SHOWN; i++)
		if (!v->live_unknown || !top_needs_live(top_column_at(columns[v->total][i])->name))
			ret_columns[nr++] = columns[v->total][i];
	return nr;
}

const struct top_row *top_view_row(const struct top_view *v, size_t i)
{
	return i < v->nr_rows ? &v->frame->rows[v->rows[i]] : NULL;
}

/* ---- sorted rows ----------------------------------------------------------------------------- */

static int compare_values(const struct column *c, uint64_t a, uint64_t b)
{
	if (c->kind == COLUMN_CHANGE)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

/* Rows with equal values stay in the order of their names. */
static int compare_rows(const void *x, const void *y, void *ctx)
{
	const struct top_view *v = ctx;
	unsigned int order = v->order[v->total];
	const struct top_row *a = &v->frame->rows[*(const uint32_t *)x];
	const struct top_row *b = &v->frame->rows[*(const uint32_t *)y];
	int ret = top_grown_compare(top_column_at(order)->name, a->grown, b->grown);

	if (!ret)
		ret = compare_values(top_column_at(order), a->values[order], b->values[order]);

	if (ret)
		return v->ascending ? ret : -ret;
	return strcmp(a->name, b->name);
}

/* Hide rows without live bytes and without a change, unless sums are shown. */
static bool is_idle(const struct top_view *v, const struct top_row *row)
{
	return !v->total && !row->values[HIT_RATE] && !row->values[FREE_RATE] &&
	       !row->values[LIVE] && !row->values[BYTE_RATE];
}

static const char *cursor_name(const struct top_view *v)
{
	const struct top_row *row = v->has_cursor ? top_view_row(v, v->cursor) : NULL;

	return row ? row->name : NULL;
}

/* Limit the cursor and the first row to valid positions. */
static void keep_in_range(struct top_view *v)
{
	if (v->nr_rows && v->cursor >= v->nr_rows)
		v->cursor = v->nr_rows - 1;
	if (!v->nr_rows)
		v->cursor = 0;
	if (v->has_cursor && v->cursor < v->first)
		v->first = v->cursor;
	if (v->has_cursor && v->cursor >= v->first + v->page)
		v->first = v->cursor - v->page + 1;
	if (v->first >= v->nr_rows)
		v->first = v->nr_rows ? v->nr_rows - 1 : 0;
}

/* Filter and sort the rows again. The cursor stays on the row of this name (NULL: at its place). */
static void arrange(struct top_view *v, const char *name)
{
	uint32_t *rows;

	v->nr_rows = 0;
	if (!v->frame)
		return;
	rows = reallocarray(v->rows, v->frame->nr_rows + 1, sizeof(*rows));
	if (!rows) {
		v->failed = true;
		return;
	}
	v->rows = rows;
	for (size_t i = 0; i < v->frame->nr_rows; i++) {
		const struct top_row *row = &v->frame->rows[i];

		if (!is_idle(v, row) && (!*v->filter || strcasestr(row->name, v->filter)))
			rows[v->nr_rows++] = (uint32_t)i;
	}
	qsort_r(rows, v->nr_rows, sizeof(*rows), compare_rows, v);
	for (size_t i = 0; name && i < v->nr_rows; i++)
		if (!strcmp(top_view_row(v, i)->name, name))
			v->cursor = i;
	keep_in_range(v);
}

static void arrange_again(struct top_view *v)
{
	const char *name = cursor_name(v);
	char *copy = name ? strdup(name) : NULL;

	arrange(v, copy);
	free(copy);
}

void top_view_take(struct top_view *v, struct top_frame *frame)
{
	const char *name = cursor_name(v);
	char *copy;

	/* a late answer to an old request, or one that a pause hides */
	if (frame->request.serial != v->request.serial ||
	    (v->paused && v->frame && v->frame->request.serial == frame->request.serial)) {
		if (v->frame && frame->last)
			v->frame->last = true;
		top_frame_free(frame);
		return;
	}
	copy = name ? strdup(name) : NULL;
	top_frame_free(v->frame);
	v->frame = frame;
	/* the requested allocator may not be accounted */
	if (frame->accounts) {
		v->request.account = frame->request.account;
		v->request.grouping = frame->request.grouping;
	}
	arrange(v, copy);
	free(copy);
}

/* Shown until the next key. */
static unsigned int say(struct top_view *v, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static unsigned int say(struct top_view *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->message, sizeof(v->message), fmt, ap);
	va_end(ap);
	return TOP_DRAW;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static unsigned int ask(struct top_view *v)
{
	v->request.order = v->order[v->total];
	v->request.ascending = v->ascending;
	v->request.serial++;
	return TOP_ASK | TOP_DRAW;
}

/* Another kind of rows was requested: drop the current ones. */
static unsigned int ask_for_rows(struct top_view *v)
{
	v->has_cursor = false;
	v->cursor = v->first = 0;
	return ask(v);
}

static unsigned int set_grouping(struct top_view *v, unsigned int grouping)
{
	const unsigned int nr = v->nr_groupings[v->request.account];

	if (grouping >= nr)
		return say(v, "there are only %u groupings", nr);
	if (grouping == v->request.grouping)
		return say(v, "rows are already grouped by %s",
			   v->groupings[v->request.account][grouping]);
	v->request.grouping = grouping;
	return ask_for_rows(v);
}

static unsigned int next_grouping(struct top_view *v, bool back)
{
	unsigned int nr = v->nr_groupings[v->request.account];

	return set_grouping(v, (v->request.grouping + (back ? nr - 1 : 1)) % nr);
}

/* Switch to the next allocator, with the same grouping if possible. */
static unsigned int next_allocator(struct top_view *v)
{
	const char *name = v->groupings[v->request.account][v->request.grouping];
	int to = v->request.account;

	if (!v->frame || !v->frame->accounts)
		return 0;
	do
		to = (to + 1) % ACCOUNTS_NR;
	while (!(v->frame->accounts >> to & 1) && to != v->request.account);
	if (to == v->request.account)
		return say(v, "no other allocator is traced: start top with --slab --page");
	v->request.account = to;
	v->request.grouping = 0;
	for (unsigned int i = 0; i < v->nr_groupings[to]; i++)
		if (!strcmp(v->groupings[to][i], name))
			v->request.grouping = i;
	return ask_for_rows(v);
}

/* If the frame has not all rows, another order needs other rows. */
static unsigned int sorted(struct top_view *v)
{
	arrange_again(v);
	if (v->frame && v->frame->rows_total > v->frame->nr_rows)
		return ask(v);
	return TOP_DRAW;
}

static unsigned int next_order(struct top_view *v, bool back)
{
	unsigned int c[TOP_SHOWN], nr = top_view_columns(v, c), i = 0;

	while (i < nr && c[i] != v->order[v->total])
		i++;
	v->order[v->total] = c[i == nr ? 0 : (i + (back ? nr - 1 : 1)) % nr];
	return sorted(v);
}

static unsigned int suspects_first(struct top_view *v)
{
	if (v->live_unknown)
		return say(v, "what is live is not known: no row is judged");
	v->order[v->total] = SUSPECT;
	v->ascending = false;
	return sorted(v);
}

static unsigned int keep_settings(struct top_view *v)
{
	struct error err = ERROR_INIT;
	struct strbuf path = STRBUF_INIT;
	unsigned int change;

	if (!v->keep)
		return say(v, "settings cannot be kept here");
	if (v->keep(v, &path, &err))
		change = say(v, "settings are not kept: %s", err.msg);
	else
		change = say(v, "settings kept in %s", path.buf);
	strbuf_deinit(&path);
	return change;
}

static unsigned int move(struct top_view *v, long by)
{
	size_t last = v->nr_rows ? v->nr_rows - 1 : 0;

	if (!v->has_cursor) {
		v->has_cursor = true;
		v->cursor = by > 1 ? v->first : v->first + (by < -1 ? v->page : 0);
		by = by > 1 || by < -1 ? by : 0;
	}
	if (by < 0)
		v->cursor -= v->cursor < (size_t)-by ? v->cursor : (size_t)-by;
	else
		v->cursor = last - v->cursor < (size_t)by ? last : v->cursor + (size_t)by;
	keep_in_range(v);
	return TOP_DRAW;
}

/* Show the details, or the help. */
static unsigned int scroll(struct top_view *v, long by)
{
	size_t last = v->nr_lines > v->page ? v->nr_lines - v->page : 0;

	if (by < 0)
		v->first_line -= v->first_line < (size_t)-by ? v->first_line : (size_t)-by;
	else
		v->first_line =
			v->first_line + (size_t)by > last ? last : v->first_line + (size_t)by;
	return TOP_DRAW;
}

#define WHEEL_LINES 3

/* The distance that a key moves, in lines; 0 for other keys. */
static long distance(const struct top_view *v, uint32_t key)
{
	const long page = v->page > 1 ? (long)v->page - 1 : 1, end = 1l << 30;

	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		return -1;
	case TOP_KEY_DOWN:
	case 'j':
		return 1;
	case TOP_KEY_PAGE_UP:
		return -page;
	case TOP_KEY_PAGE_DOWN:
		return page;
	case TOP_KEY_HOME:
		return -end;
	case TOP_KEY_END:
		return end;
	case TOP_KEY_WHEEL_UP:
		return -WHEEL_LINES;
	case TOP_KEY_WHEEL_DOWN:
		return WHEEL_LINES;
	default:
		return 0;
	}
}

static unsigned int open_details(struct top_view *v)
{
	const char *name;

	v->has_cursor = true;
	name = cursor_name(v);
	if (!name)
		return say(v, "there is no row to show");
	free(v->request.details);
	v->request.details = strdup(name);
	if (!v->request.details) {
		v->failed = true;
		return 0;
	}
	v->mode = TOP_DETAILS;
	v->first_line = 0;
	return ask(v);
}

static unsigned int close_details(struct top_view *v)
{
	v->mode = TOP_TABLE;
	top_request_deinit(&v->request);
	return ask(v);
}

static unsigned int begin_typing(struct top_view *v)
{
	v->mode = TOP_TYPING;
	memcpy(v->before, v->filter, sizeof(v->before));
	return TOP_DRAW;
}

static unsigned int end_typing(struct top_view *v, bool keep)
{
	v->mode = TOP_TABLE;
	if (!keep)
		memcpy(v->filter, v->before, sizeof(v->filter));
	arrange_again(v);
	return TOP_DRAW;
}

/* Erase the last character, which may have several bytes in UTF-8. */
static void erase_last(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] & 0xc0) == 0x80)
		len--;
	if (len)
		text[len - 1] = '\0';
}

static void add_char(char *text, uint32_t c)
{
	size_t len = strlen(text);

	/* Only ASCII can be typed: nearly all names are ASCII, and others match by their ASCII
	 * part. */
	if (c < ' ' || c > '~' || len + 2 > TOP_FILTER_MAX)
		return;
	text[len] = (char)c;
	text[len + 1] = '\0';
}

static unsigned int type(struct top_view *v, uint32_t key)
{
	switch (key) {
	case TOP_KEY_ENTER:
		return end_typing(v, true);
	case TOP_KEY_ESCAPE:
		return end_typing(v, false);
	case TOP_KEY_BACKSPACE:
		erase_last(v->filter);
		break;
	case 'U' - '@': /* Ctrl-U: erase the line */
		v->filter[0] = '\0';
		break;
	default:
		if (distance(v, key) && key >= TOP_KEY_UP)
			return move(v, distance(v, key));
		add_char(v->filter, key);
		break;
	}
	arrange_again(v);
	return TOP_DRAW;
}

static unsigned int show_help(struct top_view *v)
{
	v->mode = TOP_HELP;
	v->first_line = 0;
	return TOP_DRAW;
}

static unsigned int pause_or_go_on(struct top_view *v)
{
	v->paused = !v->paused;
	return TOP_DRAW;
}

/* Escape closes or clears one thing at a time. */
static unsigned int go_back(struct top_view *v)
{
	if (*v->filter) {
		v->filter[0] = '\0';
		arrange_again(v);
	} else {
		v->has_cursor = false;
		v->first = 0;
	}
	return TOP_DRAW;
}

/* Control characters and unknown keys of the terminal are ignored. */
static unsigned int no_key(struct top_view *v, uint32_t key)
{
	if (key <= ' ' || key > '~')
		return 0;
	return say(v,
		   v->mode == TOP_TABLE ? "'%c' is not a key: ? lists them"
					: "'%c' is not a key here: escape goes back",
		   (int)key);
}

static unsigned int table_key(struct top_view *v, uint32_t key)
{
	switch (key) {
	case TOP_KEY_LEFT:
	case '<':
		return next_order(v, true);
	case TOP_KEY_RIGHT:
	case '>':
	case 's':
		return next_order(v, false);
	case 'S':
		return suspects_first(v);
	case 'r':
		v->ascending = !v->ascending;
		return sorted(v);
	case 'W':
		return keep_settings(v);
	case 'g':
		return next_grouping(v, false);
	case 'G':
		return next_grouping(v, true);
	case 'a':
		return next_allocator(v);
	case 't':
		v->total = !v->total;
		return sorted(v);
	case '/':
	case 'f':
		return begin_typing(v);
	case TOP_KEY_ENTER:
		return open_details(v);
	case TOP_KEY_ESCAPE:
		return go_back(v);
	default:
		if (key >= '1' && key <= '9')
			return set_grouping(v, key - '1');
		return distance(v, key) ? move(v, distance(v, key)) : no_key(v, key);
	}
}

/* Keys in the help and in the details. */
static unsigned int page_key(struct top_view *v, uint32_t key)
{
	if (distance(v, key))
		return scroll(v, distance(v, key));
	if (key != TOP_KEY_ESCAPE && key != TOP_KEY_ENTER && key != TOP_KEY_BACKSPACE)
		return no_key(v, key);
	if (v->mode == TOP_DETAILS)
		return close_details(v);
	v->mode = v->request.details ? TOP_DETAILS : TOP_TABLE;
	v->first_line = 0;
	return TOP_DRAW;
}

unsigned int top_view_key(struct top_view *v, uint32_t key)
{
	if (key == TOP_KEY_RESIZE)
		return TOP_DRAW;
	v->message[0] = '\0';
	if (key == '\r')
		key = TOP_KEY_ENTER;
	if (v->mode == TOP_TYPING)
		return type(v, key);
	switch (key) {
	case 'q':
	case 'Q':
		return TOP_QUIT;
	case ' ':
	case 'p':
		return pause_or_go_on(v);
	case '?':
	case 'h':
		return v->mode == TOP_HELP ? page_key(v, TOP_KEY_ESCAPE) : show_help(v);
	default:
		return v->mode == TOP_TABLE ? table_key(v, key) : page_key(v, key);
	}
}

static unsigned int sort_by(struct top_view *v, unsigned int column)
{
	v->ascending = v->order[v->total] == column && !v->ascending;
	v->order[v->total] = column;
	return sorted(v);
}

unsigned int top_view_click(struct top_view *v, int line, int column)
{
	const int first = v->heading_line + 1;
	const size_t row = v->first + (size_t)(line > first ? line - first : 0);

	if (v->mode != TOP_TABLE)
		return 0;
	v->message[0] = '\0';
	if (line == v->heading_line)
		for (unsigned int i = 0; i < v->nr_headings; i++)
			if (column >= v->headings[i].begin && column < v->headings[i].end)
				return sort_by(v, v->headings[i].column);
	if (line < first || row >= v->nr_rows || row >= v->first + v->page)
		return TOP_DRAW;
	if (v->has_cursor && v->cursor == row)
		return open_details(v);
	v->has_cursor = true;
	v->cursor = row;
	return TOP_DRAW;
}
