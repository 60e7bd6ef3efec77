// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/accounts/page_map.h"

#include <errno.h>
#include <stdlib.h>

#define LEAF_BITS  PAGE_MAP_AREA_BITS
#define LEAF_PAGES (1u << LEAF_BITS)

/* A part of the map that belongs to a single block. */
#define CHUNK_BITS  9
#define CHUNK_PAGES (1u << CHUNK_BITS)

struct chunk {
	uint64_t number; /* pfn >> CHUNK_BITS */
	uint32_t block;
};

struct leaf {
	uint64_t number; /* pfn >> LEAF_BITS */
	uint32_t used;	 /* number of pages with a block */
	uint32_t block[LEAF_PAGES];
};

void page_map_init(struct page_map *m)
{
	table_init(&m->leaves, sizeof(struct leaf), sizeof(uint64_t));
	table_init(&m->chunks, sizeof(struct chunk), sizeof(uint64_t));
}

void page_map_deinit(struct page_map *m)
{
	table_deinit(&m->leaves);
	table_deinit(&m->chunks);
}

static int set_leaves(struct page_map *m, uint64_t pfn, uint64_t nr, uint32_t block,
		      void (*taken)(void *ctx, uint32_t block, uint32_t pages), void *ctx)
{
	while (nr) {
		uint64_t number = pfn >> LEAF_BITS;
		uint32_t at = (uint32_t)(pfn & (LEAF_PAGES - 1));
		uint32_t end = nr < LEAF_PAGES - at ? at + (uint32_t)nr : LEAF_PAGES;
		struct leaf *leaf =
			block ? table_insert(&m->leaves, &number) : table_find(&m->leaves, &number);

		if (block && !leaf)
			return -ENOMEM;
		nr -= end - at;
		pfn += end - at;
		if (!leaf)
			continue;
		while (at < end) {
			uint32_t old = leaf->block[at], run = 0;

			for (; at < end && leaf->block[at] == old; at++, run++)
				leaf->block[at] = block;
			leaf->used += block ? run : 0;
			if (!old)
				continue;
			leaf->used -= run;
			taken(ctx, old, run);
		}
		if (!leaf->used)
			table_remove(&m->leaves, leaf);
	}
	return 0;
}

/* Ignores taken pages: a chunk has no leaves, so its pages belong to no other block. */
static void take_none(void *ctx, uint32_t block, uint32_t pages)
{
	(void)ctx, (void)block, (void)pages;
}

/*
 * Split the page's chunk into pages, because only some of them will change. Returns 1 if there was
 * a chunk.
 */
static int split_at(struct page_map *m, uint64_t pfn)
{
	uint64_t number = pfn >> CHUNK_BITS;
	struct chunk *chunk = m->chunks.nr ? table_find(&m->chunks, &number) : NULL;
	uint32_t block;

	if (!chunk)
		return 0;
	block = chunk->block;
	table_remove(&m->chunks, chunk);
	return set_leaves(m, number << CHUNK_BITS, CHUNK_PAGES, block, take_none, NULL) ? -ENOMEM
											: 1;
}

static int set_chunk(struct page_map *m, uint64_t pfn, uint32_t block,
		     void (*taken)(void *ctx, uint32_t block, uint32_t pages), void *ctx)
{
	uint64_t number = pfn >> CHUNK_BITS;
	struct chunk *chunk = m->chunks.nr ? table_find(&m->chunks, &number) : NULL;

	if (chunk) {
		uint32_t old = chunk->block;

		if (block)
			chunk->block = block;
		else
			table_remove(&m->chunks, chunk);
		taken(ctx, old, CHUNK_PAGES);
		return 0;
	}
	set_leaves(m, pfn, CHUNK_PAGES, 0, taken, ctx);
	if (!block)
		return 0;
	chunk = table_insert(&m->chunks, &number);
	if (!chunk)
		return -ENOMEM;
	chunk->block = block;
	return 0;
}

/*
 * The fast path: most allocations are of one page. A leaf and a chunk never cover the same page, so
 * chunks are searched only where there is no leaf.
 */
