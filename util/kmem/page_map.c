// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/page_map.h"

#include <errno.h>

#define LEAF_BITS  6
#define LEAF_PAGES (1u << LEAF_BITS)

struct leaf {
	uint64_t number; /* pfn >> LEAF_BITS */
	uint32_t used;	 /* pages with a block */
	uint32_t block[LEAF_PAGES];
};

void page_map_init(struct page_map *m)
{
	table_init(&m->leaves, sizeof(struct leaf), sizeof(uint64_t));
}

void page_map_deinit(struct page_map *m)
{
	table_deinit(&m->leaves);
}

int page_map_set(struct page_map *m, uint64_t pfn, uint64_t nr, uint32_t block,
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
