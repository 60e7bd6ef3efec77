// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "json": the document is an object, a section an object or a list in it, a table an array
 * of objects, a row one line. Ids are the keys. Unknown values and missing sections are null.
 *
 * The form "jsonl": each row of a table, and the figures of each section, is a line of its own, an
 * object that also says which machine and report it is from. Files of many machines can be
 * concatenated.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/base/array.h"
#include "util/render/form.h"
#include "util/render/identity.h"
#include "util/render/json.h"
#include "util/render/value_text.h"

struct json_state {
	struct json j;
	struct strbuf scratch, frame;
	/* lines only: */
	FILE *out;
	const struct document_section *root, *section; /* the outermost and the innermost */
	const struct document_section *main;	       /* has the figures of the report's machine */
	struct identity identity;
	bool failed;
};

/* The name of a function has suffixes that depend on the compiler. Builds can be compared by the
 * name without them. */
static void write_function(struct json_state *s, const char *symbol)
{
	strbuf_reset(&s->frame);
	if (symbol)
		strbuf_add(&s->frame, symbol, symbol_bare_length(symbol));
	json_string(&s->j, "function", symbol ? s->frame.buf : NULL);
}

static void write_callsite(struct json_state *s, const char *key, const struct value_callsite *c)
{
	json_hex(&s->j, key, c->address);
	json_string(&s->j, "symbol", c->symbol);
	json_u64(&s->j, "offset", c->offset);
	if (!c->bare)
		json_string(&s->j, "module", c->module);
	if (s->out)
		write_function(s, c->symbol);
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
		write_callsite(s, key, &v->callsite);
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

static void write_columns(struct json_state *s, const struct document_table *t, const void *row)
{
	const char *group = NULL;

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
}

static void write_row(struct json_state *s, const struct document_table *t, const void *row)
{
	json_open(&s->j, NULL, '{', true);
	write_columns(s, t, row);
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

/* ---- lines ----------------------------------------------------------------------------------- */

/* The figure of an item; NULL if it is something else, or not for this form. */
static const struct document_figure *figure_of(const struct document_item *item)
{
	return item->kind == DOCUMENT_FIGURE && item->audience & FOR_PROGRAMS && item->figure.id
		       ? &item->figure
		       : NULL;
}

static bool is_identity(const struct identity *identity, const struct document_figure *f)
{
	for (size_t i = 0; i < IDENTITY_NR; i++)
		if (identity->v[i] == f)
			return true;
	return false;
}

static bool is_element(const struct document_section *s)
{
	return s->parent && s->parent->is_list;
}

/* Where JSON has the line's object: "slab.tables.rows". The root has no id. */
static void add_path(struct strbuf *sb, const struct document_section *s)
{
	if (s->parent)
		add_path(sb, s->parent);
	if (s->id && !is_element(s))
		strbuf_addf(sb, "%s%s", sb->len ? "." : "", s->id);
}

/* id: of the table; NULL if it has none. */
static void begin_line(struct json_state *s, const char *id)
{
	json_init(&s->j, s->out);
	json_open(&s->j, NULL, '{', true);
	write_figure(s, identity_figure(s->root, "format_version", FOR_PROGRAMS));
	for (size_t i = 0; i < IDENTITY_NR; i++) {
		if (s->identity.v[i])
			write_figure(s, s->identity.v[i]);
		else
			json_string(&s->j, identity_ids[i], NULL);
	}
	strbuf_reset(&s->frame);
	add_path(&s->frame, s->section);
	if (id)
		strbuf_addf(&s->frame, "%s%s", s->frame.len ? "." : "", id);
	json_string(&s->j, "table", s->frame.buf);
}

static void end_line(struct json_state *s)
{
	json_close(&s->j, '}');
	s->failed |= json_finish(&s->j) != 0;
}

/* Write the section's figures except those of the identity, which are in each line. Write them in a
 * line of their own unless one has begun. */
static void write_figures(struct json_state *s, const struct document_section *section, bool begun)
{
	const bool is_own = !begun;

	for (size_t i = 0; i < section->nr_items; i++) {
		const struct document_figure *f = figure_of(&section->items[i]);

		if (!f || is_identity(&s->identity, f))
			continue;
		if (!begun)
			begin_line(s, NULL);
		begun = true;
		write_figure(s, f);
	}
	if (is_own && begun)
		end_line(s);
}

static void write_lines(void *state, const struct document_table *t)
{
	struct json_state *s = state;
	struct document_row_buf buf;

	for (uint64_t i = 0; i < t->nr_rows; i++) {
		begin_line(s, t->id);
		if (is_element(s->section))
			write_figures(s, s->section, true);
		write_columns(s, t, document_table_row(t, i, &buf));
		end_line(s);
	}
}

static void enter(void *state, const struct document_section *section)
{
	struct json_state *s = state;

	s->section = section;
	if (identity_is_in(section, FOR_PROGRAMS))
		identity_take(&s->identity, s->root, section, FOR_PROGRAMS);
	if (section->parent && !is_element(section))
		write_figures(s, section, false);
}

static void leave(void *state, const struct document_section *section)
{
	struct json_state *s = state;

	s->section = section->parent;
	if (s->identity.section == section)
		identity_take(&s->identity, s->root, s->main, FOR_PROGRAMS);
}

static int render_lines(FILE *out, const struct render_options *o, const struct document *d)
{
	static const struct render_ops ops = {
		.audience = FOR_PROGRAMS,
		.open = enter,
		.table = write_lines,
		.close = leave,
	};
	struct json_state s = {.scratch = STRBUF_INIT, .frame = STRBUF_INIT, .out = out};
	int ret;

	(void)o;
	s.root = &d->root;
	s.main = identity_find(s.root, FOR_PROGRAMS);
	identity_take(&s.identity, s.root, s.main, FOR_PROGRAMS);
	render_section(&ops, &s, &d->root);
	ret = s.failed || s.scratch.failed || s.frame.failed ? -ENOMEM : 0;
	strbuf_deinit(&s.scratch);
	strbuf_deinit(&s.frame);
	return ret;
}

const struct form form_jsonl = {.name = "jsonl",
				.audience = FOR_PROGRAMS,
				.needs = HAS_TABLES,
				.lacks = "tables",
				.render = render_lines};
