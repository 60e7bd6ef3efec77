// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form "csv": one table of a document, as a line of column ids and the rows.
 *
 * The format is RFC 4180, except that lines end with a newline alone, as Unix tools expect. A file
 * has one table. The first column is the id of the row's section, and its heading is the kind of
 * these sections. Tables of different sections with the same columns are joined. A table is named
 * SECTION.ID, or SECTION.KEY,KEY if it has no id. If its rows are from several sections, the name
 * has no SECTION. If the rows will be collected from many reports, they end with its identity.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/render/csv.h"
#include "util/render/form.h"
#include "util/render/identity.h"
#include "util/render/value_text.h"

/* A table of the document. Those with the same `first` are joined into one CSV table. */
struct csv_part {
	const struct document_table *table;
	const struct document_section *section; /* the section named in its rows */
	size_t first;				/* its own index, or that of an earlier part */
	bool is_shared;				/* set in the first part if others follow */
	char *name;				/* set in the first part; owned */
};

struct csv_parts {
	struct csv_part *v;
	size_t nr;
	const struct document_section *section; /* the innermost open section */
	bool failed;
};

struct csv_state {
	FILE *out;
	struct strbuf cell, scratch;
	bool has_identity;
	struct identity identity;
};

static bool is_field(const struct document_column *c)
{
	return document_column_audience(c) & FOR_SHEETS;
}

/* ---- the list of tables ---------------------------------------------------------------------- */

/* The section that a table's rows name: the nearest one with a kind, else the nearest with an
 * id. */
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

static const char *kind_of(const struct document_section *s)
{
	return s->kind ? s->kind : "report";
}

static void add_column_name(struct strbuf *sb, const struct document_column *c)
{
	if (c->group)
		strbuf_addf(sb, "%s_", c->group);
	strbuf_addstr(sb, c->id);
}

/* Whether both have the same line of column ids. */
static bool same_columns(struct csv_parts *p, const struct csv_part *a, const struct csv_part *b)
{
	const struct csv_part *parts[] = {a, b};
	struct strbuf names[] = {STRBUF_INIT, STRBUF_INIT};
	bool same;

	for (int i = 0; i < 2; i++) {
		strbuf_addstr(&names[i], kind_of(parts[i]->section));
		for (size_t c = 0; c < parts[i]->table->nr_columns; c++) {
			if (!is_field(&parts[i]->table->columns[c]))
				continue;
			strbuf_addch(&names[i], ',');
			add_column_name(&names[i], &parts[i]->table->columns[c]);
		}
	}
	p->failed |= names[0].failed || names[1].failed;
	same = !p->failed && !strcmp(names[0].buf, names[1].buf);
	strbuf_deinit(&names[0]);
	strbuf_deinit(&names[1]);
	return same;
}

static bool same_id(const struct document_section *a, const struct document_section *b)
{
	return a->id && b->id ? !strcmp(a->id, b->id) : !a->id && !b->id;
}

/* The first part of the CSV table that this part belongs to. */
static size_t find_first(struct csv_parts *p, const struct csv_part *part)
{
	for (size_t i = 0; i < p->nr; i++) {
		bool fits = p->v[i].first == i && same_columns(p, &p->v[i], part);

		/* the first column could not distinguish rows of sections with the same id */
		for (size_t j = i; j < p->nr && fits; j++)
			fits = p->v[j].first != i || !same_id(p->v[j].section, part->section);
		if (fits)
			return i;
	}
	return p->nr;
}

static void take_table(void *state, const struct document_table *t)
{
	struct csv_parts *p = state;
	struct csv_part *v = reallocarray(p->v, p->nr + 1, sizeof(*v)), part = {.table = t};

	if (!v) {
		p->failed = true;
		return;
	}
	p->v = v;
	part.section = named_section(p->section);
	part.first = find_first(p, &part);
	p->v[p->nr++] = part;
	if (part.first + 1 < p->nr)
		p->v[part.first].is_shared = true;
}

