// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "csv": the tables of a document (RFC 4180, except that lines end with a newline alone,
 * as Unix tools expect).  A line of column ids, then the rows; an empty line separates two tables.
 * The first column is the id of the section that the table is in; its heading says what such
 * sections are.
 */
#include <errno.h>

#include "util/render/csv.h"
#include "util/render/form.h"
#include "util/render/value_text.h"

struct csv_state {
	FILE *out;
	const struct document_section *section; /* the innermost open section */
	bool has_table;
	struct strbuf cell, scratch;
};

static bool is_field(const struct document_column *c)
{
	return document_column_audience(c) & FOR_SHEETS;
}

static void write_name(struct csv_state *s, const struct document_column *c)
{
	strbuf_reset(&s->cell);
	if (c->group)
		strbuf_addf(&s->cell, "%s_", c->group);
	strbuf_addstr(&s->cell, c->id);
	csv_write_field(s->out, true, s->cell.buf);
}

static void write_row(struct csv_state *s, const struct document_table *t, const char *section,
		      const void *row)
{
	csv_write_field(s->out, false, section);
	for (size_t i = 0; i < t->nr_columns; i++) {
		struct value v;

		if (!is_field(&t->columns[i]))
			continue;
		v = document_table_value(t, &t->columns[i], row, &s->scratch);
		strbuf_reset(&s->cell);
		value_add_plain(&s->cell, &v);
		csv_write_field(s->out, true, s->cell.buf);
	}
	fputc('\n', s->out);
}

/* The section that a table's rows name: the nearest one that says of what kind it is, else any. */
static const struct document_section *named_section(const struct document_section *innermost)
{
	const struct document_section *section = innermost, *named = innermost;

	while (!section->kind && section->parent) {
		section = section->parent;
		if (!named->id)
			named = section;
	}
	return section->kind ? section : named;
}

static void write_table(void *state, const struct document_table *t)
{
	struct csv_state *s = state;
	const struct document_section *section = named_section(s->section);
	struct document_row_buf buf;

	if (s->has_table)
		fputc('\n', s->out);
	s->has_table = true;
	csv_write_field(s->out, false, section->kind ? section->kind : "report");
	for (size_t i = 0; i < t->nr_columns; i++)
		if (is_field(&t->columns[i]))
			write_name(s, &t->columns[i]);
	fputc('\n', s->out);
	for (uint64_t i = 0; i < t->nr_rows; i++)
		write_row(s, t, section->id ? section->id : "", document_table_row(t, i, &buf));
}

static void open_section(void *state, const struct document_section *section)
{
	struct csv_state *s = state;

	s->section = section;
}

static void close_section(void *state, const struct document_section *section)
{
	struct csv_state *s = state;

	s->section = section->parent;
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	static const struct render_ops ops = {
		.audience = FOR_SHEETS,
		.open = open_section,
		.table = write_table,
		.close = close_section,
	};
	struct csv_state s = {.out = out, .cell = STRBUF_INIT, .scratch = STRBUF_INIT};
	int ret;

	(void)o;
	render_section(&ops, &s, &d->root);
	ret = s.cell.failed || s.scratch.failed ? -ENOMEM : 0;
	strbuf_deinit(&s.cell);
	strbuf_deinit(&s.scratch);
	return ret;
}

const struct form form_csv = {"csv", FOR_SHEETS, HAS_TABLES, "tables", 0, NULL, render};
