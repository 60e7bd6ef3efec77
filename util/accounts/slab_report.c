// SPDX-License-Identifier: GPL-2.0-or-later
/* The slab allocator's part of stat: its tables, including stock's, and the summary. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/accounts/slab.h"
#include "util/base/array.h"
#include "util/base/units.h"
#include "util/leak/leak_report.h"
#include "util/render/value_text.h"
#include "util/report/key_column.h"
#include "util/report/pingpong_part.h"
#include "util/report/table_part.h"
#include "util/report/timeline_part.h"

/* ---- stock's columns ------------------------------------------------------------------------- */

static struct value stock_callsite(const struct document_cell *cell)
{
	const struct report_context *c = cell->context;
	const struct value_callsite site =
		naming_callsite(c->naming, row_key(cell_row(cell), KEY_CALLSITE));

	value_add_callsite(cell->scratch, &site, c->options->raw_ip);
	return value_text(cell->scratch->buf);
}

static struct value stock_ptr(const struct document_cell *cell)
{
	return value_hex(row_key(cell_row(cell), KEY_PTR));
}

/* "total/mean", each in its own width */
static struct value total_and_mean(const struct document_cell *cell, uint64_t bytes)
{
	uint64_t hits = row_hits(cell_row(cell));

	strbuf_addf(cell->scratch, "%9" PRIu64 "/%-5" PRIu64, bytes, hits ? bytes / hits : 0);
	return value_text(cell->scratch->buf);
}

static struct value stock_alloc(const struct document_cell *cell)
{
	return total_and_mean(cell, row_bytes(cell_row(cell)));
}

static struct value stock_req(const struct document_cell *cell)
{
	return total_and_mean(cell, row_bytes_req(cell_row(cell)));
}

static struct value stock_hits(const struct document_cell *cell)
{
	return value_id(row_hits(cell_row(cell)));
}

static struct value stock_pingpong(const struct document_cell *cell)
{
	return value_id(cell_row(cell)->counts->pingpong);
}

static struct value stock_frag(const struct document_cell *cell)
{
	const struct row_view *row = cell_row(cell);
	struct value v =
		value_percent(stat_fragmentation_percent(row_bytes_req(row), row_bytes(row)), 3, 3);

	v.unit = "%";
	return v;
}

#define COUNT_COLUMNS(alloc, req)                                                                  \
	{NULL, alloc, 15, false, stock_alloc, .sort = "bytes"},                                    \
		{NULL, req, 15, false, stock_req, .sort = "req"},                                  \
		{NULL, "Hit", 8, false, stock_hits, .sort = "hit"},                                \
		{NULL, "Ping-pong", 9, false, stock_pingpong, .sort = "pingpong"},                 \
	{                                                                                          \
		NULL, "Frag", 7, false, stock_frag, .dots_width = 6, .sort = "frag"                \
	}

#define NR_STOCK 6

/* [live objects only] [by pointer, not by call site] */
static const struct document_column stock_columns[2][2][NR_STOCK] = {
	{
		{{NULL, "Callsite", 34, true, stock_callsite, .sort = "callsite"},
		 COUNT_COLUMNS("Total_alloc/Per", "Total_req/Per")},
		{{NULL, "Alloc Ptr", 34, true, stock_ptr, .sort = "ptr"},
		 COUNT_COLUMNS("Total_alloc/Per", "Total_req/Per")},
	},
	{
		{{NULL, "Callsite", 34, true, stock_callsite, .sort = "callsite"},
		 COUNT_COLUMNS("Live_alloc/Per", "Live_req/Per")},
		{{NULL, "Alloc Ptr", 34, true, stock_ptr, .sort = "ptr"},
		 COUNT_COLUMNS("Live_alloc/Per", "Live_req/Per")},
	},
};

static void add_tables(struct document_section *in, const struct report_context *c)
{
	struct document_section *s = document_add_section(in, "tables", NULL, FOR_ALL);
	struct report_table t;

	if (s)
		s->is_list = true;
	for (unsigned int i = 0; report_table_at(c, i, &t); i++) {
		bool stock = table_part_is_stock(c, &t), by_ptr = t.table->by[0] == KEY_PTR;

		if (t.allocator == ALLOCATOR_SLAB)
			table_part_add(s, c, &t,
				       stock ? stock_columns[c->options->live][by_ptr] : NULL,
				       NR_STOCK);
	}
}

/* ---- the summary ----------------------------------------------------------------------------- */

