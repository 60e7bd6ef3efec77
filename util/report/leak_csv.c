// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/csv.h"
#include "util/report/key_format.h"
#include "util/report/leak_column.h"
#include "util/report/leak_report.h"

static void write_names(FILE *out, const struct leak_rows *rows)
{
	const struct leak_column *column;

	csv_write_field(out, false, "allocator");
	for (unsigned int i = 0; i < rows->nr_by; i++)
		csv_write_field(out, true, kmem_key_name(rows->by[i]));
	for (size_t i = 0; (column = leak_column_at(i)); i++)
		if (column->json)
			csv_write_field(out, true, column->json);
	fputc('\n', out);
}

static void write_rows(FILE *out, const char *allocator, const struct leak_cell *c, uint64_t lines)
{
	const struct leak_rows *rows = c->rows;
	const struct leak_column *column;
	struct strbuf sb = STRBUF_INIT;

	for (size_t n = 0; n < rows->nr && n < lines; n++) {
		csv_write_field(out, false, allocator);
		for (unsigned int i = 0; i < rows->nr_by; i++) {
			strbuf_reset(&sb);
			key_format_exact(&sb, c->a, rows->by[i], rows->v[n].key[i]);
			csv_write_field(out, true, sb.buf);
		}
		for (size_t i = 0; (column = leak_column_at(i)); i++) {
			if (!column->json)
				continue;
			strbuf_reset(&sb);
			column->plain(&sb, c, &rows->v[n]);
			csv_write_field(out, true, sb.buf);
		}
		fputc('\n', out);
	}
	strbuf_deinit(&sb);
}

int leak_report_csv(FILE *out, const struct leak *l, const struct kmem_analysis *a,
		    const struct report_options *o, uint64_t lines)
{
	const struct leak_cell slab = {a, o, &l->slab}, page = {a, o, &l->page};

	if (a->accounts.slab) {
		write_names(out, &l->slab);
		write_rows(out, "slab", &slab, lines);
	}
	if (a->accounts.slab && a->accounts.page)
		fputc('\n', out);
	if (a->accounts.page) {
		write_names(out, &l->page);
		write_rows(out, "page", &page, lines);
	}
	return 0;
}
