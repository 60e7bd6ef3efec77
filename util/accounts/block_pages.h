/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct block_pages: which pages of one pageblock are in use, and by what.
 *
 * Pages are numbered from the start of the block.  From the two maps follows, for each order, how
 * many aligned runs of 2^order pages are free now, and how many would be if everything that can be
 * moved were elsewhere.
 */
#ifndef ACCOUNTS_BLOCK_PAGES_H
#define ACCOUNTS_BLOCK_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/kmem_event.h"

/* No pageblock is larger than the largest allocation. */
#define BLOCK_ORDER_MAX PAGE_ORDER_MAX
#define BLOCK_ORDERS	(BLOCK_ORDER_MAX + 1)
#define BLOCK_WORDS	((1u << BLOCK_ORDER_MAX) / 64)

struct block_pages {
	uint64_t used[BLOCK_WORDS];
	uint64_t fixed[BLOCK_WORDS]; /* of those, what cannot be moved */
};

/* Aligned runs, by order. */
struct block_runs {
	uint64_t free[BLOCK_ORDERS];
	uint64_t movable[BLOCK_ORDERS]; /* without fixed pages: the free ones are among them */
};

/* No page of a block of this order is in use. */
void block_pages_clear(struct block_pages *b, unsigned int order);

/* These are, from `first` to before `end`, which are in the block. */
void block_pages_use(struct block_pages *b, uint32_t first, uint32_t end, bool fixed);

/* Add its runs to those of others. The maps are lost. */
void block_pages_count(struct block_pages *b, unsigned int order, struct block_runs *runs);

#endif
