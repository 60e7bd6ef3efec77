// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/page.h"

#include <errno.h>
#include <stdlib.h>

/* An allocation of which at least a page is live; the unused ones form a list through `pages`. */
struct page_block {
	uint32_t pages; /* still live */
	bool counted;	/* in the window: the totals have it */
	uint32_t row[PAGE_TABLES_MAX];
};

void page_init(struct page *p, uint32_t page_size)
{
	*p = (struct page){.page_size = page_size, .nr_blocks = 1};
	page_map_init(&p->map);
}

void page_deinit(struct page *p)
{
	for (unsigned int i = 0; i < p->nr_tables; i++)
		stat_table_deinit(&p->tables[i]);
	page_map_deinit(&p->map);
	free(p->blocks);
}

void page_add_table(struct page *p, const enum kmem_key *by, unsigned int nr_by)
{
	stat_table_init(&p->tables[p->nr_tables++], by, nr_by);
}

static uint32_t new_block(struct page *p)
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

static void count_live(struct page *p, const struct page_block *b, uint64_t hits, uint64_t pages)
{
	uint64_t bytes = pages * p->page_size;

	p->summary.live += hits;
	p->summary.live_bytes += bytes;
	for (unsigned int i = 0; i < p->nr_tables; i++) {
		struct stat_counts *c = stat_table_counts(&p->tables[i], b->row[i]);

		c->live_hits += hits;
		c->live_bytes += bytes;
		c->live_bytes_req += bytes;
	}
}

/* Take pages from a block; the block ends with its last page. */
static void take_pages(struct page *p, uint32_t block, uint32_t pages)
{
	struct page_block *b = &p->blocks[block];

	b->pages -= pages;
	count_live(p, b, b->pages ? 0 : (uint64_t)-1, -(uint64_t)pages);
	if (!b->pages) {
		b->pages = p->free_block;
		p->free_block = block;
	}
}

/* Pages that are allocated while live: their free was not seen. */
static void take_unseen(void *ctx, uint32_t block, uint32_t pages)
{
	take_pages(ctx, block, pages);
}

/* What a free covers, while its pages are taken from their blocks. */
struct free_cover {
	struct page *page;
	uint64_t pages;
	bool in_window;
};

static void take_freed(void *ctx, uint32_t block, uint32_t pages)
{
	struct free_cover *cover = ctx;
	struct page *p = cover->page;
	const struct page_block *b = &p->blocks[block];

	cover->pages += pages;
	if (cover->in_window && b->counted) {
		p->summary.alloc_only_bytes -= (uint64_t)pages * p->page_size;
		p->summary.alloc_only_requests -= b->pages == pages;
	}
	take_pages(p, block, pages);
}

/* Old recordings have the address of struct page only: as good as a number, page by page. */
static uint64_t page_number(const struct kmem_event *ev)
{
	return ev->page ? ev->page >> 6 : ev->pfn;
}

static bool has_failed(const struct kmem_event *ev)
{
	return ev->pfn == PFN_NONE || (!ev->pfn && !ev->page);
}

int page_alloc(struct page *p, const struct kmem_event *ev, uint64_t callsite, bool in_window)
{
	struct alloc_facts facts = {0};
	struct page_block *b;
	uint64_t bytes, pages;
	uint32_t number;
	int ret;

	if (ev->order > PAGE_ORDER_MAX)
		return -EINVAL;
	pages = 1ull << ev->order;
	bytes = pages * p->page_size;
	if (in_window) {
		p->summary.alloc_requests++;
		p->summary.alloc_bytes += bytes;
	}
	if (has_failed(ev)) {
		p->summary.failures += in_window;
		p->summary.failed_bytes += in_window ? bytes : 0;
		return 0;
	}
	facts.bytes_req = facts.bytes_alloc = bytes;
	facts.key[KEY_CALLSITE] = callsite;
	facts.key[KEY_PAGE] = ev->page ? ev->page : ev->pfn;
	facts.key[KEY_ORDER] = ev->order;
	facts.key[KEY_MIGRATETYPE] = (uint64_t)ev->migratetype;
	facts.key[KEY_GFP] = ev->gfp_flags;

	number = new_block(p);
	if (!number)
		return -ENOMEM;
	b = &p->blocks[number];
	b->pages = (uint32_t)pages;
	b->counted = in_window;
	for (unsigned int i = 0; i < p->nr_tables; i++) {
		struct stat_counts *c;

		b->row[i] = stat_table_row(&p->tables[i], &facts);
		if (b->row[i] == STAT_ROW_NONE)
			return -ENOMEM;
		c = stat_table_counts(&p->tables[i], b->row[i]);
		c->last_callsite = callsite;
		c->last_ptr = facts.key[KEY_PAGE];
		if (in_window)
			stat_counts_add(c, bytes, bytes, 1);
	}
	ret = page_map_set(&p->map, page_number(ev), pages, number, take_unseen, p);
	if (ret)
		return ret;
	count_live(p, b, 1, pages);
	if (in_window) {
		p->summary.alloc_only_requests++;
		p->summary.alloc_only_bytes += bytes;
	}
	return 0;
}

int page_free(struct page *p, const struct kmem_event *ev, bool in_window)
{
	struct free_cover cover = {.page = p, .in_window = in_window};
	uint64_t bytes;

	if (ev->order > PAGE_ORDER_MAX)
		return -EINVAL;
	bytes = (uint64_t)p->page_size << ev->order;
	page_map_set(&p->map, page_number(ev), 1ull << ev->order, 0, take_freed, &cover);
	if (!in_window)
		return 0;
	p->summary.free_requests++;
	p->summary.free_bytes += bytes;
	if (cover.pages) {
		p->summary.matched_requests++;
		p->summary.matched_bytes += bytes;
	} else {
		p->summary.free_only_requests++;
		p->summary.free_only_bytes += bytes;
	}
	return 0;
}
