// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/buddy/pageblocks.h"

#include <errno.h>
#include <stddef.h>

#include "util/kmem/accounts.h"

/* Migrate types that only pageblocks have. */
#define TYPE_CMA 4

static enum page_mobility mobility_of(int64_t type)
{
	return type >= 0 && type < PAGES_OTHER ? (enum page_mobility)type : PAGES_OTHER;
}

/* Returns the mobility that a pageblock of this type is for, or PAGES_OTHER. */
static enum page_mobility meant_for(int64_t block_type)
{
	return block_type == TYPE_CMA ? PAGES_MOVABLE : mobility_of(block_type);
}

static int rank(enum page_mobility mobility)
{
	switch (mobility) {
	case PAGES_MOVABLE:
		return 2;
	case PAGES_RECLAIMABLE:
		return 1;
	default:
		return 0;
	}
}

/* -1: unknown */
static int64_t zone_of(const struct kmem_event *keys)
{
	return keys->zone;
}

static bool pollutes(int64_t type, int64_t block_type)
{
	return rank(mobility_of(type)) < rank(meant_for(block_type));
}

/* ---- the end of a pageblock ------------------------------------------------------------------ */

static void add_type(struct pageblock_type *to, const struct pageblock_type *t)
{
	to->blocks += t->blocks;
	to->mixed += t->mixed;
	to->polluted += t->polluted;
	to->polluting += t->polluting;
	for (int i = 0; i < MOBILITIES; i++)
		to->pages[i] += t->pages[i];
}

static int count_type(struct pageblocks *p, const struct pageblock_type *t)
{
	struct pageblock_type *to = table_insert(&p->types, &t->type);

	if (!to)
		return -ENOMEM;
	add_type(to, t);
	return 0;
}

static struct pageblock_zone *count_zone(struct pageblocks *p, int64_t node, int64_t zone,
					 const uint64_t pages[MOBILITIES], uint64_t blocks)
{
	const int64_t key[] = {node, zone};
	struct pageblock_zone *z = table_insert(&p->zones, key);

	if (!z)
		return NULL;
	z->blocks += blocks;
	for (int i = 0; i < MOBILITIES; i++)
		z->pages += pages[i];
	z->movable += pages[PAGES_MOVABLE];
	return z;
}

static int end_block(struct pageblocks *p)
{
	unsigned int order = pageblocks_order(p);
	struct pageblock_zone *z;

	if (!p->block.open)
		return 0;
	p->block.open = false;
	for (int by = 0; by < HOLDERS_BY; by++)
		if (p->block.holder[by].alone) {
			struct pageblock_holder *h =
				table_row(&p->holders[by], p->block.holder[by].row);

			h->alone++;
		}
	z = count_zone(p, p->block.node, p->block.zone, p->block.type.pages, 1);
	if (!z || count_type(p, &p->block.type))
		return -ENOMEM;
	if (order)
		block_pages_count(&p->maps, order, &z->runs);
	return 0;
}

