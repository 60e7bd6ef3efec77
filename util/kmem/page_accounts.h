/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct page_accounts: what the page allocator did (mm_page_alloc and mm_page_free).
 *
 * Events are fed in the order of time; DESIGN section 4 defines each figure.  Sizes are
 * the recording's page size << order.  A free at another order than the allocation's
 * frees the part of the live block that it covers; the rest stays live.  Pages that are
 * allocated again while live were freed unseen.  Events before the window only feed
 * the live set.  It owns its tables and the live set.
 */
#ifndef KMEM_PAGE_ACCOUNTS_H
#define KMEM_PAGE_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/kmem/counted_rows.h"
#include "util/kmem/kmem_event.h"
#include "util/kmem/live_peak.h"
#include "util/kmem/page_map.h"
#include "util/kmem/stat_table.h"

struct page_summary {
	uint64_t alloc_requests; /* failed ones included */
	uint64_t alloc_bytes;
	uint64_t free_requests;
	uint64_t free_bytes;
	uint64_t matched_requests; /* frees of something that was live */
	uint64_t matched_bytes;
	uint64_t alloc_only_requests; /* allocated in the window, not or not wholly freed in it */
	uint64_t alloc_only_bytes;
	uint64_t free_only_requests;
	uint64_t free_only_bytes;
	uint64_t failures;
	uint64_t failed_bytes;
	uint64_t live; /* blocks of which at least a page is live at the window's end */
	uint64_t live_bytes;
};

#define PAGE_TABLES_MAX 8

struct page_accounts {
	struct page_summary summary;
	struct live_peak peak;
	struct stat_table tables[PAGE_TABLES_MAX];
	unsigned int nr_tables;
	int orders;	/* number of the table by order and migrate type */
	bool has_chain; /* mm_page_alloc was recorded with callchains */
	struct page_map map;
	struct page_block *blocks; /* [0] is not used */
	uint32_t nr_blocks, cap_blocks, free_block;
	struct counted_rows counted; /* live blocks without events */
	uint32_t page_size;
	bool count_unmatched_frees; /* false while a filter is on: nobody knows whose they are */
	uint64_t now_ns;	    /* of the event at hand */
	bool by_address;	    /* the event at hand tells pages by struct page, and no pfn */
};

void page_accounts_init(struct page_accounts *p, uint32_t page_size);
void page_accounts_deinit(struct page_accounts *p);

/*
 * Group allocations also by these keys; before the first event. Returns the table's number, or
 * -1 when there are PAGE_TABLES_MAX already.
 */
int page_accounts_add_table(struct page_accounts *p, const enum kmem_key *by, unsigned int nr_by);

/* The event will be accounted soon: start loading its place in the map into the cache. */
static inline void page_accounts_prefetch(const struct page_accounts *p,
					  const struct kmem_event *ev)
{
	page_map_prefetch(&p->map, ev->page);
}

/* Account one event, an allocation completed by the fact maker. Errors: -ENOMEM. */
int page_accounts_alloc(struct page_accounts *p, const struct kmem_event *ev);
int page_accounts_free(struct page_accounts *p, const struct kmem_event *ev);

/* Figures of allocations without events. Errors: -ENOMEM. */
int page_accounts_add_row(struct page_accounts *p, const struct kmem_event *keys,
			  const struct source_figures *figures);

/* A live block, or so many of a row without events, as page_accounts_for_each_live() shows it. */
struct page_live {
	uint64_t time_ns; /* of its allocation */
	uint64_t hits;
	uint64_t bytes;	     /* of its pages that are live */
	bool in_window;	     /* was its allocation */
	const uint32_t *row; /* in each table */
};

void page_accounts_for_each_live(const struct page_accounts *p,
				 void (*fn)(void *ctx, const struct page_live *block), void *ctx);

#endif