/* All figures are in structured output; in text, those of stock's summary follow the tables. */
static void add_summary_for_programs(struct document_section *in, const struct report_context *c,
				     const struct slab_accounts *slab)
{
	const struct slab_summary *s = &slab->summary;
	struct document_section *section = document_add_section(in, "summary", NULL, FOR_PROGRAMS);
	const struct document_value figures[] = {
		{"bytes_requested", value_bytes(s->bytes_requested)},
		{"bytes_allocated", value_bytes(s->bytes_allocated)},
		{"bytes_freed", value_bytes(s->bytes_freed)},
		{"bytes_live", value_bytes(s->bytes_live)},
		{"bytes_wasted",
		 value_bytes(stat_wasted_bytes(s->bytes_requested, s->bytes_allocated))},
		{"fragmentation_percent",
		 value_percent(stat_fragmentation_percent(s->bytes_requested, s->bytes_allocated),
			       6, 6)},
		{"allocations", value_u64(s->allocations)},
		{"frees", value_u64(s->frees)},
		{"frees_matched", value_u64(s->frees_matched)},
		{"frees_unmatched", value_u64(s->frees_unmatched)},
		{"unseen_frees", value_u64(s->unseen_frees)},
		{"duplicates_dropped", value_u64(s->duplicates_dropped)},
		{"failures", value_u64(s->failures)},
		{"cross_node_allocations", value_u64(s->cross_node_allocations)},
		{"live", value_u64(s->live)},
		{"rcu_freeing", value_u64(s->rcu_freeing)},
		{"bytes_rcu_freeing", value_bytes(s->bytes_rcu_freeing)},
		{"live_untraced", value_u64(slab->untraced.live)},
		{"bytes_live_untraced", value_bytes(slab->untraced.bytes_live)},
	};
	const size_t nr = NR_OF(figures) - (slab->untraced.known ? 0 : 2);

	document_add_values(section, figures, nr);
	table_part_add_peak(section, c, &slab->common.peak);
}

static void add_count(struct document_section *in, const char *label, uint64_t v)
{
	document_add_labelled(in, label, value_u64(v));
}

/* A line below the live figures: the part of them that may be free. */
static void say_untraced(struct document_section *in, const struct report_context *c,
			 const struct untraced *u)
{
	char objects[UNITS_BUF], bytes[UNITS_BUF];

	if (u->live && !c->options->stock_style)
		document_add_line(
			in,
			"Frees not traced: %s of these bytes (%s objects) may be free: see leak",
			report_number(c, bytes, u->bytes_live), report_number(c, objects, u->live));
}

/* A line below the live figures: memory that is not live, and not free yet. */
static void say_rcu_freeing(struct document_section *in, const struct report_context *c,
			    const struct slab_summary *s)
{
	char objects[UNITS_BUF], bytes[UNITS_BUF];

	if (s->rcu_freeing && !c->options->stock_style)
		document_add_line(in,
				  "Freed by RCU, and not yet reused: %s bytes (%s objects) more",
				  report_number(c, bytes, s->bytes_rcu_freeing),
				  report_number(c, objects, s->rcu_freeing));
}

/* Caches with the most untraced frees. */
#define UNTRACED_LINES 5

static int compare(uint64_t x, uint64_t y, const struct leak_cache *a, const struct leak_cache *b)
{
	return x != y ? (x > y ? -1 : 1) : strcmp(a->name, b->name);
}

static int by_dead(const void *x, const void *y)
{
	const struct leak_cache *a = *(const struct leak_cache *const *)x;
	const struct leak_cache *b = *(const struct leak_cache *const *)y;

	return compare(a->dead, b->dead, a, b);
}

static int by_untraced_allocs(const void *x, const void *y)
{
	const struct leak_cache *a = *(const struct leak_cache *const *)x;
	const struct leak_cache *b = *(const struct leak_cache *const *)y;

	return compare(a->untraced_allocs, b->untraced_allocs, a, b);
}

/* Lines below the live figures: caches whose events differ from the kernel's own count. A page
 * lists them among its findings. */