static int give_page(struct page_map *m, uint64_t pfn, uint32_t block,
		     void (*taken)(void *ctx, uint32_t block, uint32_t pages), void *ctx)
{
	uint64_t number = pfn >> LEAF_BITS;
	const struct table_slot *slot =
		table_find_slot_u64(&m->leaves, number, page_map_hash(m, pfn));
	struct leaf *leaf =
		slot ? table_slot_row(&m->leaves, slot) : table_insert(&m->leaves, &number);
	int ret = !leaf ? -ENOMEM : leaf->used ? 0 : split_at(m, pfn);
	uint32_t *place, old;

	if (ret)
		return ret < 0 ? ret : set_leaves(m, pfn, 1, block, taken, ctx);
	place = &leaf->block[pfn & (LEAF_PAGES - 1)];
	old = *place;
	*place = block;
	leaf->used += !old;
	if (old)
		taken(ctx, old, 1);
	return 0;
}

/* The same for block 0. */
static int clear_page(struct page_map *m, uint64_t pfn,
		      void (*taken)(void *ctx, uint32_t block, uint32_t pages), void *ctx)
{
	struct table_slot *slot =
		table_find_slot_u64(&m->leaves, pfn >> LEAF_BITS, page_map_hash(m, pfn));
	struct leaf *leaf;
	uint32_t *place, old;

	if (!slot) {
		int ret = split_at(m, pfn);

		return ret > 0 ? set_leaves(m, pfn, 1, 0, taken, ctx) : ret;
	}
	leaf = table_slot_row(&m->leaves, slot);
	place = &leaf->block[pfn & (LEAF_PAGES - 1)];
	old = *place;
	if (!old)
		return 0;
	*place = 0;
	if (!--leaf->used)
		table_remove_slot(&m->leaves, slot);
	taken(ctx, old, 1);
	return 0;
}

/* Sets pages within the place of one chunk. */
static int set_part(struct page_map *m, uint64_t pfn, uint64_t nr, uint32_t block,
		    void (*taken)(void *ctx, uint32_t block, uint32_t pages), void *ctx)
{
	int ret = split_at(m, pfn);

	return ret < 0 ? ret : set_leaves(m, pfn, nr, block, taken, ctx);
}

int page_map_set(struct page_map *m, uint64_t pfn, uint64_t nr, uint32_t block,
		 void (*taken)(void *ctx, uint32_t block, uint32_t pages), void *ctx)
{
	if (nr == 1)
		return block ? give_page(m, pfn, block, taken, ctx)
			     : clear_page(m, pfn, taken, ctx);
	while (nr) {
		uint64_t here = CHUNK_PAGES - (pfn & (CHUNK_PAGES - 1));
		int ret;

		if (here > nr)
			here = nr;
		ret = here == CHUNK_PAGES ? set_chunk(m, pfn, block, taken, ctx)
					  : set_part(m, pfn, here, block, taken, ctx);
		if (ret)
			return ret;
		pfn += here;
		nr -= here;
	}
	return 0;
}

uint64_t *page_map_areas(const struct page_map *m, uint32_t *ret_nr)
{
	uint64_t *areas = reallocarray(NULL, m->leaves.nr + 1u, sizeof(*areas));
	const struct leaf *leaf;

	*ret_nr = 0;
	for (uint64_t at = 0; areas && (leaf = table_next(&m->leaves, &at));)
		areas[(*ret_nr)++] = leaf->number;
	return areas;
}

uint32_t page_map_block(const struct page_map *m, uint64_t pfn)
{
	uint64_t number = pfn >> LEAF_BITS;
	const struct leaf *leaf = table_find(&m->leaves, &number);

	return leaf ? leaf->block[pfn & (LEAF_PAGES - 1)] : 0;
}

uint32_t page_map_hash(const struct page_map *m, uint64_t pfn)
{
	return table_hash_u64(&m->leaves, pfn >> LEAF_BITS);
}

void page_map_prefetch_index(const struct page_map *m, uint32_t hash)
{
	table_prefetch_slot(&m->leaves, hash);
}

void page_map_prefetch_entry(const struct page_map *m, uint64_t pfn, uint32_t hash)
{
	table_prefetch_row(&m->leaves, hash, 0);
	table_prefetch_row(&m->leaves, hash,
			   offsetof(struct leaf, block) +
				   (pfn & (LEAF_PAGES - 1)) * sizeof(uint32_t));
}
