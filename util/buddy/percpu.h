/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct percpu: the activity of the per-CPU page lists, and the share of batched frees.
 *
 * Events are fed in time order. A run of refills (mm_page_alloc_zone_locked with percpu_refill) or
 * of drains (mm_page_pcpu_drain) on one CPU is one acquisition of zone->lock. The lock is held with
 * interrupts off, so no other event that is traced here happens on that CPU at the same time,
 * except a fallback.
 *
 * A run ends at any other of these events on its CPU: a refill ends drains and vice versa, as do a
 * direct buddy allocation, mm_page_alloc, mm_page_free, and mm_page_free_batched. Two acquisitions
 * with none of these in between count as one, so without mm_page_alloc and mm_page_free in the
 * recording the number is too low. Counts are events; *_pages count an event of order n as 2^n.
 */
#ifndef BUDDY_PERCPU_H
#define BUDDY_PERCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/table.h"
#include "util/kmem/account.h"
#include "util/table/timeline.h"

enum percpu_run { RUN_NONE, RUN_REFILL, RUN_DRAIN };

struct percpu_cpu {
	int64_t cpu; /* -1: not recorded */
	uint64_t refills, refill_pages, refill_takings;
	uint64_t drains, drain_pages, drain_takings;
	uint64_t direct, direct_pages; /* bypass the lists; each takes the lock */
	uint64_t run;		       /* enum percpu_run: the run of the latest event */
};

/* Series of the timeline, over all CPUs. */
enum percpu_series {
	PERCPU_TAKINGS,
	PERCPU_REFILLED,
	PERCPU_DRAINED,
	PERCPU_DIRECT,
	PERCPU_FREES,
	PERCPU_SERIES
};

struct percpu_caller {
	uint64_t callsite;
	uint64_t frees, pages;
	uint64_t batched; /* frees of pages that also have a mm_page_free_batched */
};

/* Limit of freed pages remembered from one tick to the next, with bounds. */
#define PERCPU_FREED_MAX (1u << 18)

struct percpu {
	/* events that the recording has */
	bool has_lists;	       /* zone_locked or pcpu_drain */
	bool has_frees;	       /* mm_page_free */
	bool has_chain;	       /* with callchains */
	bool has_batched;      /* mm_page_free_batched; without it, all frees look single */
	bool has_refill_field; /* without it (until 5.19) order 0 is a refill, as in the event's own
				* print fmt */
	bool batched_first;    /* until 4.15 it came before the mm_page_free of its page */

	struct table cpus;    /* struct percpu_cpu */
	struct table callers; /* struct percpu_caller */
	struct table freed;   /* page -> its latest free, as long as that may be a batched one */
	uint64_t frees, free_pages;
	uint64_t batched;	   /* number of batched frees */
	uint64_t batched_alone;	   /* mm_page_free_batched whose mm_page_free was not seen */
	struct timeline *timeline; /* of enum percpu_series; NULL: not requested */
};

void percpu_init(struct percpu *p);
void percpu_deinit(struct percpu *p);

/* Account one event of any kind, a free with its call site. Returns 0, or -ENOMEM. */
int percpu_account(struct percpu *p, const struct kmem_event *ev);

/* Returns the sum over all CPUs; its cpu is -1. */
struct percpu_cpu percpu_total(const struct percpu *p);

/*
 * Returns the imbalance of refills and drains between CPUs, in percent: half the sum of the
 * differences between each CPU's share of the pages refilled and its share of those drained. 0:
 * every CPU drains as much as it refills; 100: no CPU does both. -1: no refills, or no drains.
 */
double percpu_imbalance_percent(const struct percpu *p);

/* The account's part of the report (struct account_ops). */
void percpu_build(const void *state, const struct report_context *c, struct document_section *in);

#endif
