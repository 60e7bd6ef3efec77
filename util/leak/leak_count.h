/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak_count: the kernel's own count of a cache as a limit on what can leak from it.
 *
 * Objects that seem live but were freed without an event are missing from the kernel's count. The
 * objects allocated since the start that live are at most
 *
 *   growth + uncertainty (util/host/slab_counts.h)
 *     + frees of objects from before the start, which made room for as many new ones
 *     + objects allocated after the count.
 *
 * The count can be seconds older than a report of a live capture. Frees of old objects are counted
 * where an event reports them: no more than there were objects. Those without an event are not
 * known; they would have to keep pace with a leak for it to be missed.
 *
 * A cache grew if its count rose by more than the uncertainty.
 */
#ifndef LEAK_LEAK_COUNT_H
#define LEAK_LEAK_COUNT_H

#include "util/host/slab_counts.h"

struct leak_count {
	/*
	 * Freed objects of the cache wait until there are many. These describe areas of vmalloc
	 * space, which are purged when they cover lazy_max_pages() (mm/vmalloc.c: 32 MB for each
	 * doubling of the CPUs): thousands of stacks of threads, at 20 KB each. Whoever leaks areas
	 * also leaks their pages, which are judged by themselves.
	 */
	bool in_batches;
	bool known; /* the other members are */
	bool grew;
	struct slab_growth growth;
	uint64_t at_most; /* objects of the recorded allocations that can be live */
	uint64_t likely;  /* the same without the uncertainty */
};

/* counts: NULL if they do not cover the report. old_frees: unmatched frees of the cache.
 * uncounted: its survivors that were allocated after the count. */
struct leak_count leak_count_of(const struct slab_counts *counts, const char *cache,
				uint64_t old_frees, uint64_t uncounted);

/*
 * Whether the cache did not grow, and most of the survivors are dead. These are a call site's or,
 * if its frees are not traced, its cache's. A leak of up to the uncertainty does not count as
 * growth: it is cleared only beside more dead objects.
 */
bool leak_count_clears(const struct leak_count *c, uint64_t survivors);

/* A cache, as counted by the kernel and by the events. */
struct leak_cache {
	const char *name;
	struct slab_growth growth;
	uint64_t live_hits; /* survivors of its call sites */
	uint64_t uncounted; /* of these, allocated after the count */
	uint64_t old_frees; /* unmatched frees: of objects from before the start */
	uint64_t dead;	    /* survivors, at least, that were freed without an event */
	/* Minimum numbers of objects that were allocated without an event; 0: few. They came from
	 * a bulk allocation, or from a task whose events are hidden or not recorded. */
	uint64_t unexplained;	  /* that the cache grew by */
	uint64_t untraced_allocs; /* in all, with those that were freed again */
	uint64_t object_bytes;
};

/* Unmatched frees of a cache, and those without a cache, any of which may be its own. */
struct leak_old_frees {
	uint64_t named, unnamed;
};

typedef struct leak_old_frees (*leak_old_frees_fn)(const void *state, const char *cache);

struct leak_caches {
	struct leak_cache *v; /* most unexplained objects first, then by name */
	size_t nr;
	bool known; /* events name their caches, and none are left out: `unexplained` is known */
};

/*
 * All caches of the counts, which own the names and may be NULL. Returns 0, or -ENOMEM.
 */
int leak_caches_init(struct leak_caches *c, const struct slab_counts *counts);
void leak_caches_deinit(struct leak_caches *c);

/* Add a call site's survivors, and those of them that were allocated after the count. A cache that
 * the kernel does not count is ignored. */
void leak_caches_add(struct leak_caches *c, const char *name, uint64_t survivors,
		     uint64_t uncounted);

/*
 * Call this when all survivors have been added. Drops caches with neither growth nor survivors.
 * nr_missing: lost events, and live objects that do not count as survivors, of all caches.
 */
void leak_caches_finish(struct leak_caches *c, leak_old_frees_fn old_frees, const void *state,
			uint64_t nr_missing);

#endif
