/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct extfrag: fallbacks to pages of another migrate type (mm_page_alloc_extfrag), the cause of
 * external fragmentation.
 *
 * Events are fed in time order. A fallback is fragmenting if the block that it took from is smaller
 * than a pageblock (fallback_order < pageblock_order): it leaves a pageblock with two types.
 *
 * Fragmenting fallbacks are *frequent* if there are at least EXTFRAG_FREQUENT_MIN and either
 * condition holds. In a span of at least a second, on average EXTFRAG_FREQUENT_PER_SECOND come each
 * second, and at least half of EXTFRAG_SPANS equal slices have one. Or they are at least
 * EXTFRAG_FREQUENT_PERCENT of the recorded page allocations.
 */
#ifndef BUDDY_EXTFRAG_H
#define BUDDY_EXTFRAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/table.h"
#include "util/kmem/account.h"
#include "util/table/timeline.h"

#define EXTFRAG_SPANS		    10
#define EXTFRAG_FREQUENT_MIN	    10
#define EXTFRAG_FREQUENT_PER_SECOND 1.0
#define EXTFRAG_FREQUENT_PERCENT    1.0

struct extfrag_counts {
	uint64_t fallbacks;
	uint64_t fragmenting;	    /* 0 if the pageblock order is unknown */
	uint64_t ownership_changes; /* the whole pageblock was changed to the allocating type */
};

struct extfrag_kind {
	int64_t alloc_migratetype, fallback_migratetype;
	uint64_t alloc_order, fallback_order;
	struct extfrag_counts counts;
};

struct extfrag_caller {
	uint64_t callsite;
	struct extfrag_counts counts;
};

/* Number of fallbacks at this time, or in the merged interval from it. */
struct extfrag_moment {
	uint64_t time_ns;
	uint32_t fallbacks, fragmenting;
};

/* Series of the timeline. */
enum extfrag_series {
	EXTFRAG_FALLBACKS,
	EXTFRAG_FRAGMENTING,
	EXTFRAG_OWNERSHIP,
	EXTFRAG_ALLOCATIONS,
	EXTFRAG_SERIES
};

/* Limit of the moments kept from one tick to the next, with bounds. */
#define EXTFRAG_MOMENTS_MAX (1u << 16)

struct extfrag {
	bool has_events;
	bool has_chain;	     /* with callchains */
	bool has_ownership;  /* the event has change_ownership (since 3.12) */
	int pageblock_order; /* or PAGEBLOCK_ORDER_UNKNOWN */

	bool saw_allocations; /* mm_page_alloc occurred, even if it did not match the filters */
	uint64_t page_allocations; /* number of mm_page_alloc */
	struct extfrag_counts counts;
	struct table kinds;   /* struct extfrag_kind, which starts with the key */
	struct table callers; /* struct extfrag_caller */
	struct extfrag_moment *moments;
	size_t nr_moments, cap_moments;
	uint64_t moment_ns;	   /* length of merged moments; 0: none were merged */
	struct timeline *timeline; /* of enum extfrag_series; NULL: not requested */
};

struct extfrag_span {
	uint64_t fallbacks, fragmenting;
};

struct extfrag_rate {
	uint64_t start_ns, duration_ns;
	double fallbacks_per_second, fragmenting_per_second;
	uint64_t busiest_second_fragmenting; /* seconds are counted from the start */
	struct extfrag_span spans[EXTFRAG_SPANS];
	double fragmenting_percent; /* of the page allocations; -1 if those were not recorded */
	bool frequent;
};

void extfrag_init(struct extfrag *x, int pageblock_order);
void extfrag_deinit(struct extfrag *x);

/* Account one event of any kind, a fallback with its call site. Returns 0, or -ENOMEM. */
int extfrag_account(struct extfrag *x, const struct kmem_event *ev);

/* Merge neighbouring moments until there are at most nr. */
void extfrag_merge_moments(struct extfrag *x, size_t nr);

/*
 * Returns the frequency of fallbacks in the span. length_ns: the part of it within the windows;
 * page_allocations: the recorded number, or 0.
 */
struct extfrag_rate extfrag_rate(const struct extfrag *x, struct source_span span,
				 uint64_t length_ns, uint64_t page_allocations);

/*
 * Returns the step by which the kernel's documentation advises raising vm.min_free_kbytes: 3 *
 * pageblock size * NUMA nodes. 0 if the pageblock order is unknown.
 */
uint64_t extfrag_min_free_step_kib(const struct extfrag *x, uint32_t page_size, uint32_t nr_nodes);

/* The account's part of the report (struct account_ops). */
void extfrag_build(const void *state, const struct report_context *c, struct document_section *in);

#endif
