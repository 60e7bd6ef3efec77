// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/accounts/page.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/cleanup.h"
#include "util/event/known_events.h"
#include "util/kmem/accounts.h"
#include "util/leak/leak_survey.h"

/* An allocation with at least one live page; unused ones form a list through `pages`. */
struct page_block {
	uint32_t pages; /* still live */
	int32_t cpu;
	uint64_t time_ns; /* of the allocation */
	bool used;
	bool filtered_out;
	bool counted; /* in the window: included in the totals */
	bool whole;   /* larger than an area of the sample, and so always followed */
	uint32_t row[STAT_TABLES_MAX];
};

void page_accounts_init(struct page_accounts *p, uint32_t page_size)
{
	*p = (struct page_accounts){.page_size = page_size, .nr_blocks = 1};
	allocator_accounts_init(&p->common);
	page_map_init(&p->map);
}

void page_accounts_deinit(struct page_accounts *p)
{
	allocator_accounts_deinit(&p->common);
	page_map_deinit(&p->map);
	free(p->blocks);
}

static uint32_t new_block(struct page_accounts *p)
{
	uint32_t number = p->free_block;

	if (number) {
		p->free_block = p->blocks[number].pages;
		return number;
	}
	if (p->nr_blocks >= p->cap_blocks) {
		uint64_t cap = p->cap_blocks ? (uint64_t)p->cap_blocks * 3 / 2 : 1024;
		struct page_block *v;

		if (cap > UINT32_MAX)
			return 0;
		v = reallocarray(p->blocks, cap, sizeof(*v));
		if (!v)
			return 0;
		p->blocks = v;
		p->cap_blocks = (uint32_t)cap;
	}
	return p->nr_blocks++;
}

static void release_block(struct page_accounts *p, uint32_t block)
{
	struct page_block *b = &p->blocks[block];

	b->used = false;
	b->pages = p->free_block;
	p->free_block = block;
	p->nr_used--;
}

/* The sample has areas of 2^PAGE_MAP_AREA_BITS pages, because a block may be freed in pieces. */
static bool is_whole(const struct kmem_event *ev)
{
	return ev->order > PAGE_MAP_AREA_BITS;
}

static bool follows(const struct page_accounts *p, const struct kmem_event *ev)
{
	return is_whole(ev) ||
	       allocator_accounts_follows(&p->common, ev->page >> PAGE_MAP_AREA_BITS);
}

/* How many blocks this one counts for. */
static uint64_t weight_of(const struct page_accounts *p, const struct page_block *b)
{
	return b->whole ? 1 : allocator_accounts_weight(&p->common);
}

/* hits, pages: how many live ones there are more in the block; negative: fewer. allocs: how many
 * of the hits are new. */
static inline __attribute__((always_inline)) void count_live(struct page_accounts *p,
							     const struct page_block *b,
							     uint64_t hits, uint64_t pages,
							     uint32_t allocs)
{
	uint64_t n = weight_of(p, b), bytes = n * pages * p->page_size;

	if (b->filtered_out)
		return;
	p->summary.live += n * hits;
	p->summary.live_bytes += bytes;
	for (unsigned int i = 0; i < p->common.nr_counted_in; i++) {
		struct stat_counts *c = stat_table_counts(&p->common.counted_in[i], b->row[i]);

		stat_counts_add_live(c, n * hits, bytes, bytes);
		if (b->counted)
			stat_table_note_live(&p->common.counted_in[i], b->row[i], p->now_ns, bytes,
					     allocs);
	}
}

/* Blocks that were allocated in the window; parameters as of count_live(). */
static void count_alloc_only(struct page_accounts *p, const struct page_block *b, uint64_t hits,
			     uint64_t pages)
{
	if (!b->counted)
		return;
	p->summary.alloc_only_requests += weight_of(p, b) * hits;
	p->summary.alloc_only_bytes += weight_of(p, b) * pages * p->page_size;
}

/* Takes pages from a block, which ends with its last page. */
static void take_pages(struct page_accounts *p, uint32_t block, uint32_t pages)
{
	struct page_block *b = &p->blocks[block];

	b->pages -= pages;
	count_live(p, b, b->pages ? 0 : (uint64_t)-1, -(uint64_t)pages, 0);
	if (!b->pages)
		release_block(p, block);
}

/* In a table by address, a block is one row, whatever its size. */
static uint32_t pages_taken(const struct page_accounts *p, uint32_t block, uint32_t entries)
{
	return p->by_address ? p->blocks[block].pages : entries;
}