static void say_uncounted(struct document_section *summary, const struct report_context *c,
			  const struct leak_caches *caches)
{
	struct document_section *in;
	const struct leak_cache **v;
	char nr[UNITS_BUF], live[UNITS_BUF];

	if (c->options->stock_style || !caches->nr)
		return;
	in = document_add_section(summary, "untraced", NULL, FOR_PEOPLE);
	if (!in)
		return;
	in->style = STYLE_LINES;
	v = document_own(in->document, calloc(caches->nr, sizeof(*v)));
	if (!v)
		return;
	for (size_t i = 0; i < caches->nr; i++)
		v[i] = &caches->v[i];
	qsort(v, caches->nr, sizeof(*v), by_dead);
	for (size_t i = 0; i < caches->nr && i < UNTRACED_LINES && v[i]->dead; i++)
		document_add_line(in,
				  "%s frees of %s have no tracepoint here: %s objects seem live, "
				  "and the kernel's own count changed by %+" PRId64,
				  report_number(c, nr, v[i]->dead), v[i]->name,
				  report_number(c, live, v[i]->live_hits), v[i]->growth.objects);
	qsort(v, caches->nr, sizeof(*v), by_untraced_allocs);
	for (size_t i = 0; i < caches->nr && i < UNTRACED_LINES && v[i]->untraced_allocs; i++)
		document_add_line(
			in,
			"%s allocations of %s have no event here: %s frees match none, and the "
			"kernel's own count changed by %+" PRId64,
			report_number(c, nr, v[i]->untraced_allocs), v[i]->name,
			report_number(c, live, v[i]->old_frees), v[i]->growth.objects);
}

static void add_net_total(struct document_section *section, const struct report_context *c,
			  const struct slab_summary *s)
{
	char unseen[UNITS_BUF];

	add_count(section, "Net total bytes allocated", s->bytes_allocated - s->bytes_freed);
	if (s->unseen_frees && !c->options->stock_style)
		document_add_labelled(
			section, "Frees without an event",
			document_text(section,
				      "%s, whose bytes the net total includes (see --live)",
				      report_number(c, unseen, s->unseen_frees)));
}

static void add_summary_for_people(struct document_section *in, const struct report_context *c,
				   const struct slab_accounts *slab)
{
	const struct slab_summary *s = &slab->summary;
	struct document_section *section =
		document_add_styled(in, "SUMMARY (SLAB allocator)", STYLE_LINES);
	struct document_section *totals = document_add_styled(section, NULL, STYLE_ALIGNED);
	struct value fragmentation = value_percent(
		stat_fragmentation_percent(s->bytes_requested, s->bytes_allocated), 6, 6);
	/* not for rows, which have no frees and no freeing CPU */
	const bool of_events =
		!c->facts->live_unknown && (!c->facts->frees_unknown || c->options->stock_style);
	const bool has_requests = !c->facts->requests_unknown || c->options->stock_style;
	char cross[UNITS_BUF], all[UNITS_BUF];

	if (has_requests)
		add_count(totals, "Total bytes requested", s->bytes_requested);
	add_count(totals, "Total bytes allocated", s->bytes_allocated);
	if (c->facts->live_unknown)
		add_count(totals, "Total frees", s->frees);
	else if (of_events)
		add_count(totals, "Total bytes freed", s->bytes_freed);
	if (s->bytes_allocated > s->bytes_freed && of_events)
		add_net_total(section, c, s);
	if (has_requests) {
		add_count(section, "Total bytes wasted on internal fragmentation",
			  stat_wasted_bytes(s->bytes_requested, s->bytes_allocated));
		fragmentation.unit = "%";
		document_add_labelled(section, "Internal fragmentation", fragmentation);
	}
	if (of_events)
		document_add_labelled(
			section, "Cross CPU allocations",
			document_text(section, "%s/%s",
				      report_number(c, cross, s->cross_node_allocations),
				      report_number(c, all, s->allocations)));
	if (s->failures)
		add_count(section, "Failed allocations", s->failures);
	if (c->options->live) {
		add_count(section, "Live allocations", s->live);
		add_count(section, "Live bytes", s->bytes_live);
		say_untraced(section, c, &slab->untraced);
		say_rcu_freeing(section, c, s);
	}
	say_uncounted(section, c, &slab->untraced.caches);
	table_part_add_peak(section, c, &slab->common.peak);
}

void slab_build(const void *state, const struct report_context *c, struct document_section *in)
{
	const struct slab_accounts *slab = state;
	struct document_section *s = document_add_section(in, "slab", NULL, FOR_ALL);

	if (s)
		s->kind = "allocator";
	add_summary_for_programs(s, c, slab);
	add_tables(s, c);
	leak_caches_report(s, c, &slab->untraced.caches);
	timeline_part_add(s, c, &slab->common);
	pingpong_part_add(s, c, &slab->common, "PING-PONG (SLAB allocator)");
	add_summary_for_people(s, c, slab);
}