static int begin_block(struct pageblocks *p, uint64_t number, int type,
		       const struct kmem_event *keys)
{
	unsigned int order = pageblocks_order(p);
	int ret = end_block(p);

	p->block.open = true;
	p->block.number = number;
	p->block.type = (struct pageblock_type){.type = type, .blocks = 1};
	p->block.node = keys->node;
	p->block.zone = zone_of(keys);
	for (int by = 0; by < HOLDERS_BY; by++)
		p->block.holder[by].alone = false;
	block_pages_clear(&p->maps, order ? order : BLOCK_ORDER_MAX);
	return ret;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static int count_holder(struct pageblocks *p, enum holders_by by, const struct kmem_event *keys,
			uint64_t pages)
{
	const struct pageblock_holder key = {
		.callsite = by == BY_PROCESS ? 0 : keys->call_site,
		.comm = by == BY_CALLSITE ? 0 : keys->comm,
		.pid = by == BY_PROCESS ? keys->pid : 0,
		.type = keys->migratetype,
		.block_type = p->block.type.type,
	};
	uint32_t row = table_insert_number(&p->holders[by], &key);
	struct pageblock_holder *h;

	if (row == TABLE_NO_ROW)
		return -ENOMEM;
	h = table_row(&p->holders[by], row);
	h->pages += pages;
	h->allocations++;
	if (h->seen != p->block.number + 1)
		h->blocks++;
	h->seen = p->block.number + 1;
	if (!p->block.type.polluted) {
		p->block.holder[by].row = row;
		p->block.holder[by].alone = true;
	}
	p->block.holder[by].alone &= p->block.holder[by].row == row;
	return 0;
}

/* A part of an allocation that lies in one pageblock. */
static int take_part(struct pageblocks *p, const struct kmem_event *keys, uint64_t first,
		     uint64_t end)
{
	enum page_mobility mobility = mobility_of(keys->migratetype);
	uint64_t block_first = p->block.number << pageblocks_order(p), pages = end - first;
	struct pageblock_type *t = &p->block.type;
	int ret = 0;

	t->pages[mobility] += pages;
	t->mixed |= t->type >= 0 && meant_for(t->type) != mobility;
	if (pollutes(keys->migratetype, t->type)) {
		for (int by = 0; !ret && by < HOLDERS_BY; by++)
			ret = count_holder(p, by, keys, pages);
		t->polluted = 1;
		t->polluting += pages;
	}
	block_pages_use(&p->maps, (uint32_t)(first - block_first), (uint32_t)(end - block_first),
			mobility != PAGES_MOVABLE);
	return ret;
}

/* Whole pageblocks after the first one of an allocation, whose type the source does not report. */
static int take_whole(struct pageblocks *p, const struct kmem_event *keys, uint64_t blocks)
{
	enum page_mobility mobility = mobility_of(keys->migratetype);
	unsigned int order = pageblocks_order(p);
	struct pageblock_type v = {.type = -1, .blocks = blocks};
	struct pageblock_zone *z;

	v.pages[mobility] = blocks << order;
	z = count_zone(p, keys->node, zone_of(keys), v.pages, blocks);
	for (unsigned int run = 0; z && mobility == PAGES_MOVABLE && run <= order; run++)
		z->runs.movable[run] += blocks << (order - run);
	return z ? count_type(p, &v) : -ENOMEM;
}

static int take_pages(struct pageblocks *p, const struct kmem_event *keys, uint64_t first,
		      uint64_t end)
{
	/* before the order is known, all pages are in pageblock 0 */
	unsigned int order = pageblocks_order(p) ? pageblocks_order(p) : BLOCK_ORDER_MAX;
	uint64_t number = first >> order, stop = (number + 1) << order;
	bool begins = number == keys->page >> order;
	int ret = 0;

	if (!p->block.open || p->block.number != number)
		ret = begin_block(p, number, begins ? keys->block_migratetype : -1, keys);
	if (!ret)
		ret = take_part(p, keys, first, stop < end ? stop : end);
	if (ret || stop >= end)
		return ret;
	/* an allocation larger than a pageblock ends at the end of one */
	ret = end_block(p);
	return ret ? ret : take_whole(p, keys, (end - stop) >> order);
}

/* Whether the page is aligned for an allocation of its order. */
static bool is_aligned(const struct kmem_event *keys)
{
	return keys->page != PFN_NONE && !(keys->page & ((1ull << keys->order) - 1));
}

static int add_row(void *state, const struct kmem_event *keys, const struct source_figures *figures)
{
	struct pageblocks *p = state;
	uint64_t first = keys->page, end;

	if (!figures->live_hits)
		return 0;
	if (keys->pageblock_unclear || !is_aligned(keys) ||
	    __builtin_add_overflow(first, 1ull << keys->order, &end)) {
		p->unclear++;
		return 0;
	}
	if (first < p->next_page)
		p->again++;
	if (end <= p->next_page)
		return 0;
	first = first < p->next_page ? p->next_page : first;
	p->next_page = end;
	p->pages += end - first;
	return take_pages(p, keys, first, end);
}

uint64_t pageblocks_possible(const struct pageblocks *p, const struct pageblock_zone *z,
			     unsigned int order)
{
	uint64_t all = z->blocks << pageblocks_order(p), fixed = z->pages - z->movable;
	uint64_t runs = z->runs.movable[order] << order, room, rest;

	if (fixed + runs > all || z->pages > all) /* the source contradicts itself */
		return z->runs.free[order];
	/* where a run cannot be made free, there may still be room for moved pages */
	room = all - fixed - runs;
	rest = z->movable > room ? z->movable - room : 0;
	return z->runs.movable[order] - ((rest + (1ull << order) - 1) >> order);
}

struct pageblock_totals pageblocks_totals(const struct pageblocks *p)
{
	struct pageblock_totals sum = {.all = {.type = -1}};

	for (uint32_t i = 0; i < p->types.nr; i++) {
		const struct pageblock_type *t = table_row(&p->types, i);

		add_type(&sum.all, t);
		if (t->type == PAGES_MOVABLE)
			sum.movable = *t;
	}
	for (uint32_t i = 0; i < p->zones.nr; i++) {
		const struct pageblock_zone *z = table_row(&p->zones, i);
		unsigned int order = pageblocks_order(p);

		sum.won += pageblocks_possible(p, z, order);
	}
	return sum;
}

/* ---- as an account --------------------------------------------------------------------------- */

static int init(void *state, const struct account_setup *setup)
{
	struct pageblocks *p = state;

	p->facts = setup->facts;
	table_init(&p->types, sizeof(struct pageblock_type), sizeof(int64_t));
	table_init(&p->zones, sizeof(struct pageblock_zone), 2 * sizeof(int64_t));
	for (int by = 0; by < HOLDERS_BY; by++)
		table_init(&p->holders[by], sizeof(struct pageblock_holder),
			   offsetof(struct pageblock_holder, blocks));
	return 0;
}

static key_mask_t keys(const void *state)
{
	(void)state;
	return KEY_BIT(KEY_CALLSITE) | KEY_BIT(KEY_COMM);
}

static void finish(void *state, uint64_t stop_ns)
{
	struct pageblocks *p = state;

	(void)stop_ns;
	p->no_memory = end_block(p) != 0;
}

static void deinit(void *state)
{
	struct pageblocks *p = state;

	table_deinit(&p->types);
	table_deinit(&p->zones);
	for (int by = 0; by < HOLDERS_BY; by++)
		table_deinit(&p->holders[by]);
}

const struct account_ops account_pageblocks = {
	.id = "pageblocks",
	.what = "page",
	.stat_help =
		"pageblocks: what is mixed in them, whose pages keep them from being free, and "
		"what compaction could win (page_owner dumps)",
	.kinds = KIND_BIT(KMEM_PAGE_ALLOC),
	.sufficient = KIND_BIT(KMEM_PAGE_ALLOC),
	.completed = KIND_BIT(KMEM_PAGE_ALLOC),
	/* the report depends on all pages of a pageblock, which has one node */
	.filter_keys = KEY_BIT(KEY_NODE),
	.source_keys = KEY_BIT(KEY_PAGE) | KEY_BIT(KEY_BLOCK_MIGRATETYPE),
	.kernel_path = "/sys/kernel/debug/page_owner",
	.size = sizeof(struct pageblocks),
	.init = init,
	.keys = keys,
	.add_row = add_row,
	.finish = finish,
	.deinit = deinit,
	.build = pageblocks_build,
	.tables = &pageblocks_tables,
};