/* Context of an allocation, while its pages are taken from older blocks. */
struct alloc_cover {
	struct page_accounts *page;
	const struct kmem_event *event;
};

/* Called for pages that are allocated while live: their free was not seen. */
static void take_unseen(void *ctx, uint32_t block, uint32_t entries)
{
	const struct alloc_cover *cover = ctx;
	struct page_accounts *p = cover->page;
	const struct page_block *b = &p->blocks[block];
	uint32_t pages = pages_taken(p, block, entries);
	bool counted = cover->event->in_window && !b->filtered_out && b->pages == pages;

	for (unsigned int i = 0; counted && i < p->common.nr_counted_in; i++)
		stat_table_counts(&p->common.counted_in[i], b->row[i])->unseen_frees +=
			weight_of(p, b);
	take_pages(p, block, pages);
}

/* Context of a free, while its pages are taken from their blocks. */
struct free_cover {
	struct page_accounts *page;
	const struct kmem_event *event;
	uint64_t pages;
	uint64_t weight;   /* of the freed blocks */
	bool filtered_out; /* true if all freed blocks are */
	int error;	   /* 0 or -ENOMEM */
	/* for cpu_pairs: number of pages counted, and the CPU of the first block */
	uint64_t paired_pages;
	int32_t first_cpu;
};

static void count_pair(struct free_cover *cover, const struct page_block *b, uint32_t pages)
{
	struct page_accounts *p = cover->page;
	int32_t cpu = cover->event->cpu;

	if (!cover->paired_pages)
		cover->first_cpu = b->cpu;
	cover->paired_pages += pages;
	p->common.cpu_pairs->pingpong += b->pages == pages && b->cpu != cpu ? cover->weight : 0;
	cover->error |= cpu_pairs_add(p->common.cpu_pairs, b->cpu, cpu, 0,
				      cover->weight * pages * p->page_size);
}

/* Counts the free itself, and its bytes that were in no block. */
static int count_paired_free(const struct free_cover *cover, uint64_t bytes)
{
	const struct page_accounts *p = cover->page;

	return cpu_pairs_add(p->common.cpu_pairs, cover->first_cpu, cover->event->cpu,
			     cover->weight,
			     cover->weight * (bytes - cover->paired_pages * p->page_size));
}

static void count_freed(struct free_cover *cover, const struct page_block *b, uint32_t pages)
{
	struct page_accounts *p = cover->page;
	bool whole = b->pages == pages;

	count_alloc_only(p, b, whole ? (uint64_t)-1 : 0, -(uint64_t)pages);
	if (p->common.cpu_pairs)
		count_pair(cover, b, pages);
	for (unsigned int i = 0; whole && i < p->common.nr_counted_in; i++) {
		stat_table_counts(&p->common.counted_in[i], b->row[i])->pingpong +=
			b->cpu != cover->event->cpu ? cover->weight : 0;
		cover->error |=
			stat_table_add_lifetimes(&p->common.counted_in[i], b->row[i],
						 cover->event->time_ns - b->time_ns, cover->weight);
	}
}

static void take_freed(void *ctx, uint32_t block, uint32_t entries)
{
	struct free_cover *cover = ctx;
	const struct page_block *b = &cover->page->blocks[block];
	uint32_t pages = pages_taken(cover->page, block, entries);

	cover->pages += pages;
	cover->weight = weight_of(cover->page, b);
	cover->filtered_out &= b->filtered_out;
	if (cover->event->in_window && !b->filtered_out)
		count_freed(cover, b, pages);
	take_pages(cover->page, block, pages);
}

/*
 * Old recordings have only the address of struct page, whose size (32 to 64 bytes) is unknown: an
 * address identifies the block that begins there, but not the pages inside it.
 */
static int set_pages(struct page_accounts *p, const struct kmem_event *ev, uint32_t block,
		     void (*taken)(void *ctx, uint32_t block, uint32_t pages), void *ctx)
{
	p->by_address = ev->by_address;
	return page_map_set(&p->map, ev->page, ev->by_address ? 1 : 1ull << ev->order, block, taken,
			    ctx);
}

static void take_dropped(void *ctx, uint32_t block, uint32_t entries)
{
	struct page_accounts *p = ctx;
	const struct page_block *b = &p->blocks[block];
	uint32_t pages = pages_taken(p, block, entries);

	count_alloc_only(p, b, b->pages == pages ? (uint64_t)-1 : 0, -(uint64_t)pages);
	take_pages(p, block, pages);
}

