// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/draw.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/base/units.h"
#include "util/render/value_text.h"

/* Lines of at most 80 characters. */
static const char top_help[] =
	"\n"
	"  s > right      sort by the next column       r   the other way round\n"
	"  < left         by the one before             S   suspects first\n"
	"  g, G           next, previous grouping       1 to 9   the first, second, ...\n"
	"  a              the next allocator\n"
	"  t              sums since the start, or rates of the last interval\n"
	"  W              keep order, grouping, t and filter for the next start\n"
	"  space p        pause: counting goes on, the screen stands still\n"
	"  / f            only rows whose name contains what you type\n"
	"  up down j k    choose a row; page up, page down, home, end\n"
	"  enter          the row's call stacks, and who it is\n"
	"  escape         back; no filter; no row chosen\n"
	"  ? h            this page                      q   quit\n"
	"  mouse          click a heading: sort; a row: choose it, its details; wheel\n"
	"\n"
	"Behaviour is what leak would say of the time since top started. leaking: it\n"
	"rises, and nearly all of it stays; growing: it rises, and some is freed. With\n"
	"a question mark the evidence is not high. Most rise in the first seconds.\n"
	"\n"
	"Rates are those of the last interval. Live is what was allocated since top\n"
	"started and is not freed; what was allocated before is not known. Growth is how\n"
	"fast live bytes changed over the last 16 intervals, which the sparkline shows:\n"
	"each row's highest is the top of its own.\n"
	"\n"
	"\"[others]\" are processes that ended, and stacks that were not seen for long:\n"
	"their figures stay in the sums, their names are given back.\n";

#define NAME_MIN   24
#define NAME_WIDE  40 /* a wider column of names is as wide as its names */
#define FIGURE	   10 /* "1023.9 MiB" */
#define LINE_MAX_  512
#define NR_FOOTER  1
#define LINES_FULL 12 /* with fewer lines, the header is shortened */

