/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_accounts: what events add up to: slab, pages, the page allocator's inside.
 *
 * Only the accounting thread writes to it while a recording is read (accounting.h), so it begins a
 * cache line and fills it up.
 */
#ifndef KMEM_ACCOUNTS_H
#define KMEM_ACCOUNTS_H

#include "util/base/handoff.h"
#include "util/kmem/extfrag.h"
#include "util/kmem/page.h"
#include "util/kmem/percpu.h"
#include "util/kmem/slab.h"

/* When the most bytes were live, of the moments in the time windows. */
struct live_peak {
	uint64_t bytes;
	uint64_t event;	  /* number of the allocator's event, from 1; 0: nothing was ever live */
	uint64_t time_ns; /* the event's, or when the window began */
	uint64_t ptr;	  /* slab: whose allocation made it; 0 once that was traced again */
};

struct kmem_accounts {
	/* what is accounted and reported */
	_Alignas(CACHE_LINE) bool do_slab;
	bool do_page, do_percpu, do_extfrag;
	bool page_has_chain; /* mm_page_alloc was recorded with callchains */
	int page_orders;     /* number of the page table by order and migrate type */
	struct slab slab;    /* its tables are in the order of the options */
	struct page page;
	struct percpu percpu;
	struct extfrag extfrag;
	uint64_t nr_slab_events, nr_page_events;
	uint64_t nr_in_window;
	uint64_t now_ns;	    /* with windows: of the latest event */
	uint64_t first_ns, last_ns; /* with do_percpu or do_extfrag: of those in the window; or 0 */
	struct live_peak slab_peak, page_peak;
};

/* Is there a report of the page allocator's inside? */
static inline bool accounts_want_inside(const struct kmem_accounts *a)
{
	return a->do_percpu || a->do_extfrag;
}

#endif
