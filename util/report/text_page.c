// SPDX-License-Identifier: GPL-2.0-or-later
/* The page part of the text report: stock's legend, tables and summary. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/kmem/gfp.h"
#include "util/report/cell.h"
#include "util/report/text_columns.h"

static void bytes_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	cell_add_grouped(sb, t->o, row_bytes(row) / 1024);
}

static void hits_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	cell_add_grouped(sb, t->o, row_hits(row));
}

static void order_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	(void)t;
	strbuf_addf(sb, "%" PRIu64, row_key(row, KEY_ORDER));
}

static void migratetype_cell(const struct text_context *t, const struct row_view *row,
			     struct strbuf *sb)
{
	uint64_t number = row_key(row, KEY_MIGRATETYPE);
	const char *name =
		migratetype_short_name(migratetype_of(&t->a->naming.migratetypes, number));

	if (name)
		strbuf_addstr(sb, name);
	else
		strbuf_addf(sb, "%" PRId64, (int64_t)number);
}

static void gfp_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	gfp_format_compact(sb, &t->a->naming.gfp.names, row_key(row, KEY_GFP));
}

static void callsite_cell(const struct text_context *t, const struct row_view *row,
			  struct strbuf *sb)
{
	uint64_t address = row_key(row, KEY_CALLSITE);
	const struct symbol *sym =
		t->o->raw_ip ? NULL : symbols_find(&t->a->naming.symbols, address);

	if (address == CALLSITE_UNKNOWN)
		strbuf_addstr(sb, "unknown");
	else if (sym)
		strbuf_addstr(sb, sym->name);
	else
		strbuf_addf(sb, "%" PRIx64, address);
}

static void pfn_cell(const struct text_context *t, const struct row_view *row, struct strbuf *sb)
{
	strbuf_addf(sb, t->a->naming.pages_by_pfn ? "%" PRIu64 : "%016" PRIx64,
		    row_key(row, KEY_PAGE));
}

enum { COL_PAGE, COL_BYTES, COL_HITS, COL_ORDER, COL_MIGRATETYPE, COL_GFP, COL_CALLSITE, COL_NR };

/* The caller table is the same without its first column. */
static const struct text_column page_columns[COL_NR] = {
	[COL_PAGE] = {"PFN", 16, true, 0, pfn_cell},
	[COL_BYTES] = {"Total alloc (KB)", 16, true, 0, bytes_cell},
	[COL_HITS] = {"Hits", 9, true, 0, hits_cell},
	[COL_ORDER] = {"Order", 5, true, 0, order_cell},
	[COL_MIGRATETYPE] = {"Mig.type", 8, true, 0, migratetype_cell},
	[COL_GFP] = {"GFP flags", 9, false, 0, gfp_cell},
	[COL_CALLSITE] = {"Callsite", 0, false, 0, callsite_cell},
};

