/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct trace_pairs: distinguishes the second trace of an allocation from another allocation.
 *
 * A large kmalloc is traced twice since about 6.10 ("mm/slab: enable slab allocation tagging for
 * kmalloc and friends"): inside the allocator (__kmalloc_large_node(), called by __kmalloc(),
 * kvmalloc(), ...), and by the allocator's own caller right after. The two have the same pointer,
 * thread and sizes. But so do an object that was freed unseen and another one that took its place
 * at once. The two cases differ in these ways, whatever the functions are called:
 *
 *  - only objects too large for a kmalloc cache are traced twice: more than two pages
 *    (KMALLOC_MAX_CACHE_SIZE, include/linux/slab.h);
 *  - one function cannot be inside and outside of itself: two traces of one call site, or of one
 *    function, are two allocations;
 *  - a call site is one instruction, so it is always inside the allocator or always outside of it.
 *    Inside are those whose traces are followed by the second one, outside are those whose objects
 *    lived on or were freed.  Each pair and each single trace is counted as evidence; before the
 *    first, the function's name gives a hint.
 */
#ifndef ACCOUNTS_TRACE_PAIR_H
#define ACCOUNTS_TRACE_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/table.h"
#include "util/event/kmem_event.h"
#include "util/kmem/account.h"

/* The data of the first trace. */
struct first_trace {
	uint64_t time_ns, bytes_req, bytes_alloc, call_site;
	uint32_t tid;
};

struct trace_pairs {
	struct function_lookup functions;
	uint64_t cached_bytes_max; /* larger objects do not come from a kmalloc cache */
	struct table sites;	   /* by call site */
	struct table failed;	   /* by thread: its latest failed allocation */
};

void trace_pairs_init(struct trace_pairs *p, struct function_lookup functions, uint32_t page_size);
void trace_pairs_deinit(struct trace_pairs *p);

/* Whether the allocation may be traced twice. */
static inline bool trace_pairs_possible(const struct trace_pairs *p, const struct kmem_event *ev)
{
	return ev->bytes_alloc > p->cached_bytes_max && ev->is_kmalloc;
}

/*
 * Whether ev, a possible second trace of the same pointer, is that of this allocation. Returns 1,
 * 0, or -ENOMEM.
 */
int trace_pairs_match(struct trace_pairs *p, const struct first_trace *first,
		      const struct kmem_event *ev);

/* Called when an object of this call site that may be traced twice was freed without a second
 * trace. Returns 0, or -ENOMEM. */
int trace_pairs_note_single(struct trace_pairs *p, uint64_t call_site);

/*
 * The same for failed allocations, which have no pointer: whether ev is the second trace of its
 * thread's latest one, which this call replaces. counted: whether ev counts in the report;
 * *ret_first_counted: whether the first trace did. Returns 1, 0, or -ENOMEM.
 */
int trace_pairs_match_failed(struct trace_pairs *p, const struct kmem_event *ev, bool counted,
			     bool *ret_first_counted);

/* Forget failures that are too old for a second trace. Returns 0, or -ENOMEM. */
int trace_pairs_sweep_failed(struct trace_pairs *p, uint64_t now_ns);

#endif