/* Take the pages of an area, but not those of larger blocks. */
static int drop_area(struct page_accounts *p, uint64_t area)
{
	const uint64_t first = area << PAGE_MAP_AREA_BITS;
	int ret = 0;

	for (uint64_t pfn = first; !ret && pfn < first + (1u << PAGE_MAP_AREA_BITS); pfn++) {
		uint32_t block = page_map_block(&p->map, pfn);

		if (block && !p->blocks[block].whole)
			ret = page_map_set(&p->map, pfn, 1, 0, take_dropped, p);
	}
	return ret;
}

/* Follow half as many areas (see allocator_accounts.h). */
static int thin(struct page_accounts *p)
{
	const uint64_t mask = sample_halved(p->common.sample_mask);
	uint32_t nr;
	_cleanup_free_ uint64_t *areas = page_map_areas(&p->map, &nr);
	int ret = areas ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < nr; i++)
		if (!sample_has(mask, areas[i]))
			ret = drop_area(p, areas[i]);
	for (uint32_t i = 1; !ret && i < p->nr_blocks; i++) {
		const struct page_block *b = &p->blocks[i];

		if (!b->used || b->whole)
			continue;
		count_live(p, b, 1, b->pages, 0);
		count_alloc_only(p, b, 1, b->pages);
	}
	p->common.sample_mask = mask;
	return ret;
}

/* Finds the block's rows in all tables. */
static int count_rows(struct page_accounts *p, struct page_block *b, const struct kmem_event *ev)
{
	for (unsigned int i = 0; i < p->common.nr_counted_in; i++) {
		struct stat_table *t = &p->common.counted_in[i];

		b->row[i] = stat_table_row(t, ev);
		if (b->row[i] == STAT_ROW_NONE)
			return -ENOMEM;
		stat_table_counts(t, b->row[i])->last_callsite = ev->call_site;
		if (b->counted)
			stat_table_count(t, b->row[i], ev->time_ns, ev->bytes_req, ev->bytes_req,
					 1);
	}
	return 0;
}

int page_accounts_alloc(struct page_accounts *p, const struct kmem_event *ev)
{
	struct alloc_cover cover = {p, ev};
	bool counted = ev->in_window && !ev->filtered_out;
	uint64_t pages = 1ull << ev->order, bytes = ev->bytes_req;
	struct page_block *b;
	uint32_t number;
	bool followed;
	int ret;

	p->now_ns = ev->time_ns;
	if (counted) {
		p->summary.alloc_requests++;
		p->summary.alloc_bytes += bytes;
	}
	if (kmem_event_has_failed(ev)) {
		p->summary.failures += counted;
		p->summary.failed_bytes += counted ? bytes : 0;
		return 0;
	}
	number = new_block(p);
	if (!number)
		return -ENOMEM;
	b = &p->blocks[number];
	*b = (struct page_block){
		.pages = (uint32_t)pages,
		.cpu = ev->cpu,
		.time_ns = ev->time_ns,
		.used = true,
		.filtered_out = ev->filtered_out,
		.counted = counted,
		.whole = is_whole(ev),
	};
	p->nr_used++;
	followed = follows(p, ev);
	ret = b->filtered_out ? 0 : count_rows(p, b, ev);
	if (!ret)
		ret = set_pages(p, ev, followed ? number : 0, take_unseen, &cover);
	if (!followed)
		release_block(p, number);
	if (ret || !followed)
		return ret;
	count_live(p, b, 1, pages, 1);
	count_alloc_only(p, b, 1, pages);
	return allocator_accounts_is_full(&p->common, p->nr_used) ? thin(p) : 0;
}

/* How many frees one of pages that are in no block counts for: none if it is not in the sample. */
static uint64_t weight_of_unmatched(const struct page_accounts *p, const struct kmem_event *ev)
{
	if (is_whole(ev))
		return 1;
	return follows(p, ev) ? allocator_accounts_weight(&p->common) : 0;
}

