// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/report/cell.h"

bool text_table_is_stock(const struct text_context *t, const struct report_table *table)
{
	const struct report_options *o = t->o;

	return table->options->stock && !o->fields.nr && !o->human && !o->lifetimes &&
	       (o->stock_style || !o->columns || o->columns >= TEXT_RULE_WIDTH);
}

static void print_rule(const struct text_context *t)
{
	for (int i = 0; i < TEXT_RULE_WIDTH; i++)
		fputc('-', t->out);
	fputc('\n', t->out);
}

/* Every cell but the first is set off by " | "; the first by a blank. */
static void print_cell(const struct text_context *t, size_t i, int width, const char *text)
{
	fprintf(t->out, "%s%*s", i ? " | " : " ", width, text);
}

static void print_headings(const struct text_context *t, const struct text_column *columns,
			   size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		print_cell(t, i, i + 1 < nr ? -columns[i].width : 0, columns[i].heading);
	fputc('\n', t->out);
}

static void print_dots(const struct text_context *t, const struct text_column *columns, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		int width = columns[i].dots_width;

		if (!width && i + 1 < nr)
			width = columns[i].width;
		print_cell(t, i, -width, "...");
	}
	fputc('\n', t->out);
}

static void print_row(struct text_context *t, const struct text_column *columns, size_t nr,
		      const struct row_view *row)
{
	for (size_t i = 0; i < nr; i++) {
		int width = columns[i].right ? columns[i].width : -columns[i].width;

		strbuf_reset(&t->line);
		columns[i].cell(t, row, &t->line);
		print_cell(t, i, i + 1 < nr || columns[i].right ? width : 0, t->line.buf);
	}
	fputc('\n', t->out);
}

int text_table_print(struct text_context *t, const struct text_column *columns, size_t nr_columns,
		     const struct stat_table *table, const struct table_options *options)
{
	struct sorted_rows rows;
	struct row_view row;

	if (sorted_rows_init(&rows, table, &options->sort, t->o->live, options->lines))
		return -ENOMEM;
	print_rule(t);
	print_headings(t, columns, nr_columns);
	print_rule(t);
	for (uint64_t n = 0; sorted_rows_get(&rows, n, &row); n++)
		print_row(t, columns, nr_columns, &row);
	if (rows.total > options->lines)
		print_dots(t, columns, nr_columns);
	print_rule(t);
	sorted_rows_deinit(&rows);
	return 0;
}

void text_peak_print(struct text_context *t, enum allocator allocator)
{
	const struct live_peak *peak = report_peak(t->a, allocator);
	const struct source_span span = source_facts_span(t->a->recording);
	uint64_t after_ns = peak->time_ns > span.start_ns ? peak->time_ns - span.start_ns : 0;

	if (!t->o->peak || !peak->event)
		return;
	strbuf_reset(&t->line);
	strbuf_addstr(&t->line, "Most live bytes: ");
	cell_add_grouped(&t->line, t->o, peak->bytes);
	fprintf(t->out, "%s, at %" PRIu64 ".%09" PRIu64 " s (", t->line.buf,
		peak->time_ns / 1000000000, peak->time_ns % 1000000000);
	strbuf_reset(&t->line);
	cell_add_duration(&t->line, after_ns);
	fprintf(t->out, "%s after the start)\n", t->line.buf);
}
