// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stock perf's tables: columns of fixed widths between rules, and a row of dots if there are more
 * rows. Cells wider than their column push the rest to the right.
 */
#include <string.h>

#include "util/base/printable.h"
#include "util/render/render_text.h"
#include "util/render/value_text.h"

static void print_rule(struct text_writer *w)
{
	for (int i = 0; i < TEXT_STOCK_WIDTH; i++)
		fputc('-', w->out);
	fputc('\n', w->out);
}

static void add_blanks(struct strbuf *line, size_t nr)
{
	static const char blanks[] = "                ";

	for (; nr >= sizeof(blanks); nr -= sizeof(blanks) - 1)
		strbuf_add(line, blanks, sizeof(blanks) - 1);
	strbuf_add(line, blanks, nr);
}

/*
 * Cells are separated by " | ", and the first is preceded by a blank. width: negative to align
 * left.
 */
static void add_cell(struct text_writer *w, size_t i, int width, const char *text, size_t len)
{
	size_t room = (size_t)(width < 0 ? -width : width);
	size_t blanks = len < room ? room - len : 0;

	strbuf_add(&w->line, i ? " | " : " ", i ? 3 : 1);
	if (width > 0)
		add_blanks(&w->line, blanks);
	strbuf_add(&w->line, text, len);
	if (width < 0)
		add_blanks(&w->line, blanks);
}

/* A table may have a million rows, so write each line in one call, without a lock. */
static void end_line(struct text_writer *w)
{
	strbuf_addch(&w->line, '\n');
	fwrite_unlocked(w->line.buf, 1, w->line.len, w->out);
	strbuf_reset(&w->line);
}

/* A mark that makes a heading too wide takes the blanks of the next ones. */
static void print_headings(struct text_writer *w, const struct document_table *t)
{
	int over = 0;

	for (size_t i = 0; i < t->nr_stock; i++) {
		const struct document_column *c = &t->stock[i];
		int room = c->width - over, width;

		strbuf_reset(&w->cell);
		strbuf_addf(&w->cell, "%s%s", c->heading, sort_mark(w->options, t, c));
		width = (int)utf8_count(w->cell.buf, w->cell.len);
		over = width > room ? width - room : 0;
		add_cell(w, i, 0, w->cell.buf, w->cell.len);
		if (i + 1 < t->nr_stock && width < room)
			add_blanks(&w->line, (size_t)(room - width));
	}
	end_line(w);
}

static void print_dots(struct text_writer *w, const struct document_table *t)
{
	for (size_t i = 0; i < t->nr_stock; i++) {
		int width = t->stock[i].dots_width;

		if (!width && i + 1 < t->nr_stock)
			width = t->stock[i].width;
		add_cell(w, i, -width, "...", 3);
	}
	end_line(w);
}

static void print_row(struct text_writer *w, const struct document_table *t, const void *row)
{
	for (size_t i = 0; i < t->nr_stock; i++) {
		const struct document_column *c = &t->stock[i];
		int width = c->is_name ? -c->width : c->width;

		if (c->is_name && i + 1 == t->nr_stock)
			width = 0;
		text_cell(w, t, c, row);
		add_cell(w, i, width, w->cell.buf, w->cell.len);
	}
	end_line(w);
}

void text_stock_table(struct text_writer *w, const struct document_table *t)
{
	struct document_row_buf buf;

	print_rule(w);
	print_headings(w, t);
	print_rule(w);
	for (uint64_t i = 0; i < t->nr_rows; i++)
		print_row(w, t, document_table_row(t, i, &buf));
	if (t->nr_rows < t->rows_total)
		print_dots(w, t);
	print_rule(w);
}
