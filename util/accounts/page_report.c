// SPDX-License-Identifier: GPL-2.0-or-later
/* The page allocator's part of stat: its tables, including stock's, and the summary. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/accounts/page.h"
#include "util/base/units.h"
#include "util/kmem/source_checks.h"
#include "util/report/gfp_legend.h"
#include "util/report/key_column.h"
#include "util/report/pingpong_part.h"
#include "util/report/table_part.h"
#include "util/report/timeline_part.h"

/* ---- stock's columns ------------------------------------------------------------------------- */

static const struct report_context *context_of(const struct document_cell *cell)
{
	return cell->context;
}

static struct value stock_kilobytes(const struct document_cell *cell)
{
	return value_u64(row_bytes(cell_row(cell)) / 1024);
}

static struct value stock_hits(const struct document_cell *cell)
{
	return value_u64(row_hits(cell_row(cell)));
}

static struct value stock_order(const struct document_cell *cell)
{
	return value_id(row_key(cell_row(cell), KEY_ORDER));
}

static struct value stock_migratetype(const struct document_cell *cell)
{
	uint64_t number = row_key(cell_row(cell), KEY_MIGRATETYPE);
	const char *name = migratetype_short_name(
		migratetype_of(&context_of(cell)->naming->migratetypes, number));

	return name ? value_text(name) : value_signed_id((int64_t)number);
}

static struct value stock_gfp(const struct document_cell *cell)
{
	return key_value(context_of(cell)->naming, KEY_GFP, row_key(cell_row(cell), KEY_GFP),
			 cell->scratch);
}

static struct value stock_callsite(const struct document_cell *cell)
{
	const struct report_context *c = context_of(cell);
	const struct value_callsite site =
		naming_callsite(c->naming, row_key(cell_row(cell), KEY_CALLSITE));

	if (!site.address)
		return value_text("unknown");
	if (site.symbol && !c->options->raw_ip)
		strbuf_addstr(cell->scratch, site.symbol);
	else
		strbuf_addf(cell->scratch, "%" PRIx64, site.address);
	if (site.module)
		strbuf_addf(cell->scratch, " [%s]", site.module);
	return value_text(cell->scratch->buf);
}

static struct value stock_page(const struct document_cell *cell)
{
	strbuf_addf(cell->scratch,
		    context_of(cell)->naming->pages_by_pfn ? "%" PRIu64 : "%016" PRIx64,
		    row_key(cell_row(cell), KEY_PAGE));
	return value_text(cell->scratch->buf);
}

enum { COL_PAGE, COL_BYTES, COL_HITS, COL_ORDER, COL_MIGRATETYPE, COL_GFP, COL_CALLSITE, COL_NR };

/* The caller table has the same columns without the first. */
static const struct document_column stock_columns[COL_NR] = {
	[COL_PAGE] = {NULL, "PFN", 16, false, stock_page, .sort = "page"},
	[COL_BYTES] = {NULL, "Total alloc (KB)", 16, false, stock_kilobytes, .sort = "bytes"},
	[COL_HITS] = {NULL, "Hits", 9, false, stock_hits, .sort = "hit"},
	[COL_ORDER] = {NULL, "Order", 5, false, stock_order, .sort = "order"},
	[COL_MIGRATETYPE] = {NULL, "Mig.type", 8, false, stock_migratetype, .sort = "migtype"},
	[COL_GFP] = {NULL, "GFP flags", 9, true, stock_gfp, .sort = "gfp"},
	[COL_CALLSITE] = {NULL, "Callsite", 0, true, stock_callsite, .sort = "callsite"},
};

/* Makes columns, which depend on the recording. Returns NULL if out of memory. */
static const struct document_column *make_stock(struct document *d, const struct report_context *c,
						int gfp_width)
{
	struct document_column *columns = document_own(d, malloc(sizeof(stock_columns)));

	if (!columns)
		return NULL;
	memcpy(columns, stock_columns, sizeof(stock_columns));
	if (gfp_width > columns[COL_GFP].width)
		columns[COL_GFP].width = gfp_width;
	if (!c->naming->pages_by_pfn)
		columns[COL_PAGE].heading = "Page";
	if (c->options->live)
		columns[COL_BYTES].heading = " Live alloc (KB)";
	return columns;
}

static void add_tables(struct document_section *in, const struct report_context *c, int gfp_width)
{
	struct document_section *s = document_add_section(in, "tables", NULL, FOR_ALL);
	const struct document_column *stock = s ? make_stock(s->document, c, gfp_width) : NULL;
	struct report_table t;

	if (!stock)
		return;
	s->is_list = true;
	s->style = STYLE_SPACED;
	for (unsigned int i = 0; report_table_at(c, i, &t); i++) {
		size_t first = t.table->by[0] == KEY_PAGE ? COL_PAGE : COL_BYTES;

		if (t.allocator != ALLOCATOR_PAGE)
			continue;
		table_part_add(s, c, &t, table_part_is_stock(c, &t) ? &stock[first] : NULL,
			       COL_NR - first);
	}
}

