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