/* A sparkline of nr characters, from blank for zero to the highest for the maximum. */
static void sparkline(struct strbuf *sb, const uint64_t *values, unsigned int nr, bool utf8)
{
	const struct render_options o = {.thousands_sep = "", .ascii = !utf8};
	const struct value v = value_numbers(values, nr);

	value_add_text(sb, &o, &v);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* "1234", "12.3 k", "1.2 M": at most as wide as a column. */
static char *count_text(char *buf, size_t size, uint64_t v)
{
	static const char suffixes[] = "kMGTPE";
	double scaled = (double)v / 1000;
	int i = 0;

	if (v < 100000) {
		snprintf(buf, size, "%" PRIu64, v);
		return buf;
	}
	while (scaled >= 999.95) {
		scaled /= 1000;
		i++;
	}
	snprintf(buf, size, "%.1f %c", scaled, suffixes[i]);
	return buf;
}

static const char *figure_text(char *buf, size_t size, const struct column *c, uint64_t v)
{
	int64_t change = (int64_t)v;

	if (c == top_column_at(top_column_find("suspect")))
		return suspect_text(buf, v);

	switch (c->kind) {
	case COLUMN_BYTES:
		return units_bytes(buf, size, v);
	case COLUMN_CHANGE:
		buf[0] = change < 0 ? '-' : '+';
		units_bytes(buf + 1, size - 1, change < 0 ? -(uint64_t)change : v);
		if (!change)
			snprintf(buf, size, "0");
		return buf;
	default:
		return count_text(buf, size, v);
	}
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_line(struct cells *c, int line, enum cell_style style, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void put_line(struct cells *c, int line, enum cell_style style, const char *fmt, ...)
{
	char text[LINE_MAX_];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cells_put_left(c, line, 0, c->columns, style, text);
}

static const char *grouping_name(const struct top_view *v)
{
	int account = v->request.account;

	return v->request.grouping < v->nr_groupings[account]
		       ? v->groupings[account][v->request.grouping]
		       : "";
}

/* "0:01:02" */
static char *clock_text(char *buf, size_t size, uint64_t ns)
{
	uint64_t s = (ns + 500000000) / 1000000000;

	snprintf(buf, size, "%" PRIu64 ":%02u:%02u", s / 3600, (unsigned int)(s / 60 % 60),
		 (unsigned int)(s % 60));
	return buf;
}

static void draw_title(struct cells *c, int line, const struct top_view *v,
		       const struct draw_options *o)
{
	const struct top_frame *f = v->frame;
	const char *state = v->paused ? "  PAUSED" : o->is_ended || (f && f->last) ? "  ENDED" : "";
	char interval[UNITS_BUF], elapsed[UNITS_BUF], right[LINE_MAX_];

	put_line(c, line, CELL_TITLE, "perf kmem top: %s by %s, %s%s%s",
		 account_table[v->request.account]->id, grouping_name(v),
		 v->total ? "since the start" : "each ",
		 v->total ? "" : units_duration(interval, sizeof(interval), v->interval_ns), state);
	snprintf(right, sizeof(right), "%s%s%s", v->source ? v->source : "", v->source ? "  " : "",
		 clock_text(elapsed, sizeof(elapsed), f ? f->end_ns - f->begin_ns : 0));
	if (cells_width(right) + 40 < c->columns)
		cells_put_right(c, line, c->columns - cells_width(right), cells_width(right),
				CELL_TITLE, right);
}

static uint64_t per_second(uint64_t v, const struct top_frame *f)
{
	uint64_t ns = f->end_ns - f->start_ns;

	return ns ? units_round((double)v * 1e9 / (double)ns) : 0;
}

static void draw_counted(struct cells *c, int line, const struct top_frame *f)
{
	const struct top_sums *s = &f->sums;
	char hits[UNITS_BUF], bytes[UNITS_BUF], frees[UNITS_BUF];

	put_line(c, line, CELL_NORMAL,
		 "allocated %s/s, %s/s   freed %s/s   (the kernel counts: live is not known)",
		 count_text(hits, sizeof(hits), per_second(s->hits, f)),
		 units_bytes(bytes, sizeof(bytes), per_second(s->bytes_alloc, f)),
		 count_text(frees, sizeof(frees), per_second(s->freed_hits, f)));
}

static void draw_rates(struct cells *c, int line, const struct top_frame *f)
{
	const struct top_sums *s = &f->sums;
	char hits[UNITS_BUF], bytes[UNITS_BUF], frees[UNITS_BUF], freed[UNITS_BUF];

	put_line(c, line, CELL_NORMAL, "allocated %s/s, %s/s   freed %s/s, %s/s",
		 count_text(hits, sizeof(hits), per_second(s->hits, f)),
		 units_bytes(bytes, sizeof(bytes), per_second(s->bytes_alloc, f)),
		 count_text(frees, sizeof(frees), per_second(s->freed_hits, f)),
		 units_bytes(freed, sizeof(freed), per_second(s->bytes_freed, f)));
}

static void draw_live(struct cells *c, int line, const struct top_frame *f,
		      const struct draw_options *o)
{
	const struct top_sums *s = &f->sums;
	struct strbuf spark = STRBUF_INIT, with_spark = STRBUF_INIT;
	char bytes[UNITS_BUF], hits[UNITS_BUF], growth[UNITS_BUF], untraced[UNITS_BUF];
	char text[LINE_MAX_];

	snprintf(text, sizeof(text), "live %s%s%s%s in %s objects, %s/s",
		 units_bytes(bytes, sizeof(bytes), s->live_bytes),
		 s->live_untraced ? " (frees not traced: " : "",
		 s->live_untraced ? units_bytes(untraced, sizeof(untraced), s->live_untraced) : "",
		 s->live_untraced ? ")" : "", count_text(hits, sizeof(hits), s->live_hits),
		 figure_text(growth, sizeof(growth), column_find("growth", 6), s->growth));
	sparkline(&spark, s->live, RECENT_MOMENTS, o->utf8);
	strbuf_addf(&with_spark, "%s   [%s]", text, spark.buf);
	put_line(c, line, CELL_NORMAL, "%s",
		 cells_width(with_spark.buf) <= c->columns ? with_spark.buf : text);
	strbuf_deinit(&with_spark);
	strbuf_deinit(&spark);
}

/* top has only seen the events since it started; the kernel counts all objects. */
static void draw_slabs(struct cells *c, int line, const struct top_frame *f)
{
	char used[UNITS_BUF], all[UNITS_BUF], bytes[UNITS_BUF];

	if (f->request.account != ACCOUNT_slab || !f->slabs.objects)
		put_line(c, line, CELL_NORMAL, "no event was lost");
	else
		put_line(c, line, CELL_NORMAL,
			 "no event was lost   all slabs: %s of %s objects in use, %s",
			 count_text(used, sizeof(used), f->slabs.used),
			 count_text(all, sizeof(all), f->slabs.objects),
			 units_bytes(bytes, sizeof(bytes), f->slabs.used_bytes));
}

static void draw_lost(struct cells *c, int line, const struct top_frame *f)
{
	char lost[UNITS_BUF], now[UNITS_BUF];
	double percent = 0;

	if (!f->nr_lost) {
		draw_slabs(c, line, f);
		return;
	}
	percent = 100.0 * (double)f->nr_lost / ((double)f->nr_lost + (double)f->nr_events);
	put_line(c, line, CELL_WARNING,
		 "LOST %s events (%.2f%%), %s of them now%s%s: too few are counted, too many live",
		 count_text(lost, sizeof(lost), f->nr_lost), percent,
		 count_text(now, sizeof(now), f->nr_lost_now), f->lost ? ": " : "",
		 f->lost ? f->lost : "");
}

static void draw_sample(struct cells *c, int line, const struct top_frame *f)
{
	char most[UNITS_BUF];

	put_line(c, line, CELL_WARNING,
		 "more than %s are live, one in %" PRIu64
		 " is followed: live figures are estimates",
		 count_text(most, sizeof(most), f->max_live), f->sample_one_in);
}

/* ---- the table ------------------------------------------------------------------------------- */

struct layout {
	int name;			 /* its width */
	unsigned int columns[TOP_SHOWN]; /* numbers of top_column_at() */
	unsigned int nr;
	bool spark;
};

/* The width of a column of figures, with a blank before it. */
static int width_of(unsigned int column)
{
	return FIGURE + 1 + (column == top_column_find("suspect")); /* "reclaimable" */
}

/* The width of the longest name, in steps, so that figures seldom move. */
static int names_width(const struct top_view *v)
{
	const struct top_row *row;
	size_t longest = NAME_WIDE - 1;

	for (size_t i = 0; (row = top_view_row(v, i)); i++) {
		size_t len = utf8_count(row->name, strlen(row->name));

		longest = len > longest ? len : longest;
	}
	return (int)((longest / 8 + 1) * 8);
}

/* The sort column is always shown. */
static void lay_out(struct layout *l, const struct top_view *v, int width)
{
	unsigned int all[TOP_SHOWN], nr = top_view_columns(v, all);
	unsigned int order = v->order[v->total];
	int left = width - NAME_MIN;
	unsigned int room;

	l->nr = 0;
	room = left > FIGURE ? (unsigned int)(left / (FIGURE + 1)) : 1;
	/* five columns are worth more */
	l->spark = !v->live_unknown && left >= 5 * (FIGURE + 1) + RECENT_MOMENTS + 1;
	if (l->spark)
		room = (unsigned int)((left - RECENT_MOMENTS - 1) / (FIGURE + 1));
	for (unsigned int i = 0; i < nr; i++) {
		bool has_order = all[i] == order;

		for (unsigned int k = 0; k < l->nr; k++)
			has_order |= l->columns[k] == order;
		/* the last column is reserved for it */
		if (l->nr < room && (has_order || l->nr + 1 < room))
			l->columns[l->nr++] = all[i];
	}
	l->name = width - (l->spark ? RECENT_MOMENTS + 1 : 0);
	for (unsigned int i = 0; i < l->nr; i++)
		l->name -= width_of(l->columns[i]);
	if (l->name < 1)
		l->name = width;
	if (l->name > NAME_WIDE && l->name > names_width(v))
		l->name = names_width(v);
}

/* Marked if it is the sort column's. */
static void draw_heading(struct cells *c, int line, int at, struct top_view *v, unsigned int column)
{
	const bool sorted = column == v->order[v->total];
	const char *heading = top_column_at(column)->heading;
	/* a blank before the mark, if it leaves one before the heading */
	const bool has_room = (int)strlen(heading) + 2 < width_of(column);
	char text[32];

	snprintf(text, sizeof(text), "%s%s%s", heading, sorted && has_room ? " " : "",
		 sorted ? v->ascending ? "^" : "v" : "");
	cells_put_right(c, line, at, width_of(column), sorted ? CELL_SORTED : CELL_HEADING, text);
	v->headings[v->nr_headings++] = (struct top_heading){at, at + width_of(column), column};
}

static void draw_headings(struct cells *c, int line, struct top_view *v, const struct layout *l)
{
	int at = l->name;

	v->heading_line = line;
	v->nr_headings = 0;
	cells_put_left(c, line, 0, c->columns, CELL_HEADING, "");
	cells_put_left(c, line, 0, l->name, CELL_HEADING, grouping_name(v));
	for (unsigned int i = 0; i < l->nr; at += width_of(l->columns[i++]))
		draw_heading(c, line, at, v, l->columns[i]);
	if (l->spark)
		cells_put_left(c, line, at + 1, RECENT_MOMENTS, CELL_HEADING, "Live over time");
}

static enum cell_style style_of(const struct column *c, uint64_t v, enum cell_style normal)
{
	if (c != top_column_at(top_column_find("suspect")))
		return normal;
	switch (suspect_role(v)) {
	case ROLE_ALARM:
		return CELL_ALARM;
	case ROLE_CAUTION:
		return CELL_CAUTION;
	default:
		return normal;
	}
}

static void draw_row(struct cells *c, int line, const struct top_row *row, const struct layout *l,
		     enum cell_style style, bool utf8)
{
	struct strbuf spark = STRBUF_INIT;
	char text[UNITS_BUF];
	int at = l->name;

	cells_put_left(c, line, 0, l->name, style, row->name);
	for (unsigned int i = 0; i < l->nr; at += width_of(l->columns[i++])) {
		const struct column *column = top_column_at(l->columns[i]);
		const uint64_t v = row->values[l->columns[i]];

		cells_put_right(c, line, at, 1, style, " ");
		cells_put_right(c, line, at + 1, width_of(l->columns[i]) - 1,
				style_of(column, v, style),
				figure_text(text, sizeof(text), column, v));
	}
	if (l->spark) {
		sparkline(&spark, row->live, RECENT_MOMENTS, utf8);
		cells_put_left(c, line, at, RECENT_MOMENTS + 1, style, " ");
		cells_put(c, line, at + 1, RECENT_MOMENTS, style, spark.buf);
	}
	if (style == CELL_SELECTED)
		cells_style_line(c, line, style);
	strbuf_deinit(&spark);
}

static void draw_table(struct cells *c, int line, int nr, struct top_view *v,
		       const struct draw_options *o)
{
	const struct top_row *row;
	struct layout l;

	lay_out(&l, v, c->columns);
	draw_headings(c, line++, v, &l);
	v->page = nr > 1 ? (size_t)nr - 1 : 1;
	if (v->has_cursor && v->cursor >= v->first + v->page)
		v->first = v->cursor - v->page + 1;
	for (size_t i = v->first; i < v->first + v->page && (row = top_view_row(v, i)); i++)
		draw_row(c, line++, row, &l,
			 v->has_cursor && i == v->cursor ? CELL_SELECTED : CELL_NORMAL, o->utf8);
	if (!v->nr_rows && v->frame)
		put_line(c, line, CELL_DIM, "%s",
			 *v->filter ? "nothing here has that in its name" : "nothing happened");
}

/* ---- text: details and help ------------------------------------------------------------------ */

static void draw_text(struct cells *c, int line, int nr, struct top_view *v, const char *text)
{
	size_t at = 0;

	v->nr_lines = 0;
	for (const char *p = text; *p; p++)
		v->nr_lines += *p == '\n';
	v->page = nr > 0 ? (size_t)nr : 1;
	if (v->first_line + v->page > v->nr_lines)
		v->first_line = v->nr_lines > v->page ? v->nr_lines - v->page : 0;
	while (*text && nr > 0) {
		size_t len = strcspn(text, "\n");

		if (at++ >= v->first_line) {
			put_line(c, line++, CELL_NORMAL, "%.*s", (int)len, text);
			nr--;
		}
		text += len + (text[len] == '\n');
	}
}

static void draw_details(struct cells *c, int line, int nr, struct top_view *v)
{
	const struct top_frame *f = v->frame;

	if (f && f->details.len)
		draw_text(c, line, nr, v, f->details.buf);
	else
		put_line(c, line, CELL_DIM, "...");
}

/* ---- the last line --------------------------------------------------------------------------- */

/* In place of most of the keys, until rows are sorted by it. */
static bool advises_suspects(const struct top_view *v)
{
	return v->frame && v->frame->nr_suspects &&
	       v->order[v->total] != top_column_find("suspect");
}

static void draw_advice(struct cells *c, int line, uint64_t nr)
{
	put_line(c, line, CELL_ALARM,
		 "%" PRIu64 " row%s with high evidence: S sorts by that  ? help  q quit", nr,
		 nr == 1 ? " leaks or grows" : "s leak or grow");
}

static void draw_footer(struct cells *c, int line, const struct top_view *v)
{
	size_t shown = v->nr_rows, all = v->frame ? v->frame->rows_total : 0;
	char rows[64];

	snprintf(rows, sizeof(rows), "%zu of %zu rows", shown, all);
	if (*v->message) {
		put_line(c, line, CELL_TITLE, "%s", v->message);
		return;
	}
	switch (v->mode) {
	case TOP_TYPING:
		put_line(c, line, CELL_NORMAL, "filter: %s_   (enter: keep, escape: undo)",
			 v->filter);
		break;
	case TOP_DETAILS:
	case TOP_HELP:
		put_line(c, line, CELL_DIM, "escape: back  up, down: scroll  q: quit");
		break;
	case TOP_TABLE:
		if (*v->filter)
			put_line(c, line, CELL_DIM, "filter: %s  (%s; escape: all)  ? help  q quit",
				 v->filter, rows);
		else if (advises_suspects(v))
			draw_advice(c, line, v->frame->nr_suspects);
		else
			put_line(c, line, CELL_DIM,
				 "? help  s sort  g group  a slab/page  t total  / filter  enter "
				 "stacks  q quit");
		break;
	}
}

void top_draw(struct cells *c, struct top_view *v, const struct draw_options *o)
{
	bool full = c->lines >= LINES_FULL;
	int line = 0, nr;

	if (c->lines < 1 || c->columns < 1)
		return;
	draw_title(c, line++, v, o);
	if (v->frame && full && v->live_unknown) {
		draw_counted(c, line++, v->frame);
	} else if (v->frame && full) {
		draw_rates(c, line++, v->frame);
		draw_live(c, line++, v->frame, o);
	}
	if (v->frame && (full || v->frame->nr_lost) && c->lines > 2)
		draw_lost(c, line++, v->frame);
	if (v->frame && v->frame->sample_one_in > 1 && c->lines > line + 2)
		draw_sample(c, line++, v->frame);
	nr = c->lines - line - NR_FOOTER;
	if (nr < 1)
		return;
	if (v->mode == TOP_HELP)
		draw_text(c, line, nr, v, top_help);
	else if (v->mode == TOP_DETAILS)
		draw_details(c, line, nr, v);
	else
		draw_table(c, line, nr, v, o);
	draw_footer(c, c->lines - 1, v);
}
