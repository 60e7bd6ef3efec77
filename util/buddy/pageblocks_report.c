// SPDX-License-Identifier: GPL-2.0-or-later
/* --pageblocks: findings, then contents of the pageblocks of each type, their polluters, and the
 * possible gain of compaction. */
#include <inttypes.h>
#include <stdlib.h>

#include "util/buddy/pageblocks.h"
#include "util/base/units.h"
#include "util/kmem/accounts.h"
#include "util/report/findings.h"
#include "util/report/key_column.h"

static const struct pageblocks *pageblocks_of(const struct report_context *c)
{
	return c->accounts->v[ACCOUNT_pageblocks].state;
}

static bool order_known(const struct report_context *c)
{
	return pageblocks_order(pageblocks_of(c)) != 0;
}

/* A row for each order but 0 of each zone. */
struct order_row {
	const struct pageblock_zone *zone;
	uint64_t order, free, possible;
};

/* ---- findings -------------------------------------------------------------------------------- */

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

static void say_how_many(struct findings *f, const struct pageblock_totals *sum)
{
	const struct pageblocks *p = pageblocks_of(f->c);
	char a[UNITS_BUF], b[UNITS_BUF], size[UNITS_BUF];

	strbuf_addf(&f->text, "%s page%s in use, in %s pageblock%s",
		    findings_number(f, a, p->pages), p->pages == 1 ? " is" : "s are",
		    findings_number(f, b, sum->all.blocks), plural(sum->all.blocks));
	if (order_known(f->c)) {
		units_bytes(size, sizeof(size),
			    (uint64_t)f->c->naming->page_size << pageblocks_order(p));
		strbuf_addf(&f->text, " of %s (order %u).", size, pageblocks_order(p));
	} else {
		strbuf_addstr(&f->text, ". None is outside of pageblock 0, so how large pageblocks "
					"are is not known.");
	}
	strbuf_addf(&f->text, " %s hold%s pages of another type than %s own (mixed).",
		    sum->all.mixed ? findings_number(f, a, sum->all.mixed) : "None",
		    sum->all.mixed > 1 ? "" : "s", sum->all.mixed > 1 ? "their" : "its");
}

static void say_polluted(struct findings *f, const struct pageblock_totals *sum)
{
	const struct pageblock_type *m = &sum->movable;
	char a[UNITS_BUF], b[UNITS_BUF];

	if (!m->blocks)
		return;
	strbuf_addf(&f->text, "\n%s of %s movable pageblock%s hold%s pages that cannot be moved",
		    m->polluted ? findings_number(f, a, m->polluted) : "None",
		    findings_number(f, b, m->blocks), plural(m->blocks),
		    m->polluted > 1 ? "" : "s");
	if (m->polluted)
		strbuf_addf(&f->text, " (%s in all), which compaction has to leave there",
			    findings_number(f, a, m->polluting));
	strbuf_addch(&f->text, '.');
}

static void say_won(struct findings *f, const struct pageblock_totals *sum)
{
	char a[UNITS_BUF];

	if (!order_known(f->c) || !sum->all.blocks)
		return;
	strbuf_addf(&f->text,
		    "\nBy moving what can be moved, compaction could make at most %s of the "
		    "pageblocks free.",
		    findings_number(f, a, sum->won));
}

static void say_limits(struct findings *f)
{
	const struct pageblocks *p = pageblocks_of(f->c);
	char a[UNITS_BUF];

	strbuf_addstr(&f->text,
		      "\nUnknown: pageblocks without any page in use; whether a page that "
		      "is not listed is free, or none of the page allocator's (here it "
		      "counts as free); whether a movable page is pinned.");
	if (p->again)
		strbuf_addf(&f->text,
			    "\n%s row%s of pages that an earlier row has, or out of the order of "
			    "pages: what earlier rows have is not counted again.",
			    findings_number(f, a, p->again), p->again == 1 ? " is" : "s are");
	if (p->unclear)
		strbuf_addf(&f->text,
			    "\n%s row%s left out: where the page is contradicts itself, or other "
			    "rows.",
			    findings_number(f, a, p->unclear), p->unclear == 1 ? " is" : "s are");
}

