// SPDX-License-Identifier: GPL-2.0-or-later
/* LOOK_PLAIN: columns at least as wide as given; headings of several lines. */
#include <stdlib.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/render/render_text.h"

#define GAP "  "

static bool is_shown(const struct document_column *c)
{
	return document_column_audience(c) & FOR_PEOPLE;
}

/* Format the cell in w->cell and return its width. A name is cut to the width of its column. */
static size_t format_cell(struct text_writer *w, const struct document_table *t, size_t column,
			  const void *row)
{
	const struct document_column *c = &t->columns[column];
	size_t width;

	if (row == t->sum && !column) {
		strbuf_reset(&w->cell);
		strbuf_addstr(&w->cell, t->sum_name);
	} else {
		text_cell(w, t, c, row);
	}
	width = utf8_count(w->cell.buf, w->cell.len);
	if (c->is_name && c->width && width > (size_t)c->width) {
		size_t at = 0;

		width = 0;
		while (width < (size_t)c->width - 2 || (w->cell.buf[at] & 0xc0) == 0x80)
			width += ((unsigned char)w->cell.buf[at++] & 0xc0) != 0x80;
		strbuf_setlen(&w->cell, at);
		strbuf_addstr(&w->cell, "..");
		width += 2;
	}
	return width;
}

static void widen(size_t *width, size_t to)
{
	if (*width < to)
		*width = to;
}

static void measure(struct text_writer *w, const struct document_table *t, size_t *widths)
{
	struct document_row_buf buf;

	for (size_t i = 0; i < t->nr_columns; i++) {
		if (!is_shown(&t->columns[i]))
			continue;
		widths[i] = (size_t)t->columns[i].width;
		for (uint64_t n = 0; n < t->nr_rows; n++)
			widen(&widths[i], format_cell(w, t, i, document_table_row(t, n, &buf)));
		if (t->sum)
			widen(&widths[i], format_cell(w, t, i, t->sum));
	}
}

/* The n-th line of a heading, counted from the bottom, or NULL if it has fewer. */
static const char *heading_line(const char *heading, unsigned int n, size_t *ret_len)
{
	size_t end = strlen(heading);

	for (;;) {
		size_t start = end;

		while (start && heading[start - 1] != '\n')
			start--;
		*ret_len = end - start;
		if (!n--)
			return heading + start;
		if (!start)
			return NULL;
		end = start - 1;
	}
}

static unsigned int heading_lines(const struct document_table *t)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < t->nr_columns; i++) {
		unsigned int lines = is_shown(&t->columns[i]);

		for (const char *p = t->columns[i].heading; lines && *p; p++)
			lines += *p == '\n';
		if (lines > nr)
			nr = lines;
	}
	return nr;
}

/*
 * Print the n-th line of all headings. A heading that is wider than its column extends to the left
 * over empty headings.
 */
static void print_heading(struct text_writer *w, const struct document_table *t,
			  const size_t *widths, unsigned int n)
{
	struct strbuf *line = &w->cell;
	size_t edge = 0; /* first the start of the column, then its end */

	strbuf_reset(line);
	for (size_t i = 0; i < t->nr_columns; i++) {
		size_t len = 0, start, least;
		const char *text;

		if (!is_shown(&t->columns[i]))
			continue;
		edge += edge ? strlen(GAP) : 0;
		text = heading_line(t->columns[i].heading, n, &len);
		start = edge;
		edge += widths[i];
		if (!text || !len)
			continue;
		if (!t->columns[i].is_name)
			start = len < edge ? edge - len : 0;
		least = line->len ? line->len + strlen(GAP) : 0;
		for (size_t at = line->len; at < (start > least ? start : least); at++)
			strbuf_addch(line, ' ');
		strbuf_add(line, text, len);
	}
	fprintf(w->out, "%s\n", line->buf);
}

static void print_rule(struct text_writer *w, const struct document_table *t, const size_t *widths)
{
	const char *gap = "";

	for (size_t i = 0; i < t->nr_columns; i++) {
		if (!is_shown(&t->columns[i]))
			continue;
		fputs(gap, w->out);
		for (size_t n = 0; n < widths[i]; n++)
			fputc('-', w->out);
		gap = GAP;
	}
	fputc('\n', w->out);
}

static void print_row(struct text_writer *w, const struct document_table *t, const size_t *widths,
		      const void *row)
{
	const char *gap = "";

	for (size_t i = 0; i < t->nr_columns; i++) {
		size_t blanks;

		if (!is_shown(&t->columns[i]))
			continue;
		blanks = widths[i] - format_cell(w, t, i, row);
		if (t->columns[i].is_name)
			fprintf(w->out, "%s%s%*s", gap, w->cell.buf, (int)blanks, "");
		else
			fprintf(w->out, "%s%*s%s", gap, (int)blanks, "", w->cell.buf);
		gap = GAP;
	}
	fputc('\n', w->out);
}

void text_plain_table(struct text_writer *w, const struct document_table *t)
{
	size_t *widths = calloc(t->nr_columns + 1, sizeof(*widths));
	struct document_row_buf buf;

	if (!widths) {
		w->failed = true;
		return;
	}
	measure(w, t, widths);
	fputc('\n', w->out);
	for (unsigned int n = heading_lines(t); n-- > 0;)
		print_heading(w, t, widths, n);
	print_rule(w, t, widths);
	for (uint64_t i = 0; i < t->nr_rows; i++)
		print_row(w, t, widths, document_table_row(t, i, &buf));
	if (t->nr_rows < t->rows_total)
		fputs("...\n", w->out);
	if (t->sum) {
		print_rule(w, t, widths);
		print_row(w, t, widths, t->sum);
	}
	free(widths);
}