int page_accounts_free(struct page_accounts *p, const struct kmem_event *ev)
{
	struct free_cover cover = {.page = p, .event = ev, .filtered_out = true};
	uint64_t bytes = (uint64_t)p->page_size << ev->order, n;
	int ret;

	p->now_ns = ev->time_ns;
	ret = set_pages(p, ev, 0, take_freed, &cover);
	if (ret || cover.error)
		return ret ? ret : cover.error;
	if (!ev->in_window || (cover.pages ? cover.filtered_out : !p->common.count_unmatched_frees))
		return 0;
	n = cover.pages ? cover.weight : weight_of_unmatched(p, ev);
	p->summary.free_requests += n;
	p->summary.free_bytes += n * bytes;
	if (cover.pages) {
		p->summary.matched_requests += n;
		p->summary.matched_bytes += n * bytes;
		if (p->common.cpu_pairs)
			ret = count_paired_free(&cover, bytes);
	} else {
		p->summary.free_only_requests += n;
		p->summary.free_only_bytes += n * bytes;
	}
	return ret;
}

static void move_rows(void *ctx, unsigned int table, const uint32_t *moved)
{
	struct page_accounts *p = ctx;

	for (uint32_t i = 1; i < p->nr_blocks; i++) {
		struct page_block *b = &p->blocks[i];

		if (b->used && !b->filtered_out)
			b->row[table] = moved[b->row[table]];
	}
}

static int tick(void *state, const struct account_tick *tick)
{
	struct page_accounts *p = state;
	const struct page_summary *t = &p->summary;
	const struct recent_counts total = {t->alloc_requests - t->failures,
					    t->alloc_bytes - t->failed_bytes, t->live,
					    t->live_bytes};

	return allocator_accounts_tick(&p->common, &total, tick, move_rows, p);
}

static void for_each_live(const void *state, account_live_fn fn, void *ctx)
{
	const struct page_accounts *p = state;

	for (uint32_t i = 1; i < p->nr_blocks; i++) {
		const struct page_block *b = &p->blocks[i];
		uint64_t n = weight_of(p, b);
		struct account_live live = {.time_ns = b->time_ns,
					    .last_ns = b->time_ns,
					    .hits = n,
					    .bytes = n * b->pages * p->page_size,
					    .in_window = b->counted,
					    .row = b->row};

		if (b->used && !b->filtered_out)
			fn(ctx, &live);
	}
	allocator_accounts_for_each_counted(&p->common, fn, ctx);
}

/* ---- as an account -------------------------------------------------------------------------- */

static const struct account_record recorded[] = {
	{"kmem:mm_page_alloc", true, true},
	{"kmem:mm_page_free", false, false},
};

static int init(void *state, const struct account_setup *setup)
{
	static const enum kmem_key orders[] = {KEY_ORDER, KEY_MIGRATETYPE};
	const struct tables_spec *tables = &setup->options->tables[ACCOUNT_page];
	struct page_accounts *p = state;

	page_accounts_init(p, setup->page_size);
	for (unsigned int i = 0; i < tables->nr; i++)
		allocator_accounts_add_table(&p->common, tables->v[i].by, tables->v[i].nr_by);
	if (setup->options->summary_tables)
		p->orders = allocator_accounts_add_table(&p->common, orders, 2);
	return accounts_prepare_allocator(setup, &p->common, tables);
}

static void bind(void *state, const struct event_type *type)
{
	struct page_accounts *p = state;

	p->has_chain |= type->kind == KMEM_PAGE_ALLOC && type->has_callchain;
}

static key_mask_t keys(const void *state)
{
	const struct page_accounts *p = state;
	key_mask_t bits = allocator_accounts_keys(&p->common);

	/* a table of pages can show the latest owner of a page */
	return bits >> KEY_PAGE & 1 ? bits | KEY_BIT(KEY_CALLSITE) : bits;
}

static int take_event(void *state, const struct kmem_event *ev, uint32_t hash)
{
	struct page_accounts *p = state;
	int ret;

	(void)hash;
	if (!live_peak_next(&p->common.peak, p->summary.live_bytes, ev->time_ns))
		return 0;
	if (ev->kind == KMEM_PAGE_FREE)
		return page_accounts_free(p, ev);
	ret = page_accounts_alloc(p, ev);
	if (ev->in_window)
		live_peak_note(&p->common.peak, p->summary.live_bytes, ev->time_ns);
	return ret;
}

static inline __attribute__((always_inline)) uint32_t prefetch_index(const void *state,
								     const struct kmem_event *ev)
{
	const struct page_accounts *p = state;
	uint32_t hash = page_map_hash(&p->map, ev->page);

	page_map_prefetch_index(&p->map, hash);
	stat_table_prefetch_index(p->common.counted_in, ev);
	return hash;
}

static void prefetch_rows(const void *state, const struct kmem_event *ev, uint32_t hash)
{
	const struct page_accounts *p = state;

	page_map_prefetch_entry(&p->map, ev->page, hash);
	stat_table_prefetch_row(p->common.counted_in, ev);
}