static void add_findings(struct document_section *in, const struct report_context *c,
			 const struct pageblock_totals *sum)
{
	struct findings f = {.c = c, .text = STRBUF_INIT};

	say_how_many(&f, sum);
	say_polluted(&f, sum);
	say_won(&f, sum);
	say_limits(&f);
	findings_finish(&f, in);
}

static void add_summary(struct document_section *in, const struct report_context *c,
			const struct pageblock_totals *sum)
{
	struct document_section *s = document_add_section(in, "summary", NULL, FOR_PROGRAMS);
	const struct pageblocks *p = pageblocks_of(c);
	unsigned int order = pageblocks_order(p);
	bool known = order_known(c);
	const struct document_value figures[] = {
		{"pageblock_order", value_u64_if(known, order)},
		{"pageblock_bytes", value_u64_if(known, (uint64_t)c->naming->page_size << order)},
		{"blocks", value_u64(sum->all.blocks)},
		{"mixed", value_u64(sum->all.mixed)},
		{"polluted", value_u64(sum->all.polluted)},
		{"pages", value_u64(p->pages)},
		{"polluting_pages", value_u64(sum->all.polluting)},
		{"won", value_u64_if(known, sum->won)},
		{"rows_again", value_u64(p->again)},
		{"rows_unclear", value_u64(p->unclear)},
	};

	document_add_values(s, figures, sizeof(figures) / sizeof(figures[0]));
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static struct value migratetype(const struct report_context *c, int64_t number)
{
	return number < 0 ? value_text("unknown")
			  : key_value(c->naming, KEY_MIGRATETYPE, (uint64_t)number, NULL);
}

static uint64_t not_listed(const struct report_context *c, const struct pageblock_type *t)
{
	uint64_t listed = 0, all;

	for (int i = 0; i < MOBILITIES; i++)
		listed += t->pages[i];
	/* a source that contradicts itself may have more */
	all = t->blocks << pageblocks_order(pageblocks_of(c));
	return all > listed ? all - listed : 0;
}

COLUMN_FN(block_type, struct pageblock_type, migratetype(c, r->type))
COLUMN_FN(blocks, struct pageblock_type, value_u64(r->blocks))
COLUMN_FN(mixed, struct pageblock_type, value_u64(r->mixed))
COLUMN_FN(polluted, struct pageblock_type, value_u64(r->polluted))
COLUMN_FN(movable, struct pageblock_type, value_u64(r->pages[PAGES_MOVABLE]))
COLUMN_FN(reclaimable, struct pageblock_type, value_u64(r->pages[PAGES_RECLAIMABLE]))
COLUMN_FN(unmovable, struct pageblock_type, value_u64(r->pages[PAGES_UNMOVABLE]))
COLUMN_FN(other, struct pageblock_type, value_u64(r->pages[PAGES_OTHER]))
COLUMN_FN(polluting, struct pageblock_type, value_u64(r->polluting))
COLUMN_FN(unlisted, struct pageblock_type, value_u64_if(order_known(c), not_listed(c, r)))

static const struct document_column type_columns[] = {
	{"block_migratetype", "Pageblocks", 11, true, block_type},
	{"blocks", "Number", 7, false, blocks},
	{"mixed", "Mixed", 6, false, mixed},
	{"polluted", "Polluted", 8, false, polluted},
	{"movable_pages", "Pages:\nmovable", 9, false, movable},
	{"reclaimable_pages", "reclaim-\nable", 9, false, reclaimable},
	{"unmovable_pages", "unmovable", 9, false, unmovable},
	{"other_pages", NULL, 0, false, other},
	{"polluting_pages", NULL, 0, false, polluting},
	{"pages_not_listed", "not\nlisted", 9, false, unlisted},
};

static int by_type(const void *x, const void *y)
{
	const struct pageblock_type *a = x, *b = y;
	int ret = compare_u64(b->blocks, a->blocks);

	return ret ? ret : compare_i64(a->type, b->type);
}

COLUMN_FN(callsite, struct pageblock_holder, findings_callsite(c, r->callsite))
COLUMN_FN(comm, struct pageblock_holder, key_value(c->naming, KEY_COMM, r->comm, cell->scratch))
COLUMN_FN(pid, struct pageblock_holder,
	  key_value(c->naming, KEY_PID, (uint64_t)(int32_t)r->pid, cell->scratch))
COLUMN_FN(page_type, struct pageblock_holder, migratetype(c, r->type))
COLUMN_FN(in_type, struct pageblock_holder, migratetype(c, r->block_type))
COLUMN_FN(holder_blocks, struct pageblock_holder, value_u64(r->blocks))
COLUMN_FN(alone, struct pageblock_holder, value_u64(r->alone))
COLUMN_FN(allocations, struct pageblock_holder, value_u64(r->allocations))
COLUMN_FN(pages, struct pageblock_holder, value_u64(r->pages))

#define HOLDER_FIGURES                                                                             \
	{"migratetype", "Type", 11, true, page_type, .is_key = true},                              \
		{"block_migratetype", "In", 11, true, in_type, .is_key = true},                    \
		{"blocks", "Blocks", 6, false, holder_blocks},                                     \
		{"blocks_alone", "Alone", 6, false, alone},                                        \
		{"allocations", NULL, 0, false, allocations},                                      \
	{                                                                                          \
		"pages", "Pages", 7, false, pages                                                  \
	}

static const struct document_column callsite_columns[] = {
	{"callsite", "Allocated by", 30, true, callsite, .is_key = true},
	HOLDER_FIGURES,
};

static const struct document_column process_columns[] = {
	{"pid", "Process", 8, false, pid, .is_key = true},
	{"comm", "Command", 20, true, comm, .is_key = true},
	HOLDER_FIGURES,
};

static const struct document_column both_columns[] = {
	{"callsite", "Allocated by", 30, true, callsite, .is_key = true},
	{"comm", "For", 15, true, comm, .is_key = true},
	HOLDER_FIGURES,
};

#define COLUMNS(v) v, sizeof(v) / sizeof((v)[0])

static const struct {
	const char *id, *total_id;
	const struct document_column *columns;
	size_t nr_columns;
} holder_tables[HOLDERS_BY] = {
	[BY_CALLSITE] = {"callsites", "callsites_total", COLUMNS(callsite_columns)},
	[BY_PROCESS] = {"processes", "processes_total", COLUMNS(process_columns)},
	[BY_BOTH] = {"holders", "holders_total", COLUMNS(both_columns)},
};

static int by_blocks(const void *x, const void *y)
{
	const struct pageblock_holder *a = x, *b = y;
	const uint64_t order[][2] = {
		{b->alone, a->alone},
		{b->blocks, a->blocks},
		{b->pages, a->pages},
		{a->callsite, b->callsite},
		{a->pid, b->pid},
		{a->comm, b->comm},
		{(uint64_t)a->type, (uint64_t)b->type},
		{(uint64_t)a->block_type, (uint64_t)b->block_type},
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(order) / sizeof(order[0]); i++)
		ret = compare_u64(order[i][0], order[i][1]);
	return ret;
}

COLUMN_FN(node, struct order_row, value_signed_id(r->zone->node))
COLUMN_FN(zone, struct order_row, value_signed_id(r->zone->zone))
COLUMN_FN(order, struct order_row, value_u64(r->order))
COLUMN_FN(free_now, struct order_row, value_u64(r->free))
COLUMN_FN(possible, struct order_row, value_u64(r->possible))
COLUMN_FN(won, struct order_row, value_u64(r->possible - r->free))
COLUMN_FN(won_bytes, struct order_row,
	  value_bytes((r->possible - r->free) * c->naming->page_size << r->order))

static const struct document_column order_columns[] = {
	{"node", "Node", 4, false, node},
	{"zone", "Zone", 4, false, zone},
	{"order", "Order", 5, false, order},
	{"free", "Free now", 9, false, free_now},
	{"possible", "At most", 9, false, possible},
	{"won", "Won", 9, false, won},
	{"won_bytes", "Bytes", 12, false, won_bytes},
};

static int by_zone(const void *x, const void *y)
{
	const struct pageblock_zone *a = x, *b = y;
	int ret = compare_i64(a->node, b->node);

	return ret ? ret : compare_i64(a->zone, b->zone);
}

static void add_orders(struct document_section *in, const struct report_context *c)
{
	const struct pageblocks *p = pageblocks_of(c);
	const unsigned int orders = pageblocks_order(p);
	const struct pageblock_zone *zones = findings_sorted(in->document, &p->zones, by_zone);
	size_t nr = p->zones.nr * (size_t)orders;
	struct order_row *rows = nr ? document_own(in->document, calloc(nr, sizeof(*rows))) : NULL;

	if (!zones || !rows)
		return;
	for (size_t i = 0; i < nr; i++) {
		const struct pageblock_zone *z = &zones[i / orders];
		unsigned int o = (unsigned int)(i % orders) + 1;

		rows[i] = (struct order_row){z, o, z->runs.free[o], pageblocks_possible(p, z, o)};
	}
	document_add_table(in,
			   &(struct document_table){
				   .id = "orders",
				   .columns = order_columns,
				   .nr_columns = sizeof(order_columns) / sizeof(order_columns[0]),
				   .rows = rows,
				   .row_size = sizeof(*rows),
				   .nr_rows = nr,
				   .rows_total = nr,
				   .context = c,
			   },
			   FOR_ALL);
}

static void add_holders(struct document_section *in, const struct report_context *c, int by)
{
	const struct table *holders = &pageblocks_of(c)->holders[by];
	uint64_t lines = c->options->lines;

	/* in text, an empty table adds nothing to the findings */
	document_add_table(in,
			   &(struct document_table){
				   .id = holder_tables[by].id,
				   .total_id = holder_tables[by].total_id,
				   .columns = holder_tables[by].columns,
				   .nr_columns = holder_tables[by].nr_columns,
				   .rows = findings_sorted(in->document, holders, by_blocks),
				   .row_size = sizeof(struct pageblock_holder),
				   .nr_rows = holders->nr < lines ? holders->nr : lines,
				   .rows_total = holders->nr,
				   .context = c,
				   .look = LOOK_GRID,
			   },
			   holders->nr ? FOR_ALL : FOR_DATA);
}

void pageblocks_build(const void *state, const struct report_context *c,
		      struct document_section *in)
{
	const struct pageblocks *p = state;
	const struct pageblock_totals sum = pageblocks_totals(p);
	struct document_section *s = document_add_section(in, "pageblocks", "PAGEBLOCKS", FOR_ALL);

	if (!s)
		return;
	in->document->failed |= p->no_memory;
	add_findings(s, c, &sum);
	add_summary(s, c, &sum);
	document_add_table(s,
			   &(struct document_table){
				   .id = "types",
				   .columns = type_columns,
				   .nr_columns = sizeof(type_columns) / sizeof(type_columns[0]),
				   .rows = findings_sorted(in->document, &p->types, by_type),
				   .row_size = sizeof(struct pageblock_type),
				   .nr_rows = p->types.nr,
				   .rows_total = p->types.nr,
				   .context = c,
			   },
			   FOR_ALL);
	for (int by = 0; by < HOLDERS_BY; by++)
		add_holders(s, c, by);
	add_orders(s, c);
}
