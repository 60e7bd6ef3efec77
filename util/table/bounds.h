/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_bounds: what keeps memory bounded while events come for days.
 *
 * A recording ends, and so does what is kept of it: there all of these are 0.  A live source has
 * them, and what grows with time is bounded, at the ticks of the pipeline, like this:
 *
 *   live objects, blocks   at most max_live; further allocations are counted, but not tracked
 *   rows of tables         dead ones are folded into others (stat_fold.h)
 *   names of threads       given back when a thread has ended
 *   commands, callchains   forgotten if no row and no thread has them (util/base/intern.h)
 *   failed allocations     a pair of traces is over after TRACE_PAIR_NS (trace_pair.h)
 *   moments of extfrag     merged with those beside them
 *   cgroups                their names are kept: some 200 bytes for each that allocated anything
 *   what was learned about call sites, functions, caches and CPUs   there are no more than in the
 *                          kernel
 */
#ifndef TABLE_BOUNDS_H
#define TABLE_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct kmem_bounds {
	uint64_t max_live;	 /* objects, and blocks of pages, tracked at a time; 0: all */
	uint32_t max_rows;	 /* of a table: with more, small ones are folded; 0: all */
	unsigned int idle_ticks; /* dead rows are folded after this many ticks without a change, in
				  * tables that keep track of that; 0: never */
};

static inline bool kmem_bounds_any(const struct kmem_bounds *b)
{
	return b->max_live || b->max_rows || b->idle_ticks;
}

#endif
