// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stock perf's tables: columns of fixed widths between rules, a row of dots when there are more
 * rows.  Cells that are wider than their column push the rest.
 */
#include "util/render/text_table.h"

static void print_rule(struct text_writer *w)
{
	for (int i = 0; i < TEXT_STOCK_WIDTH; i++)
		fputc('-', w->out);
	fputc('\n', w->out);
}

/* Every cell but the first is set off by " | "; the first by a blank. */
static void print_cell(struct text_writer *w, size_t i, int width, const char *text)
{
	fprintf(w->out, "%s%*s", i ? " | " : " ", width, text);
}

static void print_headings(struct text_writer *w, const struct document_table *t)
{
	for (size_t i = 0; i < t->nr_stock; i++)
		print_cell(w, i, i + 1 < t->nr_stock ? -t->stock[i].width : 0, t->stock[i].heading);
	fputc('\n', w->out);
}

static void print_dots(struct text_writer *w, const struct document_table *t)
{
	for (size_t i = 0; i < t->nr_stock; i++) {
		int width = t->stock[i].dots_width;

		if (!width && i + 1 < t->nr_stock)
			width = t->stock[i].width;
		print_cell(w, i, -width, "...");
	}
	fputc('\n', w->out);
}

static void print_row(struct text_writer *w, const struct document_table *t, const void *row)
{
	for (size_t i = 0; i < t->nr_stock; i++) {
		const struct document_column *c = &t->stock[i];
		int width = c->is_name ? -c->width : c->width;

		if (c->is_name && i + 1 == t->nr_stock)
			width = 0;
		print_cell(w, i, width, text_cell(w, t, c, row));
	}
	fputc('\n', w->out);
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
