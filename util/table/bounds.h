/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_bounds: limits on memory while events arrive for days.
 *
 * All limits are 0 (none) for a recording, which is finite.  A live source sets them.  At each tick
 * of the pipeline, data that grow with time are bounded as follows:
 *
 *   live objects, blocks   at most max_live are followed (allocator_accounts.h).
 *   rows of tables         dead ones are folded into others (stat_fold.h).
 *   names of threads       freed when a thread has ended.
 *   commands, callchains   freed if no row and no thread uses them (util/base/intern.h).
 *   failed allocations     a pair of traces is over after TRACE_PAIR_NS (trace_pair.h).
 *   moments of extfrag     merged with their neighbours.
 *   cgroups                names are kept: about 200 bytes for each cgroup that allocated.
 *   call sites, functions, caches, CPUs   not limited: the kernel has a finite number.
 */
#ifndef TABLE_BOUNDS_H
#define TABLE_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct kmem_bounds {
	uint64_t max_live;	 /* objects, and blocks of pages, followed at a time; 0: all */
	uint32_t max_rows;	 /* of a table: with more, small ones are folded; 0: all */
	uint32_t full_rows;	 /* of a table between two ticks (stat_limit.h); 0: all */
	unsigned int idle_ticks; /* dead rows are folded after this many ticks without a change, in
				  * tables that keep track of that; 0: never */
};

static inline bool kmem_bounds_any(const struct kmem_bounds *b)
{
	return b->max_live || b->max_rows || b->idle_ticks;
}

#endif
