// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of stat for vmalloc and percpu memory: tables and the summary. */
#include <stdlib.h>

#include "util/accounts/range.h"
#include "util/base/array.h"
#include "util/report/key_column.h"
#include "util/report/pingpong_part.h"
#include "util/report/table_part.h"
#include "util/report/timeline_part.h"

static const char *id_of(const struct range_accounts *r)
{
	return account_table[r->kind->account]->id;
}

static void add_tables(struct document_section *in, const struct report_context *c,
		       const struct range_accounts *r)
{
	struct document_section *s = document_add_section(in, "tables", NULL, FOR_ALL);
	struct report_table t;

	if (!s)
		return;
	s->is_list = true;
	s->style = STYLE_SPACED;
	for (unsigned int i = 0; report_table_at(c, i, &t); i++)
		if (t.allocator == account_allocator_bit((int)r->kind->account))
			table_part_add(s, c, &t, NULL, 0);
}

/* ---- the table of the summary ---------------------------------------------------------------- */

struct summary_row {
	uint64_t key;
	const struct stat_counts *counts;
};

static struct value row_key_value(const struct document_cell *cell)
{
	const struct report_context *c = cell->context;
	const struct summary_row *row = cell->row;

	return key_value(c->naming, *(const enum kmem_key *)cell->column->arg, row->key,
			 cell->scratch);
}

#define COUNT_COLUMN(name, make)                                                                   \
	static struct value column_##name(const struct document_cell *cell)                        \
	{                                                                                          \
		return make(((const struct summary_row *)cell->row)->counts->name);                \
	}
COUNT_COLUMN(hits, value_u64)
COUNT_COLUMN(bytes_alloc, value_bytes)
COUNT_COLUMN(live_hits, value_u64)
COUNT_COLUMN(live_bytes, value_bytes)

static int by_live_bytes(const void *x, const void *y)
{
	const struct stat_counts *a = ((const struct summary_row *)x)->counts;
	const struct stat_counts *b = ((const struct summary_row *)y)->counts;

	if (a->live_bytes != b->live_bytes)
		return a->live_bytes < b->live_bytes ? 1 : -1;
	if (a->bytes_alloc != b->bytes_alloc)
		return a->bytes_alloc < b->bytes_alloc ? 1 : -1;
	return ((const struct summary_row *)x)->key > ((const struct summary_row *)y)->key ? 1 : -1;
}

static void add_summary_table(struct document_section *in, const struct report_context *c,
			      const struct range_accounts *r)
{
	const struct stat_table *t;
	struct summary_row *rows;
	struct document_columns columns;
	uint64_t nr = 0;
	uint32_t i;

	if (r->summary_table < 0 || !document_is_for(in, FOR_ALL))
		return;
	t = &r->common.tables[r->summary_table];
	rows = document_own(in->document, calloc(t->rows.nr + 1u, sizeof(*rows)));
	if (!rows)
		return;
	stat_table_for_each (i, t)
		rows[nr++] =
			(struct summary_row){stat_table_keys(t, i)[0], stat_table_counts(t, i)};
	qsort(rows, nr, sizeof(*rows), by_live_bytes);
	document_columns_init(&columns, in->document, 5);
	document_columns_add(
		&columns,
		&(struct document_column){.id = kmem_key_name(r->kind->summary_by),
					  .heading = column_of_key(r->kind->summary_by)->heading,
					  .is_name = true,
					  .value = row_key_value,
					  .arg = &r->kind->summary_by});
	document_columns_add(&columns,
			     &(struct document_column){"hits", "Hits", 0, false, column_hits});
	document_columns_add(&columns, &(struct document_column){"bytes", "Bytes", 0, false,
								 column_bytes_alloc});
	document_columns_add(&columns, &(struct document_column){"live_hits", "Live hits", 0, false,
								 column_live_hits});
	document_columns_add(&columns, &(struct document_column){"live_bytes", "Live bytes", 0,
								 false, column_live_bytes});
	document_add_table(in,
			   &(struct document_table){
				   .id = "by_purpose",
				   .total_id = "by_purpose_total",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = rows,
				   .row_size = sizeof(*rows),
				   .nr_rows = nr,
				   .rows_total = nr,
				   .context = c,
				   .look = LOOK_GRID,
			   },
			   FOR_PEOPLE | FOR_PROGRAMS);
}

