// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/text_table.h"

#include "util/render/value_text.h"

const char *text_cell(struct text_writer *w, const struct document_table *t,
		      const struct document_column *column, const void *row)
{
	struct value v = document_table_value(t, column, row, &w->scratch);

	strbuf_reset(&w->cell);
	value_add_text(&w->cell, w->options, &v);
	return w->cell.buf;
}

void text_legend_table(struct text_writer *w, const struct document_table *t)
{
	struct document_row_buf buf;

	for (uint64_t i = 0; i < t->nr_rows; i++) {
		const char *between = "# ";

		for (size_t c = 0; c < t->nr_columns; c++) {
			const struct document_column *column = &t->columns[c];

			if (!(document_column_audience(column) & FOR_PEOPLE))
				continue;
			text_cell(w, t, column, document_table_row(t, i, &buf));
			fprintf(w->out, "%s%*s", between, column->is_name ? 0 : column->width,
				w->cell.buf);
			between = ": ";
		}
		fputc('\n', w->out);
	}
}
