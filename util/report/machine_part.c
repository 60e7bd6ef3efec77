// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/machine_part.h"

#include <stdlib.h>
#include <string.h>

#include "util/report/sort.h"
#include "util/source/source_table.h"

/* Default number of lines of a long table, or of changes, in text. */
#define LINES_FOR_PEOPLE 15

enum { OLD, NEW, SIDES };

/* A row of one table, or of two tables with a row of the same name. */
struct machine_row {
	const char *name;
	uint64_t size; /* rows are sorted by this, largest first */
	uint64_t v[SIDES][SOURCE_TABLE_COLUMNS_MAX];
};

static const struct machine_row *row_of(const struct document_cell *cell)
{
	return cell->row;
}

static struct value name(const struct document_cell *cell)
{
	return value_text(row_of(cell)->name);
}

static bool is_bytes(const struct document_cell *cell)
{
	const struct source_table_kind *kind = cell->column->arg;

	return kind->columns[cell->column->index].is_bytes;
}

static struct value of_side(const struct document_cell *cell, int side)
{
	uint64_t v = row_of(cell)->v[side][cell->column->index];

	return is_bytes(cell) ? value_bytes(v) : value_u64(v);
}

static struct value now(const struct document_cell *cell)
{
	return of_side(cell, NEW);
}

static struct value before(const struct document_cell *cell)
{
	return of_side(cell, OLD);
}

static struct value change(const struct document_cell *cell)
{
	const struct machine_row *r = row_of(cell);
	unsigned int i = cell->column->index;
	int64_t by = (int64_t)(r->v[NEW][i] - r->v[OLD][i]);

	return is_bytes(cell) ? value_bytes_change(by) : value_change(by);
}

