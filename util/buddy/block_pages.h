/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct block_pages: the pages of one pageblock that are in use or cannot be moved.
 *
 * Pages are numbered from the start of the block. The two maps give, for each order, the number of
 * aligned runs of 2^order pages that are free now, and that would be if all movable pages were
 * elsewhere.
 */
#ifndef BUDDY_BLOCK_PAGES_H
#define BUDDY_BLOCK_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/kmem_event.h"

/* No pageblock is larger than the largest allocation. */
#define BLOCK_ORDER_MAX PAGE_ORDER_MAX
#define BLOCK_ORDERS	(BLOCK_ORDER_MAX + 1)
#define BLOCK_WORDS	((1u << BLOCK_ORDER_MAX) / 64)

struct block_pages {
	uint64_t used[BLOCK_WORDS];
	uint64_t fixed[BLOCK_WORDS]; /* those of them that cannot be moved */
};

/* Numbers of aligned runs, by order. */
struct block_runs {
	uint64_t free[BLOCK_ORDERS];
	uint64_t movable[BLOCK_ORDERS]; /* without fixed pages, so free ones are included */
};

/* Mark all pages of a block of this order as unused. */
void block_pages_clear(struct block_pages *b, unsigned int order);

/* Mark the pages [first, end) as used; they must be in the block. */
void block_pages_use(struct block_pages *b, uint32_t first, uint32_t end, bool fixed);

/* Add the block's runs to *runs. This destroys the maps. */
void block_pages_count(struct block_pages *b, unsigned int order, struct block_runs *runs);

#endif