static int compare_masks(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* The gfp masks of the rows that the tables show. */
struct masks {
	uint64_t *v;
	size_t nr, cap;
};

/* Ascending, each once. */
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

/* A table may have a million rows: what is added stays about as short as what differs. */
static int add_mask(struct masks *m, uint64_t mask)
{
	bool full = m->nr == m->cap;

	if (full)
		sort_masks(m);
	if (full && m->nr >= m->cap / 2) {
		size_t cap = m->cap ? 2 * m->cap : 64;
		uint64_t *v = reallocarray(m->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		m->v = v;
		m->cap = cap;
	}
	m->v[m->nr++] = mask;
	return 0;
}

/* Without a limit on the lines there is no need to sort them; stock explains the others, too. */
static int add_table_masks(const struct text_context *t, const struct report_table *table,
			   struct masks *m)
{
	const struct stat_table *rows = table->table;
	bool all = t->o->stock_style || table->options->lines >= rows->rows.nr;
	struct sorted_rows sorted;
	struct row_view row;
	int ret = 0;

	for (uint32_t i = 0; all && !ret && i < rows->rows.nr; i++) {
		row = row_view_of(rows, t->o->live, i);
		if (row_is_shown(&row))
			ret = add_mask(m, row_key(&row, KEY_GFP));
	}
	if (all)
		return ret;
	if (sorted_rows_init(&sorted, rows, &table->options->sort, t->o->live,
			     table->options->lines))
		return -ENOMEM;
	for (uint64_t n = 0; !ret && sorted_rows_get(&sorted, n, &row); n++)
		ret = add_mask(m, row_key(&row, KEY_GFP));
	sorted_rows_deinit(&sorted);
	return ret;
}

/* What the short codes mean, and how wide the longest of them is. */
static void print_legend(struct text_context *t, const struct masks *m, int *ret_width)
{
	struct strbuf names = STRBUF_INIT;
	int width = 0;

	for (size_t i = 0; i < m->nr; i++) {
		strbuf_reset(&t->line);
		gfp_format_compact(&t->line, &t->a->naming.gfp.names, m->v[i]);
		if ((int)t->line.len > width)
			width = (int)t->line.len;
	}
	fputs("#\n# GFP flags\n# ---------\n", t->out);
	for (size_t i = 0; i < m->nr; i++) {
		strbuf_reset(&t->line);
		strbuf_reset(&names);
		gfp_format_compact(&t->line, &t->a->naming.gfp.names, m->v[i]);
		gfp_format(&names, &t->a->naming.gfp.names, m->v[i]);
		fprintf(t->out, "# %08" PRIx64 ": %*s: %s\n", m->v[i], width, t->line.buf,
			names.buf);
	}
	fputc('\n', t->out);
	t->line.failed |= names.failed;
	strbuf_deinit(&names);
	*ret_width = width;
}

static void print_requests(struct text_context *t, const char *label, uint64_t requests,
			   uint64_t bytes)
{
	struct strbuf kb = STRBUF_INIT;

	strbuf_reset(&t->line);
	cell_add_grouped(&t->line, t->o, requests);
	cell_add_grouped(&kb, t->o, bytes / 1024);
	fprintf(t->out, "%-30s: %16s   [ %16s KB ]\n", label, t->line.buf, kb.buf);
	t->line.failed |= kb.failed;
	strbuf_deinit(&kb);
}

/* Which migrate types stand in which column of the table of orders. */
static const struct order_column {
	const char *heading, *heading_before_4_4;
	unsigned int types; /* bits */
} order_columns[] = {
	{"Unmovable", "Unmovable", 1u << MIGRATETYPE_UNMOVABLE},
	{"Reclaimable", "Reclaimable", 1u << MIGRATETYPE_RECLAIMABLE},
	{"Movable", "Movable", 1u << MIGRATETYPE_MOVABLE},
	{"HighAtomic", "Reserved", 1u << MIGRATETYPE_HIGHATOMIC | 1u << MIGRATETYPE_RESERVE},
	{"CMA/Isolated", "CMA/Isolated", 1u << MIGRATETYPE_CMA | 1u << MIGRATETYPE_ISOLATE},
	{"Other", "Other", 1u << MIGRATETYPE_NR},
};

#define NR_ORDER_COLUMNS (sizeof(order_columns) / sizeof(order_columns[0]))
#define ORDER_ROWS_MIN	 11

struct order_counts {
	uint64_t v[PAGE_ORDER_MAX + 1][NR_ORDER_COLUMNS];
	uint64_t max_order;
	bool other; /* the last column has something */
};

static void count_orders(const struct text_context *t, struct order_counts *c)
{
	const struct stat_table *table = &t->a->accounts.page.tables[t->a->accounts.page_orders];

	*c = (struct order_counts){.max_order = ORDER_ROWS_MIN - 1};
	for (uint32_t i = 0; i < table->rows.nr; i++) {
		struct row_view row = {
			.table = table,
			.key = stat_table_keys(table, i),
			.counts = stat_table_counts(table, i),
			.live = t->o->live,
		};
		uint64_t order = row_key(&row, KEY_ORDER);
		enum migratetype type =
			migratetype_of(&t->a->naming.migratetypes, row_key(&row, KEY_MIGRATETYPE));
		size_t col = 0;

		while (!(order_columns[col].types & 1u << type))
			col++;
		c->v[order][col] += row_hits(&row);
		c->other |= col == NR_ORDER_COLUMNS - 1 && row_hits(&row);
		if (order > c->max_order)
			c->max_order = order;
	}
}

static void print_orders(struct text_context *t)
{
	bool old = !source_facts_kernel_at_least(t->a->recording, 4, 4);
	struct order_counts c;
	size_t nr;

	count_orders(t, &c);
	nr = c.other ? NR_ORDER_COLUMNS : NR_ORDER_COLUMNS - 1;
	fprintf(t->out, "%5s", "Order");
	for (size_t i = 0; i < nr; i++)
		fprintf(t->out, "  %12s",
			old ? order_columns[i].heading_before_4_4 : order_columns[i].heading);
	fputs("\n-----", t->out);
	for (size_t i = 0; i < nr; i++)
		fputs("  ------------", t->out);
	fputc('\n', t->out);
	for (uint64_t order = 0; order <= c.max_order; order++) {
		fprintf(t->out, "%5" PRIu64, order);
		for (size_t i = 0; i < nr; i++) {
			strbuf_reset(&t->line);
			if (c.v[order][i])
				cell_add_grouped(&t->line, t->o, c.v[order][i]);
			else
				strbuf_addch(&t->line, '.');
			fprintf(t->out, "  %12s", t->line.buf);
		}
		fputc('\n', t->out);
	}
}

static void print_summary(struct text_context *t)
{
	const struct page_summary *s = &t->a->accounts.page.summary;

	fputs("\nSUMMARY (page allocator)\n========================\n", t->out);
	print_requests(t, "Total allocation requests", s->alloc_requests, s->alloc_bytes);
	print_requests(t, "Total free requests", s->free_requests, s->free_bytes);
	fputc('\n', t->out);
	print_requests(t, "Total alloc+freed requests", s->matched_requests, s->matched_bytes);
	print_requests(t, "Total alloc-only requests", s->alloc_only_requests, s->alloc_only_bytes);
	print_requests(t, "Total free-only requests", s->free_only_requests, s->free_only_bytes);
	fputc('\n', t->out);
	print_requests(t, "Total allocation failures", s->failures, s->failed_bytes);
	text_peak_print(t, ALLOCATOR_PAGE);
	fputc('\n', t->out);
	print_orders(t);
}

static void print_plumbing(void *ctx, const struct symbol *symbol)
{
	const struct text_context *t = ctx;

	fprintf(t->out, "# alloc func: %s\n", symbol->name);
}

static int print_table(struct text_context *t, const struct report_table *table, int gfp_width)
{
	struct text_column columns[COL_NR];
	size_t first = table->table->by[0] == KEY_PAGE ? COL_PAGE : COL_BYTES;

	if (!text_table_is_stock(t, table))
		return text_columns_print(t, table);
	memcpy(columns, page_columns, sizeof(columns));
	if (gfp_width > columns[COL_GFP].width)
		columns[COL_GFP].width = gfp_width;
	if (!t->a->naming.pages_by_pfn)
		columns[COL_PAGE].heading = "Page";
	if (t->o->live)
		columns[COL_BYTES].heading = " Live alloc (KB)";
	return text_table_print(t, &columns[first], COL_NR - first, table->table, table->options);
}

/* Does the table show the short codes that the legend explains? */
static bool shows_gfp(const struct text_context *t, const struct report_table *table)
{
	struct column_list columns;

	report_table_columns(table, t->o, &columns);
	for (unsigned int i = 0; i < columns.nr; i++)
		if (columns.v[i]->kind == COLUMN_KEY && columns.v[i]->key == KEY_GFP)
			return true;
	return false;
}

/* What stands before the tables: the legend, and what is to be known of call sites. */
static int print_notes(struct text_context *t, int *ret_gfp_width)
{
	const struct kmem_analysis *a = t->a;
	bool legend = false, callsites = false;
	struct masks masks = {.nr = 0};
	struct report_table table;
	int ret = 0;

	for (unsigned int i = 0; !ret && report_table_at(a, t->o, i, &table); i++) {
		if (table.allocator != ALLOCATOR_PAGE)
			continue;
		callsites |= stat_table_has(table.table, KEY_CALLSITE) || table.options->stock;
		if (!shows_gfp(t, &table))
			continue;
		legend = true;
		ret = add_table_masks(t, &table, &masks);
	}
	sort_masks(&masks);
	if (!ret && legend)
		print_legend(t, &masks, ret_gfp_width);
	free(masks.v);
	if (ret)
		return ret;
	if (callsites && t->o->verbose)
		callsite_for_each_plumbing(&a->decoding.callsites, print_plumbing, t);
	if (callsites && !a->accounts.page_has_chain)
		fputs("# The page events were recorded without callchains: their call sites are "
		      "unknown\n# (record --page records them).\n",
		      t->out);
	return 0;
}

int text_page_print(struct text_context *t)
{
	struct report_table table;
	int gfp_width = 0, printed = 0, ret = print_notes(t, &gfp_width);

	for (unsigned int i = 0; !ret && report_table_at(t->a, t->o, i, &table); i++) {
		if (table.allocator != ALLOCATOR_PAGE)
			continue;
		if (printed++)
			fputc('\n', t->out);
		ret = print_table(t, &table, gfp_width);
	}
	print_summary(t);
	return ret;
}
