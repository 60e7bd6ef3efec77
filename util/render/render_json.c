// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/render_json.h"

#include "util/render/render.h"

static void write_callsite(struct json *j, const char *key, const struct value_callsite *c)
{
	json_hex(j, key, c->address);
	json_string(j, "symbol", c->symbol);
	json_u64(j, "offset", c->offset);
	json_string(j, "module", c->module);
}

static void write_value(void *state, const char *key, const struct value *v)
{
	struct json *j = state;

	switch (v->kind) {
	case VALUE_NONE:
		json_string(j, key, NULL);
		break;
	case VALUE_U64:
		json_u64(j, key, v->u64);
		break;
	case VALUE_I64:
	case VALUE_CHANGE:
		json_i64(j, key, v->i64);
		break;
	case VALUE_REAL:
	case VALUE_PERCENT:
		json_double(j, key, v->real, v->decimals);
		break;
	case VALUE_BOOL:
		json_bool(j, key, v->yes);
		break;
	case VALUE_TEXT:
		json_string(j, key, v->text);
		break;
	case VALUE_CALLSITE:
		write_callsite(j, key, &v->callsite);
		break;
	}
}

static void write_table(void *state, const struct document_table *t)
{
	struct json *j = state;

	if (t->total_id)
		json_u64(j, t->total_id, t->rows_total);
	json_open(j, t->id, '[', false);
	for (uint64_t i = 0; i < t->nr_rows; i++) {
		const void *row = document_table_row(t, i);

		json_open(j, NULL, '{', true);
		for (size_t c = 0; c < t->nr_columns; c++) {
			const struct document_column *column = &t->columns[c];
			struct value v;

			if (!column->id)
				continue;
			v = column->value(row, t->context);
			write_value(j, column->id, &v);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void open_object(void *state, const struct document_section *s)
{
	if (s->is_missing)
		json_string(state, s->id, NULL);
	else
		json_open(state, s->id, '{', false);
}

static void close_object(void *state, const struct document_section *s)
{
	if (!s->is_missing)
		json_close(state, '}');
}

static void no_note(void *state, const char *text)
{
	(void)state, (void)text;
}

void render_json_section(struct json *j, const struct document_section *s)
{
	static const struct render_ops ops = {
		.audience = FOR_PROGRAMS,
		.open = open_object,
		.note = no_note,
		.figure = write_value,
		.table = write_table,
		.close = close_object,
	};

	render_section(&ops, j, s);
}
