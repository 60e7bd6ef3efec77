// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/gfp_legend.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/base/array.h"
#include "util/report/table_part.h"

static int compare_masks(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* The gfp masks in the rows shown. */
struct masks {
	uint64_t *v;
	size_t nr, cap;
	bool failed;
};

/* Sort the masks in ascending order and remove duplicates. */
static void sort_masks(struct masks *m)
{
	size_t out = 0;

	if (m->nr)
		qsort(m->v, m->nr, sizeof(*m->v), compare_masks);
	for (size_t i = 0; i < m->nr; i++)
		if (!out || m->v[out - 1] != m->v[i])
			m->v[out++] = m->v[i];
	m->nr = out;
}

/* Duplicates are removed as the list grows: a table may have a million rows, but few masks. */
static void add_mask(struct masks *m, uint64_t mask)
{
	bool full = m->nr == m->cap;

	if (full)
		sort_masks(m);
	if (full && m->nr >= m->cap / 2) {
		size_t cap = m->cap ? 2 * m->cap : 64;
		uint64_t *v = reallocarray(m->v, cap, sizeof(*v));

		if (!v) {
			m->failed = true;
			return;
		}
		m->v = v;
		m->cap = cap;
	}
	m->v[m->nr++] = mask;
}

/* Rows need not be sorted if there is no limit on lines. Stock perf also explains masks of hidden
 * rows. */
static void add_table_masks(const struct report_context *c, const struct report_table *t,
			    struct masks *m)
{
	const struct stat_table *table = t->table;
	bool all = c->options->stock_style || t->options->lines >= table->rows.nr;
	struct sorted_rows sorted;
	struct row_view row;
	uint32_t i;

	stat_table_for_each (i, table) {
		if (!all || m->failed)
			break;
		row = row_view_of(table, c->options->live, i);
		if (row_is_shown(&row))
			add_mask(m, row_key(&row, KEY_GFP));
	}
	if (all)
		return;
	if (sorted_rows_init(&sorted, table, c->naming, &t->options->sort, c->options->live,
			     t->options->lines)) {
		m->failed = true;
		return;
	}
	for (uint64_t n = 0; !m->failed && sorted_rows_get(&sorted, n, &row); n++)
		add_mask(m, row_key(&row, KEY_GFP));
	sorted_rows_deinit(&sorted);
}

static uint64_t mask_of(const struct document_cell *cell)
{
	return *(const uint64_t *)cell->row;
}

static struct value mask(const struct document_cell *cell)
{
	strbuf_addf(cell->scratch, "%08" PRIx64, mask_of(cell));
	return value_text(cell->scratch->buf);
}

static struct value code(const struct document_cell *cell)
{
	gfp_format_compact(cell->scratch, cell->context, mask_of(cell));
	return value_text(cell->scratch->buf);
}

static struct value flags(const struct document_cell *cell)
{
	gfp_format(cell->scratch, cell->context, mask_of(cell));
	return value_text(cell->scratch->buf);
}

/* Returns the width of the longest code. */
static int longest_code(const struct document_section *in, const struct gfp *gfp,
			const struct masks *m)
{
	struct strbuf sb = STRBUF_INIT;
	size_t width = 0;

	for (size_t i = 0; i < m->nr; i++) {
		strbuf_reset(&sb);
		gfp_format_compact(&sb, gfp, m->v[i]);
		width = sb.len > width ? sb.len : width;
	}
	in->document->failed |= sb.failed;
	strbuf_deinit(&sb);
	return (int)width;
}

/* Takes ownership of the masks. */
static void explain(struct document_section *in, const struct gfp *gfp, const struct masks *m,
		    int width)
{
	const struct document_column all[] = {
		{NULL, "Mask", .value = mask, .is_name = true},
		{NULL, "Code", .value = code, .width = width},
		{NULL, "Flags", .value = flags, .is_name = true},
	};
	const uint64_t *rows = m->v ? document_own(in->document, m->v) : NULL;
	struct document_columns columns;

	document_columns_init(&columns, in->document, NR_OF(all));
	document_columns_add_all(&columns, all, NR_OF(all));
	document_add_table(document_add_styled(in, "GFP flags", STYLE_COMMENTS),
			   &(struct document_table){
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = rows,
				   .row_size = sizeof(*rows),
				   .nr_rows = rows ? m->nr : 0,
				   .rows_total = rows ? m->nr : 0,
				   .context = gfp,
				   .look = LOOK_LEGEND,
			   },
			   FOR_PEOPLE);
}

/* Whether the table shows the short codes that the legend explains. */
static bool shows_gfp(const struct report_context *c, const struct report_table *t)
{
	struct column_list columns;

	table_part_columns(c, t, &columns);
	for (unsigned int i = 0; i < columns.nr; i++)
		if (columns.v[i]->kind == COLUMN_KEY && columns.v[i]->key == KEY_GFP)
			return true;
	return false;
}

int gfp_legend_add(struct document_section *in, const struct report_context *c)
{
	struct masks masks = {.nr = 0};
	struct report_table t;
	bool any = false;
	int width;

	if (!document_is_for(in, FOR_PEOPLE))
		return 0;
	for (unsigned int i = 0; report_table_at(c, i, &t); i++)
		if (t.allocator == ALLOCATOR_PAGE && shows_gfp(c, &t)) {
			any = true;
			add_table_masks(c, &t, &masks);
		}
	sort_masks(&masks);
	if (!any || masks.failed) {
		in->document->failed |= masks.failed;
		free(masks.v);
		return 0;
	}
	width = longest_code(in, &c->naming->gfp, &masks);
	explain(in, &c->naming->gfp, &masks, width);
	return width;
}
