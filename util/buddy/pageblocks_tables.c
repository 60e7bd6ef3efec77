// SPDX-License-Identifier: GPL-2.0-or-later
/* --pageblocks as tables of named figures, for diff. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/buddy/pageblocks.h"
#include "util/report/key_column.h"
#include "util/report/report.h"
#include "util/source/source_table.h"

enum { TOTALS, TYPES, CALLSITES, PROCESSES, ORDERS, KINDS };

static const struct source_table_kind kinds[KINDS] = {
	[TOTALS] = {"totals", "PAGEBLOCKS", "What", {{"number", "Number", false}}, 1},
	[TYPES] = {"types",
		   "PAGEBLOCKS BY TYPE",
		   "Pageblocks",
		   {{"blocks", "Number", false},
		    {"mixed", "Mixed", false},
		    {"polluted", "Polluted", false},
		    {"movable_pages", "Movable pages", false},
		    {"reclaimable_pages", "Reclaimable", false},
		    {"unmovable_pages", "Unmovable", false},
		    {"other_pages", "Other", false}},
		   7,
		   .is_matrix = true},
	[CALLSITES] = {"callsites",
		       "PAGEBLOCKS POLLUTED BY CALL SITE",
		       "Allocated by",
		       {{"pages", "Pages", false},
			{"blocks", "Blocks", false},
			{"blocks_alone", "Alone", false}},
		       3},
	[PROCESSES] = {"processes",
		       "PAGEBLOCKS POLLUTED BY PROCESS",
		       "Process",
		       {{"pages", "Pages", false},
			{"blocks", "Blocks", false},
			{"blocks_alone", "Alone", false}},
		       3},
	[ORDERS] = {"orders",
		    "FREE RUNS BY ORDER",
		    "Where",
		    {{"possible", "At most", false}, {"free", "Free now", false}},
		    2,
		    .is_matrix = true},
};

static int add(struct source_table *t, const char *name, const uint64_t *v)
{
	return source_table_add(t, name, strlen(name), v, t->kind->nr_columns);
}

static const char *type_name(const struct report_context *c, int64_t type)
{
	return type < 0 ? "unknown"
			: key_value(c->naming, KEY_MIGRATETYPE, (uint64_t)type, NULL).text;
}

static int fill_totals(const struct pageblocks *p, struct source_table *t)
{
	const struct pageblock_totals sum = pageblocks_totals(p);
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{"pages in use", p->pages},
		{"pageblocks with a page in use", sum.all.blocks},
		{"mixed pageblocks", sum.all.mixed},
		{"polluted pageblocks", sum.all.polluted},
		{"polluted movable pageblocks", sum.movable.polluted},
		{"polluting pages", sum.all.polluting},
		{"pageblocks that compaction could free", sum.won},
	};
	size_t nr = sizeof(rows) / sizeof(rows[0]) - !pageblocks_order(p);
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++)
		ret = add(t, rows[i].name, &rows[i].value);
	return ret;
}

static int fill_types(const struct pageblocks *p, const struct report_context *c,
		      struct source_table *table)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < p->types.nr; i++) {
		const struct pageblock_type *t = table_row(&p->types, i);
		const uint64_t v[] = {t->blocks,
				      t->mixed,
				      t->polluted,
				      t->pages[PAGES_MOVABLE],
				      t->pages[PAGES_RECLAIMABLE],
				      t->pages[PAGES_UNMOVABLE],
				      t->pages[PAGES_OTHER]};

		ret = add(table, type_name(c, t->type), v);
	}
	return ret;
}

static void name_callsite(char *buf, size_t size, const struct report_context *c, uint64_t address,
			  bool by_function)
{
	const struct value_callsite site = naming_callsite(c->naming, address);

	if (!site.symbol)
		snprintf(buf, size, address ? "0x%" PRIx64 : "unknown", address);
	else if (by_function || site.is_place)
		snprintf(buf, size, "%s", site.symbol);
	else
		snprintf(buf, size, "%s+%" PRIx64, site.symbol, site.offset);
}

static int fill_holders(const struct pageblocks *p, const struct report_context *c, int by,
			bool by_function, struct source_table *table)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < p->holders[by].nr; i++) {
		const struct pageblock_holder *h = table_row(&p->holders[by], i);
		const uint64_t v[] = {h->pages, h->blocks, h->alone};
		char who[160], name[SOURCE_TABLE_NAME_MAX];

		if (by == BY_CALLSITE)
			name_callsite(who, sizeof(who), c, h->callsite, by_function);
		else
			snprintf(who, sizeof(who), "%s-%" PRId32,
				 key_value(c->naming, KEY_COMM, h->comm, NULL).text,
				 (int32_t)h->pid);
		snprintf(name, sizeof(name), "%s: %s in %s", who, type_name(c, h->type),
			 type_name(c, h->block_type));
		ret = add(table, name, v);
	}
	return ret;
}

static int fill_orders(const struct pageblocks *p, struct source_table *table)
{
	int ret = 0;

	for (uint32_t i = 0; i < p->zones.nr; i++) {
		const struct pageblock_zone *z = table_row(&p->zones, i);

		for (unsigned int o = 1; !ret && o <= pageblocks_order(p); o++) {
			const uint64_t v[] = {pageblocks_possible(p, z, o), z->runs.free[o]};
			char name[96];

			snprintf(name, sizeof(name), "node %" PRId64 ", zone %" PRId64 ", order %u",
				 z->node, z->zone, o);
			ret = add(table, name, v);
		}
	}
	return ret;
}

static int fill(const void *state, const struct report_context *c, bool by_function,
		struct source_table *tables, uint32_t *ret_missing)
{
	const struct pageblocks *p = state;
	int ret = p->no_memory ? -ENOMEM : fill_totals(p, &tables[TOTALS]);

	if (!ret)
		ret = fill_types(p, c, &tables[TYPES]);
	if (!ret)
		ret = fill_holders(p, c, BY_CALLSITE, by_function, &tables[CALLSITES]);
	if (!ret)
		ret = fill_holders(p, c, BY_PROCESS, by_function, &tables[PROCESSES]);
	if (!ret)
		ret = fill_orders(p, &tables[ORDERS]);
	*ret_missing = pageblocks_order(p) ? 0 : 1u << ORDERS;
	return ret;
}

const struct account_tables pageblocks_tables = {kinds, KINDS, fill};