static int by_size(const void *x, const void *y)
{
	const struct machine_row *a = x, *b = y;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* ---- columns --------------------------------------------------------------------------------- */

static void add_column(struct document_columns *columns, const struct source_table_kind *kind,
		       unsigned int i, const char *id, const char *heading,
		       struct value (*value)(const struct document_cell *cell))
{
	document_columns_add(columns, &(struct document_column){.id = id,
								.heading = heading,
								.value = value,
								.arg = kind,
								.index = i,
								/* keep the first ones longest */
								.keep = 100 - i});
}

static void add_name(struct document_columns *columns, const struct source_table_kind *kind)
{
	document_columns_add(columns, &(struct document_column){.id = "name",
								.heading = kind->what,
								.is_name = true,
								.is_key = true,
								.value = name});
}

static struct document_columns columns_of(struct document *d, const struct source_table_kind *kind)
{
	struct document_columns columns;

	document_columns_init(&columns, d, kind->nr_columns + 1);
	add_name(&columns, kind);
	for (unsigned int i = 0; i < kind->nr_columns; i++)
		add_column(&columns, kind, i, kind->columns[i].id, kind->columns[i].heading, now);
	return columns;
}

/* The first column is shown with both sides and its change, the others only with their changes. */
static struct document_columns columns_of_changes(struct document *d,
						  const struct source_table_kind *kind)
{
	struct document_columns columns;
	unsigned int i = 0;

	document_columns_init(&columns, d, kind->nr_columns + 3);
	add_name(&columns, kind);
	if (!kind->is_matrix) {
		add_column(&columns, kind, 0, "old", "Old", before);
		add_column(&columns, kind, 0, "new", "New", now);
		add_column(&columns, kind, 0, "change", "Change", change);
		i++;
	}
	for (; i < kind->nr_columns; i++)
		add_column(&columns, kind, i, kind->columns[i].id, kind->columns[i].heading,
			   change);
	return columns;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void take_side(struct machine_row *r, int side, const struct source_table *t, uint32_t row)
{
	for (unsigned int i = 0; row != INTERN_NONE && i < t->kind->nr_columns; i++)
		r->v[side][i] = source_table_value(t, row, i);
}

static bool is_nothing(const struct machine_row *r, unsigned int nr_columns)
{
	for (unsigned int i = 0; i < nr_columns; i++)
		if (r->v[NEW][i])
			return false;
	return true;
}

static uint64_t distance(const struct machine_row *r, unsigned int i)
{
	return r->v[NEW][i] > r->v[OLD][i] ? r->v[NEW][i] - r->v[OLD][i]
					   : r->v[OLD][i] - r->v[NEW][i];
}

/* In text, rows that are all 0 are left out. */
static struct machine_row *rows_of(struct document *d, const struct source_table *t, size_t *ret_nr)
{
	const size_t all = source_table_rows(t);
	struct machine_row *v = document_own(d, calloc(all + 1, sizeof(*v)));
	size_t nr = 0;

	for (uint32_t i = 0; v && i < all; i++) {
		v[nr] = (struct machine_row){.name = source_table_name(t, i)};
		take_side(&v[nr], NEW, t, i);
		v[nr].size = v[nr].v[NEW][0];
		nr += (d->audience & FOR_PROGRAMS) || !is_nothing(&v[nr], t->kind->nr_columns);
	}
	if (v && t->kind->is_long)
		qsort(v, nr, sizeof(*v), by_size);
	*ret_nr = nr;
	return v;
}

/* The rows that differ between both sides. */
static struct machine_row *rows_that_changed(struct document *d, const struct source_table *old,
					     const struct source_table *new, size_t *ret_nr)
{
	const size_t all = source_table_rows(old) + source_table_rows(new);
	struct machine_row *v = document_own(d, calloc(all + 1, sizeof(*v)));
	size_t nr = 0;

	for (uint32_t i = 0; v && i < all; i++) {
		bool is_new = i < source_table_rows(new);
		const struct source_table *t = is_new ? new : old;
		uint32_t row = is_new ? i : i - (uint32_t)source_table_rows(new);
		struct machine_row *r = &v[nr];
		uint32_t other;

		*r = (struct machine_row){.name = source_table_name(t, row)};
		other = source_table_find(is_new ? old : new, r->name);
		if (!is_new && other != INTERN_NONE)
			continue; /* handled with the new table's rows */
		take_side(r, is_new ? NEW : OLD, t, row);
		take_side(r, is_new ? OLD : NEW, is_new ? old : new, other);
		for (unsigned int c = 0; c < t->kind->nr_columns; c++)
			r->size += !c || t->kind->is_matrix ? distance(r, c) : 0;
		if (!r->size)
			continue;
		r->name = document_own(d, strdup(r->name));
		nr += r->name != NULL;
	}
	if (v)
		qsort(v, nr, sizeof(*v), by_size);
	*ret_nr = nr;
	return v;
}

/* ---- the section ----------------------------------------------------------------------------- */

static void add_table(struct document_section *s, const struct source_table_kind *kind,
		      const struct document_columns *columns, const struct machine_row *rows,
		      size_t nr, uint64_t lines, bool is_long)
{
	if (!nr && !(s->document->audience & FOR_DATA))
		return;
	if (lines == LINES_ALL && is_long && !(s->document->audience & FOR_DATA))
		lines = LINES_FOR_PEOPLE;
	document_add_table(s,
			   &(struct document_table){
				   .id = kind->id,
				   .title = kind->title,
				   .columns = columns->v,
				   .nr_columns = columns->nr,
				   .rows = rows,
				   .row_size = sizeof(*rows),
				   .nr_rows = nr < lines ? nr : lines,
				   .rows_total = nr,
				   .look = LOOK_GRID,
			   },
			   FOR_PEOPLE | FOR_DATA);
}

void machine_add(struct document_section *in, const struct source_facts *facts, uint64_t lines)
{
	struct document_section *s =
		facts->nr_tables ? document_add_section(in, "machine", NULL, FOR_PEOPLE | FOR_DATA)
				 : NULL;

	for (size_t i = 0; s && i < facts->nr_tables; i++) {
		const struct source_table *t = &facts->tables[i];
		const struct document_columns columns = columns_of(s->document, t->kind);
		size_t nr;
		const struct machine_row *rows = rows_of(s->document, t, &nr);

		if (rows && columns.v)
			add_table(s, t->kind, &columns, rows, nr, lines, t->kind->is_long);
	}
}

static const struct source_table *find_table(const struct source_facts *facts,
					     const struct source_table_kind *kind)
{
	for (size_t i = 0; i < facts->nr_tables; i++)
		if (facts->tables[i].kind == kind)
			return &facts->tables[i];
	return NULL;
}

size_t machine_add_change(struct document_section *in, const struct source_table *old,
			  const struct source_table *new, uint64_t lines)
{
	const struct document_columns columns = columns_of_changes(in->document, new->kind);
	size_t nr;
	const struct machine_row *rows = rows_that_changed(in->document, old, new, &nr);

	if (rows && columns.v)
		add_table(in, new->kind, &columns, rows, nr, lines, true);
	return nr;
}

void machine_add_changes(struct document_section *in, const struct source_facts *old_facts,
			 const struct source_facts *new_facts, uint64_t lines)
{
	struct document_section *s =
		old_facts->nr_tables && new_facts->nr_tables
			? document_add_section(in, "machine", NULL, FOR_PEOPLE | FOR_DATA)
			: NULL;

	for (size_t i = 0; s && i < new_facts->nr_tables; i++) {
		const struct source_table *t = &new_facts->tables[i];
		const struct source_table *old = find_table(old_facts, t->kind);

		if (old)
			machine_add_change(s, old, t, lines);
	}
}
