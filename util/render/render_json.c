// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "json": the document is an object, a section an object or a list in it, a table an array
 * of objects, a row one line. Ids are the keys. Unknown values and missing sections are null.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/render/form.h"
#include "util/render/json.h"
#include "util/render/value_text.h"

struct json_state {
	struct json j;
	struct strbuf scratch, frame;
};

static void write_callsite(struct json *j, const char *key, const struct value_callsite *c)
{
	json_hex(j, key, c->address);
	json_string(j, "symbol", c->symbol);
	json_u64(j, "offset", c->offset);
	if (!c->bare)
		json_string(j, "module", c->module);
}

static void write_stack(struct json_state *s, const char *key, const struct value_stack *stack)
{
	json_open(&s->j, key, '[', true);
	for (size_t i = 0; i < stack->nr; i++) {
		const struct value_callsite c = stack->name(stack->naming, stack->frames[i]);

		strbuf_reset(&s->frame);
		value_add_callsite(&s->frame, &c, false);
		json_string(&s->j, NULL, s->frame.buf);
	}
	json_close(&s->j, ']');
}

static void write_string(void *ctx, const char *text)
{
	json_string(ctx, NULL, text);
}

static void write_strings(struct json *j, const char *key, const struct value_strings *s)
{
	json_open(j, key, '[', true);
	s->for_each(s, write_string, j);
	json_close(j, ']');
}

static void write_histogram(struct json *j, const char *key, const struct value_histogram *h)
{
	json_open(j, key, '{', true);
	for (unsigned int i = 0; h->source && i < VALUE_OCTAVES; i++) {
		uint64_t nr = h->count(h->source, i);
		char octave[16];

		snprintf(octave, sizeof(octave), "%u", i);
		if (nr)
			json_u64(j, octave, nr);
	}
	json_close(j, '}');
}

static void write_branches(struct json_state *s, const char *key, const struct value_tree *t,
			   size_t first, size_t nr)
{
	json_open(&s->j, key, '[', true);
	for (size_t i = first; i < first + nr; i++) {
		const struct value_branch *b = &t->branches[i];

		json_open(&s->j, NULL, '{', true);
		json_open(&s->j, "frames", '[', true);
		for (size_t n = 0; n < b->nr_items; n++)
			json_string(&s->j, NULL, t->name(t->naming, b->items[n], &s->frame));
		json_close(&s->j, ']');
		json_u64(&s->j, "period", b->weight);
		json_u64(&s->j, "samples", b->nr);
		if (b->nr_branches)
			write_branches(s, "branches", t, b->first, b->nr_branches);
		json_close(&s->j, '}');
	}
	json_close(&s->j, ']');
}

static void write_value(struct json_state *s, const char *key, const struct value *v)
{
	struct json *j = &s->j;

	if (json_plain_value(j, key, v))
		return;
	switch (v->kind) {
	case VALUE_TEXT:
		json_string(j, key, v->text);
		break;
	case VALUE_CALLSITE:
		write_callsite(j, key, &v->callsite);
		break;
	case VALUE_STACK:
		write_stack(s, key, &v->stack);
		break;
	case VALUE_STRINGS:
		write_strings(j, key, &v->strings);
		break;
	case VALUE_HISTOGRAM:
		write_histogram(j, key, &v->histogram);
		break;
	case VALUE_TREE:
		write_branches(s, key, &v->tree, v->tree.first, v->tree.nr_branches);
		break;
	default: /* absent */
		break;
	}
}

static void write_figure(void *state, const struct document_figure *f)
{
	write_value(state, f->id, &f->value);
}

static bool same_group(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void write_row(struct json_state *s, const struct document_table *t, const void *row)
{
	const char *group = NULL;

	json_open(&s->j, NULL, '{', true);
	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct document_column *c = &t->columns[i];
		struct value v;

		if (!(document_column_audience(c) & FOR_PROGRAMS))
			continue;
		if (!same_group(group, c->group)) {
			if (group)
				json_close(&s->j, '}');
			group = c->group;
			if (group)
				json_open(&s->j, group, '{', true);
		}
		v = document_table_value(t, c, row, &s->scratch);
		write_value(s, c->id, &v);
	}
	if (group)
		json_close(&s->j, '}');
	json_close(&s->j, '}');
}

static void write_table(void *state, const struct document_table *t)
{
	struct json_state *s = state;
	struct document_row_buf buf;

	if (t->total_id)
		json_u64(&s->j, t->total_id, t->rows_total);
	if (t->id)
		json_open(&s->j, t->id, '[', false);
	for (uint64_t i = 0; i < t->nr_rows; i++)
		write_row(s, t, document_table_row(t, i, &buf));
	if (t->id)
		json_close(&s->j, ']');
}

static void open_section(void *state, const struct document_section *section)
{
	struct json_state *s = state;
	const char *key = section->parent && section->parent->is_list ? NULL : section->id;

	if (section->is_missing)
		json_string(&s->j, key, NULL);
	else
		json_open(&s->j, key, section->is_list ? '[' : '{', section->is_compact);
}

static void close_section(void *state, const struct document_section *section)
{
	struct json_state *s = state;

	if (!section->is_missing)
		json_close(&s->j, section->is_list ? ']' : '}');
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	static const struct render_ops ops = {
		.audience = FOR_PROGRAMS,
		.open = open_section,
		.figure = write_figure,
		.table = write_table,
		.close = close_section,
	};
	struct json_state s = {.scratch = STRBUF_INIT, .frame = STRBUF_INIT};
	int ret;

	(void)o;
	json_init(&s.j, out);
	render_section(&ops, &s, &d->root);
	ret = json_finish(&s.j);
	if (s.scratch.failed || s.frame.failed)
		ret = -ENOMEM;
	strbuf_deinit(&s.scratch);
	strbuf_deinit(&s.frame);
	return ret;
}

const struct form form_json = {"json", FOR_PROGRAMS, 0, NULL, 0, NULL, render};