/* ---- the summary ----------------------------------------------------------------------------- */

static unsigned int nr_figures(const struct range_accounts *r, const struct report_context *c)
{
	return c->facts->frees_unknown ? 0 : r->kind->nr_figures;
}

/* A figure's value, in bytes if it counts pages. */
static uint64_t value_of(const struct range_accounts *r, unsigned int i)
{
	return r->kind->figures[i].is_pages ? r->figures[i] * r->page_size : r->figures[i];
}

static void add_summary_for_programs(struct document_section *in, const struct report_context *c,
				     const struct range_accounts *r)
{
	const struct range_summary *s = &r->summary;
	struct document_section *section = document_add_section(in, "summary", NULL, FOR_PROGRAMS);
	const struct document_value common[] = {
		{"allocations", value_u64(s->allocations)},
		{"bytes_allocated", value_bytes(s->bytes_allocated)},
		{"frees", value_u64(s->frees)},
		{"frees_matched", value_u64(s->frees_matched)},
		{"frees_unmatched", value_u64(s->frees_unmatched)},
		{"unseen_frees", value_u64(s->unseen_frees)},
		{"bytes_freed", value_bytes(s->bytes_freed)},
		{"live", value_u64(s->live)},
		{"bytes_live", value_bytes(s->bytes_live)},
		{"failures", value_u64(s->failures)},
		{"bytes_failed", value_bytes(s->bytes_failed)},
	};

	if (!section)
		return;
	document_add_values(section, common, NR_OF(common));
	for (unsigned int i = 0; i < nr_figures(r, c); i++)
		document_add_figure(section, r->kind->figures[i].id,
				    r->kind->figures[i].is_pages ? value_bytes(value_of(r, i))
								 : value_u64(value_of(r, i)),
				    FOR_PROGRAMS);
	table_part_add_peak(section, c, &r->common.peak);
}

static void add_count(struct document_section *in, const char *label, uint64_t v)
{
	document_add_labelled(in, label, value_u64(v));
}

static void add_summary_for_people(struct document_section *in, const struct report_context *c,
				   const struct range_accounts *r)
{
	const struct range_summary *s = &r->summary;
	struct document_section *section, *lines;

	section = document_add_styled(in, r->kind->summary_title, STYLE_SPACED);
	lines = document_add_styled(section, NULL, STYLE_ALIGNED);
	if (!lines)
		return;
	add_count(lines, "Allocations", s->allocations);
	add_count(lines, "Bytes allocated", s->bytes_allocated);
	if (!c->facts->frees_unknown) {
		add_count(lines, "Frees", s->frees);
		add_count(lines, "Bytes freed", s->bytes_freed);
		add_count(lines, "Frees of older allocations", s->frees_unmatched);
		if (s->unseen_frees)
			add_count(lines, "Frees not seen", s->unseen_frees);
	}
	add_count(lines, "Live allocations", s->live);
	add_count(lines, "Live bytes", s->bytes_live);
	if (s->failures)
		add_count(lines, "Failed allocations", s->failures);
	for (unsigned int i = 0; i < nr_figures(r, c); i++)
		add_count(lines, r->kind->figures[i].label, value_of(r, i));
	document_add_line(section, "%s", r->kind->size_note);
	table_part_add_peak(section, c, &r->common.peak);
}

void range_build(const void *state, const struct report_context *c, struct document_section *in)
{
	const struct range_accounts *r = state;
	struct document_section *s = document_add_section(in, id_of(r), NULL, FOR_ALL);

	if (!s)
		return;
	s->kind = "allocator";
	add_summary_for_programs(s, c, r);
	if (r->lacks_callsites && !c->facts->frees_unknown)
		document_add_comment(s,
				     "The %s events were recorded without callchains: their call "
				     "sites are unknown (record --%s records them).",
				     account_table[r->kind->account]->what, id_of(r));
	add_tables(s, c, r);
	timeline_part_add(s, c, &r->common);
	pingpong_part_add(s, c, &r->common, r->kind->pingpong_title);
	add_summary_table(s, c, r);
	add_summary_for_people(s, c, r);
}
