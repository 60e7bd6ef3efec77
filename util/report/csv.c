// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CSV (RFC 4180, but lines end with a newline alone, as Unix tools expect): each table has a
 * line of column names and its rows; an empty line stands between tables.
 */
#include <errno.h>
#include <inttypes.h>

#include "util/render/csv.h"
#include "util/render/form.h"
#include "util/report/cell.h"
#include "util/report/internals.h"
#include "util/report/report.h"
#include "util/report/sort.h"

static int write_table(FILE *out, const struct kmem_analysis *a, const struct report_options *o,
		       const struct report_table *t)
{
	struct strbuf text = STRBUF_INIT;
	struct column_list columns;
	struct sorted_rows rows;
	struct row_view row;
	int ret;

	if (sorted_rows_init(&rows, t->table, &t->options->sort, o->live, t->options->lines))
		return -ENOMEM;
	report_table_columns(t, o, &columns);
	csv_write_field(out, false, "allocator");
	for (unsigned int i = 0; i < columns.nr; i++)
		csv_write_field(out, true, columns.v[i]->json);
	fputs(o->peak ? ",peak_ns\n" : "\n", out);
	for (uint64_t n = 0; sorted_rows_get(&rows, n, &row); n++) {
		fputs(t->allocator == ALLOCATOR_SLAB ? "slab" : "page", out);
		for (unsigned int i = 0; i < columns.nr; i++) {
			strbuf_reset(&text);
			cell_plain(&text, a, columns.v[i], &row);
			csv_write_field(out, true, text.buf);
		}
		if (o->peak)
			fprintf(out, ",%" PRIu64, report_peak(a, t->allocator)->time_ns);
		fputs("\n", out);
	}
	ret = text.failed ? -ENOMEM : 0;
	strbuf_deinit(&text);
	sorted_rows_deinit(&rows);
	return ret;
}

static bool has_table(const struct document_section *s)
{
	for (size_t i = 0; i < s->nr_items; i++)
		if (s->items[i].kind == DOCUMENT_TABLE ||
		    (s->items[i].kind == DOCUMENT_SECTION && has_table(s->items[i].section)))
			return true;
	return false;
}

int report_csv(FILE *out, const struct kmem_analysis *a, const struct report_options *o)
{
	struct report_table t;
	struct document d;
	bool any = false;
	int ret = 0;

	for (unsigned int i = 0; !ret && report_table_at(a, o, i, &t); i++) {
		if (any)
			fputs("\n", out);
		ret = write_table(out, a, o, &t);
		any = true;
	}
	document_init(&d, form_csv.audience);
	report_internals(&d.root, a, o);
	if (!ret && document_failed(&d))
		ret = -ENOMEM;
	if (!ret && any && has_table(&d.root))
		fputs("\n", out);
	if (!ret)
		ret = form_csv.render(out, &(struct render_options){.thousands_sep = ""}, &d);
	document_deinit(&d);
	return ret;
}