static int take(void *state, const struct account_events *events, uint32_t kinds)
{
	return account_take_each(
		state, events, kinds,
		(struct account_take){prefetch_index, prefetch_rows, take_event, TAKES_ALL});
}

static int add_row(void *state, const struct kmem_event *keys, const struct source_figures *figures)
{
	struct page_accounts *p = state;
	uint64_t freed = figures->hits - figures->live_hits;
	uint64_t freed_bytes = figures->bytes_alloc - figures->live_bytes;
	struct page_summary *t = &p->summary;

	t->alloc_requests += figures->hits;
	t->alloc_bytes += figures->bytes_alloc;
	t->free_requests += freed;
	t->free_bytes += freed_bytes;
	t->matched_requests += freed;
	t->matched_bytes += freed_bytes;
	t->alloc_only_requests += figures->live_hits;
	t->alloc_only_bytes += figures->live_bytes;
	t->live += figures->live_hits;
	t->live_bytes += figures->live_bytes;
	return allocator_accounts_add_row(&p->common, keys, figures);
}

static void finish(void *state, uint64_t stop_ns)
{
	struct page_accounts *p = state;

	allocator_accounts_finish(&p->common, p->summary.live_bytes, stop_ns);
}

static void deinit(void *state)
{
	page_accounts_deinit(state);
}

static struct account_totals totals(const void *state)
{
	const struct page_summary *t = &((const struct page_accounts *)state)->summary;

	return (struct account_totals){t->alloc_requests, t->alloc_bytes};
}

static const struct leak_allocator leak = {
	.by = {{KEY_CALLSITE}, .nr_by = 1},
	.sites = {{KEY_CALLSITE, KEY_MIGRATETYPE}, .nr_by = 2},
	.object = "page block",
	.titles = {[LEAK_KERNEL] = "Pages of the kernel",
		   [LEAK_PAGE_CACHE] = "Pages of the page cache: not a kernel leak",
		   [LEAK_SHMEM] = "Pages of shared memory and tmpfs",
		   [LEAK_USER] = "Pages of user memory: not a kernel leak",
		   [LEAK_SLAB_PAGES] = ("Pages of the slab allocator: leak --slab of a recording "
					"judges their objects"),
		   [LEAK_PROCESS] = "Pages of processes that still run"},
	.untraced_heading = "Frees not traced (pages)",
	.nr_untraced_keys = 1,
};

static const struct allocator_ops allocator = {
	.bit = ALLOCATOR_PAGE,
	.common_offset = offsetof(struct page_accounts, common),
	.objects = "allocations of pages",
	.title = "Page",
	.alloc = KMEM_PAGE_ALLOC,
	.free = KMEM_PAGE_FREE,
	.caller = {{{KEY_CALLSITE, KEY_ORDER, KEY_MIGRATETYPE, KEY_GFP}, 4}, "bytes,hit"},
	.alloc_table = {{{KEY_PAGE, KEY_ORDER, KEY_MIGRATETYPE, KEY_GFP}, 4}, "bytes,hit"},
	.pictures = {{{KEY_CALLSITE, KEY_ORDER, KEY_MIGRATETYPE}, 3}, "bytes,hit"},
	.overview =
		{
			{{{KEY_CALLSITE}, 1}, "bytes,hit", "Call sites"},
			{{{KEY_ORDER, KEY_MIGRATETYPE}, 2},
			 "bytes,hit",
			 "Orders and migrate types"},
			{{{KEY_COMM}, 1}, "bytes,hit", "Commands"},
		},
	.leak = &leak,
	.totals = totals,
	.for_each_live = for_each_live,
};

#define KINDS (KIND_BIT(KMEM_PAGE_ALLOC) | KIND_BIT(KMEM_PAGE_FREE))

const struct account_ops account_page = {
	.id = "page",
	.what = "page",
	.stat_help = "the page allocator",
	.record_help = "page allocator events, with the kernel's callchains",
	.allocator = &allocator,
	.kinds = KINDS,
	.sufficient = KINDS,
	.completed = KIND_BIT(KMEM_PAGE_ALLOC),
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.size = sizeof(struct page_accounts),
	.init = init,
	.bind = bind,
	.keys = keys,
	.take = take,
	.add_row = add_row,
	.tick = tick,
	.finish = finish,
	.deinit = deinit,
	.build = page_build,
};