/* ---- text before the tables: the legend, notes on call sites --------------------------------- */

static void add_skipped_functions(struct document_section *in, const struct naming *n)
{
	for (uint32_t i = 0; i < n->skipped_functions.nr; i++) {
		const uint64_t *address = table_row(&n->skipped_functions, i);
		const struct symbol *function = symbols_find(&n->symbols, *address);

		if (function)
			document_add_comment(in, "alloc func: %s", function->name);
	}
}

static void add_notes(struct document_section *in, const struct report_context *c,
		      const struct page_accounts *page)
{
	bool callsites = false;
	struct report_table t;

	for (unsigned int i = 0; report_table_at(c, i, &t); i++)
		callsites |= t.allocator == ALLOCATOR_PAGE &&
			     (stat_table_has(t.table, KEY_CALLSITE) || t.options->stock);
	if (callsites && c->options->verbose)
		add_skipped_functions(in, c->naming);
	if (callsites && !page->has_chain)
		document_add_comment(
			in,
			"The page events were recorded without callchains: their call sites are "
			"unknown (record --page records them).");
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* Migrate types of the columns of the table of orders. */
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

struct order_row {
	uint64_t order;
	uint64_t hits[NR_ORDER_COLUMNS];
};

static struct value order_number(const struct document_cell *cell)
{
	return value_id(((const struct order_row *)cell->row)->order);
}

static struct value order_hits(const struct document_cell *cell)
{
	const struct order_row *row = cell->row;
	struct value v = value_u64(row->hits[cell->column->index]);

	if (!v.u64)
		v.shown = ".";
	return v;
}

static const struct stat_table *orders_table(const struct page_accounts *page)
{
	return &page->common.tables[page->orders];
}

/* Count the hits by order and column. Returns the number of rows; *ret_other: the last column is
 * not empty. */
static uint64_t count_orders(const struct report_context *c, const struct page_accounts *page,
			     struct order_row *rows, bool *ret_other)
{
	const struct stat_table *table = orders_table(page);
	uint64_t nr = ORDER_ROWS_MIN;
	uint32_t i;

	for (uint64_t order = 0; order <= PAGE_ORDER_MAX; order++)
		rows[order].order = order;
	stat_table_for_each (i, table) {
		const struct row_view row = row_view_of(table, c->options->live, i);
		uint64_t order = row_key(&row, KEY_ORDER);
		enum migratetype type =
			migratetype_of(&c->naming->migratetypes, row_key(&row, KEY_MIGRATETYPE));
		size_t col = 0;

		while (!(order_columns[col].types & 1u << type))
			col++;
		rows[order].hits[col] += row_hits(&row);
		*ret_other |= col == NR_ORDER_COLUMNS - 1 && row_hits(&row);
		if (order >= nr)
			nr = order + 1;
	}
	return nr;
}

static void add_orders_for_people(struct document_section *in, const struct report_context *c,
				  const struct page_accounts *page)
{
	bool old = !source_facts_kernel_at_least(c->facts, 4, 4), other = false;
	struct document_columns columns;
	struct order_row *rows;
	uint64_t nr;

	if (!document_is_for(in, FOR_PEOPLE))
		return;
	rows = document_own(in->document, calloc(PAGE_ORDER_MAX + 1, sizeof(*rows)));
	if (!rows)
		return;
	nr = count_orders(c, page, rows, &other);
	document_columns_init(&columns, in->document, NR_ORDER_COLUMNS + 1);
	document_columns_add(&columns,
			     &(struct document_column){NULL, "Order", 5, false, order_number});
	for (unsigned int i = 0; i < NR_ORDER_COLUMNS - !other; i++)
		document_columns_add(&columns,
				     &(struct document_column){
					     .heading = old ? order_columns[i].heading_before_4_4
							    : order_columns[i].heading,
					     .width = 12,
					     .value = order_hits,
					     .index = i});
	document_add_table(in,
			   &(struct document_table){
				   .id = "allocations by order",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = rows,
				   .row_size = sizeof(*rows),
				   .nr_rows = nr,
				   .rows_total = nr,
			   },
			   FOR_PEOPLE);
}

/* "Unmovable", or the number if this kernel has no name for it. */
static const char *migratetype_id(struct document *d, const struct report_context *c,
				  uint64_t number)
{
	const char *name = migratetype_name(migratetype_of(&c->naming->migratetypes, number));
	char *digits = NULL;

	if (name)
		return name;
	if (asprintf(&digits, "%" PRId64, (int64_t)number) < 0)
		digits = NULL;
	digits = document_own(d, digits);
	return digits ? digits : "";
}

/* The hits of an order by migrate type, if it has any. */
static void add_order(struct document_section *in, const struct report_context *c,
		      const struct page_accounts *page, uint64_t order)
{
	const struct stat_table *table = orders_table(page);
	struct document_section *types = NULL;
	uint32_t i;

	stat_table_for_each (i, table) {
		const struct row_view row = row_view_of(table, c->options->live, i);

		if (row.key[0] != order || !row_hits(&row))
			continue;
		if (!types) {
			struct document_section *s =
				document_add_section(in, NULL, NULL, FOR_PROGRAMS);

			if (s)
				s->is_compact = true;
			document_add_figure(s, "order", value_u64(order), FOR_PROGRAMS);
			types = document_add_section(s, "migratetypes", NULL, FOR_PROGRAMS);
			if (!types)
				return;
		}
		document_add_figure(types, migratetype_id(types->document, c, row.key[1]),
				    value_u64(row_hits(&row)), FOR_PROGRAMS);
	}
}

/* One object for each order that occurs. */
static void add_orders_for_programs(struct document_section *in, const struct report_context *c,
				    const struct page_accounts *page)
{
	struct document_section *s = document_add_section(in, "orders", NULL, FOR_PROGRAMS);

	if (!s)
		return;
	s->is_list = true;
	for (uint64_t order = 0; order <= PAGE_ORDER_MAX; order++)
		add_order(s, c, page, order);
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void add_summary_for_programs(struct document_section *in, const struct report_context *c,
				     const struct page_accounts *page)
{
	const struct page_summary *s = &page->summary;
	struct document_section *section = document_add_section(in, "summary", NULL, FOR_PROGRAMS);
	const struct document_value figures[] = {
		{"alloc_requests", value_u64(s->alloc_requests)},
		{"alloc_bytes", value_bytes(s->alloc_bytes)},
		{"free_requests", value_u64(s->free_requests)},
		{"free_bytes", value_bytes(s->free_bytes)},
		{"matched_requests", value_u64(s->matched_requests)},
		{"matched_bytes", value_bytes(s->matched_bytes)},
		{"alloc_only_requests", value_u64(s->alloc_only_requests)},
		{"alloc_only_bytes", value_bytes(s->alloc_only_bytes)},
		{"free_only_requests", value_u64(s->free_only_requests)},
		{"free_only_bytes", value_bytes(s->free_only_bytes)},
		{"failures", value_u64(s->failures)},
		{"failed_bytes", value_bytes(s->failed_bytes)},
		{"live", value_u64(s->live)},
		{"live_bytes", value_bytes(s->live_bytes)},
	};

	document_add_values(section, figures, sizeof(figures) / sizeof(figures[0]));
	table_part_add_peak(section, c, &page->common.peak);
}

static void add_requests(struct document_section *in, const char *label, uint64_t requests,
			 uint64_t bytes)
{
	struct value kilobytes = value_u64(bytes / 1024);

	kilobytes.unit = " KB";
	document_add_labelled_pair(in, label, value_u64(requests), kilobytes);
}

/* Numbers of freed and unfreed blocks, and failures. A source without frees has none of these. */
static void add_matched(struct document_section *in, const struct page_summary *s)
{
	struct document_section *matched = document_add_styled(in, NULL, STYLE_COUNTS), *failed;

	add_requests(matched, "Total alloc+freed requests", s->matched_requests, s->matched_bytes);
	add_requests(matched, "Total alloc-only requests", s->alloc_only_requests,
		     s->alloc_only_bytes);
	add_requests(matched, "Total free-only requests", s->free_only_requests,
		     s->free_only_bytes);
	failed = document_add_styled(in, NULL, STYLE_COUNTS);
	add_requests(failed, "Total allocation failures", s->failures, s->failed_bytes);
}

static void add_summary_for_people(struct document_section *in, const struct report_context *c,
				   const struct page_accounts *page)
{
	const struct page_summary *s = &page->summary;
	struct document_section *section =
		document_add_styled(in, "SUMMARY (page allocator)", STYLE_SPACED);
	struct document_section *requests = document_add_styled(section, NULL, STYLE_COUNTS);

	add_requests(requests, "Total allocation requests", s->alloc_requests, s->alloc_bytes);
	if (!c->facts->frees_unknown || s->free_requests || c->options->stock_style) {
		add_requests(requests, "Total free requests", s->free_requests, s->free_bytes);
		add_matched(section, s);
	}
	table_part_add_peak(section, c, &page->common.peak);
	if (source_tells_key(c->facts, KEY_ORDER) || c->options->stock_style)
		add_orders_for_people(section, c, page);
}

void page_build(const void *state, const struct report_context *c, struct document_section *in)
{
	const struct page_accounts *page = state;
	struct document_section *s = document_add_section(in, "page", NULL, FOR_ALL);
	int gfp_width;

	if (s)
		s->kind = "allocator";
	add_summary_for_programs(s, c, page);
	add_orders_for_programs(s, c, page);
	gfp_width = gfp_legend_add(s, c);
	add_notes(s, c, page);
	add_tables(s, c, gfp_width);
	timeline_part_add(s, c, &page->common);
	pingpong_part_add(s, c, &page->common, "PING-PONG (page allocator)");
	add_summary_for_people(s, c, page);
}
