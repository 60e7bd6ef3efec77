// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/render_csv.h"

#include <errno.h>

#include "util/render/csv.h"
#include "util/render/render_text.h"

struct csv_state {
	FILE *out;
	const struct document_section *section; /* the innermost that is open */
	bool *has_table;
	struct strbuf cell;
};

/* As people read it, but numbers as programs do; empty for what is not known. */
static void format_cell(struct strbuf *sb, const struct value *v)
{
	static const struct render_options plain = {.thousands_sep = ""};
	struct value copy = *v;

	copy.shown = NULL;
	copy.shown_decimals = v->decimals;
	if (v->kind == VALUE_CHANGE)
		copy.kind = VALUE_I64;
	else if (v->kind == VALUE_PERCENT)
		copy.kind = VALUE_REAL;
	if (v->kind != VALUE_NONE)
		render_text_value(sb, &plain, &copy);
}

static void write_row(struct csv_state *s, const struct document_table *t, const void *row)
{
	csv_write_field(s->out, false, s->section->id);
	for (size_t i = 0; i < t->nr_columns; i++) {
		struct value v;

		if (!t->columns[i].id)
			continue;
		v = t->columns[i].value(row, t->context);
		strbuf_reset(&s->cell);
		format_cell(&s->cell, &v);
		csv_write_field(s->out, true, s->cell.buf);
	}
	fputc('\n', s->out);
}

static void write_table(void *state, const struct document_table *t)
{
	struct csv_state *s = state;

	if (*s->has_table)
		fputc('\n', s->out);
	*s->has_table = true;
	csv_write_field(s->out, false, s->section->kind);
	for (size_t i = 0; i < t->nr_columns; i++)
		if (t->columns[i].id)
			csv_write_field(s->out, true, t->columns[i].id);
	fputc('\n', s->out);
	for (uint64_t i = 0; i < t->nr_rows; i++)
		write_row(s, t, document_table_row(t, i));
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

static void no_note(void *state, const char *text)
{
	(void)state, (void)text;
}

static void no_figure(void *state, const char *id, const struct value *v)
{
	(void)state, (void)id, (void)v;
}

int render_csv_section(FILE *out, const struct document_section *s, bool *has_table)
{
	static const struct render_ops ops = {
		.audience = FOR_PROGRAMS,
		.open = open_section,
		.note = no_note,
		.figure = no_figure,
		.table = write_table,
		.close = close_section,
	};
	struct csv_state state = {.out = out, .has_table = has_table, .cell = STRBUF_INIT};
	int ret;

	render_section(&ops, &state, s);
	ret = state.cell.failed ? -ENOMEM : 0;
	strbuf_deinit(&state.cell);
	return ret;
}