static void open_section(void *state, const struct document_section *section)
{
	((struct csv_parts *)state)->section = section;
}

static void close_section(void *state, const struct document_section *section)
{
	((struct csv_parts *)state)->section = section->parent;
}

static bool is_taken(const struct csv_parts *p, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (p->v[i].name && !strcmp(p->v[i].name, name))
			return true;
	return false;
}

/* Names become file names. Names of events come from a recording and can contain any character. */
static void make_file_name(char *name)
{
	for (char *c = name; *c; c++)
		if (*c == '/' || *c == '\\' || *c <= ' ' || *c == 0x7f || (c == name && *c == '.'))
			*c = '_';
}

static void add_keys(struct strbuf *sb, const struct document_table *t)
{
	const char *separator = sb->len ? "." : "";

	for (size_t c = 0; c < t->nr_columns; c++) {
		if (!is_field(&t->columns[c]) || !t->columns[c].is_key)
			continue;
		strbuf_addstr(sb, separator);
		add_column_name(sb, &t->columns[c]);
		separator = ",";
	}
}

static char *name_of(const struct csv_parts *p, size_t at)
{
	const struct csv_part *part = &p->v[at];
	const char *id = part->table->id;
	struct strbuf sb = STRBUF_INIT;
	size_t len;

	if (!part->is_shared && part->section->id)
		strbuf_addstr(&sb, part->section->id);
	if (id && strcmp(id, "rows") != 0)
		strbuf_addf(&sb, "%s%s", sb.len ? "." : "", id);
	else
		add_keys(&sb, part->table);
	if (!sb.len)
		strbuf_addstr(&sb, kind_of(part->section));
	len = sb.len;
	for (unsigned int i = 2; !sb.failed && is_taken(p, at, sb.buf); i++) {
		strbuf_setlen(&sb, len);
		strbuf_addf(&sb, "-%u", i);
	}
	if (!sb.failed)
		make_file_name(sb.buf);
	return strbuf_detach(&sb);
}

static void free_parts(struct csv_parts *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->v[i].name);
	free(p->v);
}

static int find_parts(struct csv_parts *p, const struct document *d)
{
	static const struct render_ops ops = {
		.audience = FOR_SHEETS,
		.open = open_section,
		.table = take_table,
		.close = close_section,
	};

	*p = (struct csv_parts){NULL};
	render_section(&ops, p, &d->root);
	for (size_t i = 0; i < p->nr && !p->failed; i++) {
		if (p->v[i].first != i)
			continue;
		p->v[i].name = name_of(p, i);
		p->failed = !p->v[i].name;
	}
	if (!p->failed)
		return 0;
	free_parts(p);
	return -ENOMEM;
}

/* "a, b" */
static void add_names(struct strbuf *sb, const struct csv_parts *p)
{
	const char *separator = "";

	for (size_t i = 0; i < p->nr; i++) {
		if (p->v[i].first != i)
			continue;
		strbuf_addf(sb, "%s%s", separator, p->v[i].name);
		separator = ", ";
	}
}

/* Whether the i-th part begins a table that is requested. */
static bool is_written(const struct csv_parts *p, size_t i, const struct render_tables *tables)
{
	if (p->v[i].first != i)
		return false;
	if (tables && tables->only)
		return !strcmp(tables->only, p->v[i].name);
	return (tables && tables->open) || !p->v[i].table->is_aside;
}

