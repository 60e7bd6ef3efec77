// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CSV (RFC 4180, but lines end with a newline alone, as Unix tools expect): each table has a
 * line of column names and its rows; an empty line stands between tables.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/report/cell.h"
#include "util/report/csv.h"
#include "util/report/report.h"
#include "util/report/sort.h"

/* A number of ours: a node may be -1. */
static bool is_number(const char *text)
{
	text += *text == '-';
	text += strspn(text, "0123456789");
	if (*text == '.')
		text += 1 + strspn(text + 1, "0123456789");
	return !*text;
}

/* A spreadsheet takes such a cell for a formula, and runs it. */
static bool is_formula(const char *text)
{
	return *text && strchr("=+-@", *text) && !is_number(text);
}

static void write_quoted(FILE *out, const char *text)
{
	while (*text) {
		uint32_t c = 0;
		size_t n = utf8_decode(text, &c);

		if (c == '"')
			fputc('"', out);
		if (n && printable_char(c))
			fwrite(text, 1, n, out);
		else
			fputc('?', out);
		text += n ? n : 1;
	}
}

static bool is_plain(const char *text)
{
	while (*text >= ' ' && *text < 0x7f && *text != '"' && *text != ',')
		text++;
	return !*text;
}

void csv_write_field(FILE *out, bool comma, const char *text)
{
	bool formula = is_formula(text);

	if (comma)
		fputc(',', out);
	if (!formula && is_plain(text)) {
		fputs(text, out);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	write_quoted(out, text);
	fputc('"', out);
}

static int write_table(FILE *out, const struct kmem_analysis *a, const struct report_options *o,
		       const struct report_table *t)
{
	struct strbuf text = STRBUF_INIT;
	struct column_list columns;
	struct sorted_rows rows;
	struct row_view row;

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
	strbuf_deinit(&text);
	sorted_rows_deinit(&rows);
	return 0;
}

int report_csv(FILE *out, const struct kmem_analysis *a, const struct report_options *o)
{
	struct report_table t;
	int ret = 0;

	for (unsigned int i = 0; !ret && report_table_at(a, o, i, &t); i++) {
		if (i)
			fputs("\n", out);
		ret = write_table(out, a, o, &t);
	}
	return ret;
}