/* Check that a single file gets exactly one table. */
static int check(const struct render_options *o, const struct document *d, struct error *err)
{
	const char *only = o->tables ? o->tables->only : NULL;
	struct strbuf names = STRBUF_INIT;
	struct csv_parts p;
	size_t nr = 0, nr_tables = 0;
	int ret = find_parts(&p, d);

	if (ret)
		return error_nomem(err);
	for (size_t i = 0; i < p.nr; i++) {
		nr += is_written(&p, i, o->tables);
		nr_tables += p.v[i].first == i;
	}
	add_names(&names, &p);
	if (!p.nr)
		ret = error_set(err, EINVAL, "the report has no tables");
	else if (only && !nr)
		ret = error_set(err, EINVAL, "there is no table '%s' (%s)", only, names.buf);
	else if (!only && nr > 1 && !(o->tables && o->tables->open))
		ret = error_set(err, EINVAL,
				"csv has one table per file, and there are %zu: name a folder "
				"(-o FOLDER/) or one of them (--table): %s",
				nr_tables, names.buf);
	strbuf_deinit(&names);
	free_parts(&p);
	return ret;
}

/* ---- a table --------------------------------------------------------------------------------- */

static void write_value(struct csv_state *s, const struct value *v)
{
	strbuf_reset(&s->cell);
	value_add_plain(&s->cell, v);
	csv_write_field(s->out, true, s->cell.buf);
}

static void end_row(struct csv_state *s)
{
	static const struct value unknown = {.kind = VALUE_NONE};

	for (size_t i = 0; s->has_identity && i < IDENTITY_NR; i++)
		write_value(s, s->identity.v[i] ? &s->identity.v[i]->value : &unknown);
	fputc('\n', s->out);
}

static void write_row(struct csv_state *s, const struct csv_part *part, const void *row)
{
	const struct document_table *t = part->table;

	csv_write_field(s->out, false, part->section->id ? part->section->id : "");
	for (size_t i = 0; i < t->nr_columns; i++) {
		struct value v;

		if (!is_field(&t->columns[i]))
			continue;
		v = document_table_value(t, &t->columns[i], row, &s->scratch);
		write_value(s, &v);
	}
	end_row(s);
}

static void write_header(struct csv_state *s, const struct csv_part *part)
{
	csv_write_field(s->out, false, kind_of(part->section));
	for (size_t i = 0; i < part->table->nr_columns; i++) {
		if (!is_field(&part->table->columns[i]))
			continue;
		strbuf_reset(&s->cell);
		add_column_name(&s->cell, &part->table->columns[i]);
		csv_write_field(s->out, true, s->cell.buf);
	}
	for (size_t i = 0; s->has_identity && i < IDENTITY_NR; i++)
		csv_write_field(s->out, true, identity_ids[i]);
	fputc('\n', s->out);
}

static void write_table(struct csv_state *s, const struct csv_parts *p, size_t first)
{
	struct document_row_buf buf;

	write_header(s, &p->v[first]);
	for (size_t i = first; i < p->nr; i++)
		for (uint64_t r = 0; p->v[i].first == first && r < p->v[i].table->nr_rows; r++)
			write_row(s, &p->v[i], document_table_row(p->v[i].table, r, &buf));
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	const struct render_tables *tables = o->tables;
	struct csv_state s = {.out = out, .cell = STRBUF_INIT, .scratch = STRBUF_INIT};
	struct csv_parts p;
	int ret = find_parts(&p, d);

	if (ret)
		return ret;
	s.has_identity = tables && tables->has_identity;
	identity_take(&s.identity, &d->root, identity_find(&d->root, FOR_SHEETS), FOR_SHEETS);
	for (size_t i = 0; i < p.nr; i++) {
		if (!is_written(&p, i, tables))
			continue;
		if (tables && tables->open)
			s.out = tables->open(tables->ctx, p.v[i].name);
		if (s.out)
			write_table(&s, &p, i);
	}
	ret = s.cell.failed || s.scratch.failed ? -ENOMEM : 0;
	strbuf_deinit(&s.cell);
	strbuf_deinit(&s.scratch);
	free_parts(&p);
	return ret;
}

const struct form form_csv = {.name = "csv",
			      .audience = FOR_SHEETS,
			      .needs = HAS_TABLES,
			      .lacks = "tables",
			      .wants = WANTS_OVERVIEW,
			      .check = check,
			      .has_file_a_table = true,
			      .render = render};
