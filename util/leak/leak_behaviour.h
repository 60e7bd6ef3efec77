/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a row of perf kmem leak behaves, judged by its history (util/table/history.h):
 *
 *  1. What lives now is cut into 16 cohorts by the time of allocation; the last two are the young.
 *  2. It RISES when the least that was live in the last quarter is well above the most of the first
 *     half, and the last quarter itself went on rising.  Load that comes and goes does not.
 *  3. It KEEPS COMING when there are enough survivors, of at least two cohorts that are not young.
 *  4. Both, and of the older cohorts the middle one kept nearly all: leaking.
 *  5. Both, but some of each cohort died: growing.
 *  6. Not both, and there are survivors older than a quarter of the time: plateau (a cache or a
 * pool that was filled, or a leak that stopped).
 *  7. Not both, and no such survivors: transient, only the youngest live.
 * The numbers stand in one table in leak_behaviour.c.
 */
#ifndef LEAK_LEAK_BEHAVIOUR_H
#define LEAK_LEAK_BEHAVIOUR_H

#include "util/table/history.h"

struct leak_history {
	uint64_t live_bytes[HISTORY_MOMENTS]; /* at each moment */
	uint64_t allocs[HISTORY_MOMENTS];     /* of each cohort */
	uint64_t survivors[HISTORY_MOMENTS];  /* of those, live at the end */
};

/* In the order of the ranking. */
enum leak_behaviour {
	LEAK_LEAKING,
	LEAK_GROWING,
	LEAK_PLATEAU,
	LEAK_TRANSIENT,
	LEAK_UNKNOWN,	  /* the source has no frees */
	LEAK_RECLAIMABLE, /* the kernel takes it back when memory is short: whatever its history */
	LEAK_BEHAVIOURS,
};

enum leak_behaviour leak_behaviour_of(const struct leak_history *h);

/* Bytes a second over the second half of the time, rounded to none; 0 when that has no length. */
int64_t leak_growth(const struct leak_history *h, const uint64_t moments_ns[HISTORY_MOMENTS]);

/* "leaking" */
const char *leak_behaviour_name(enum leak_behaviour b);

static inline bool leak_behaviour_is_leak(enum leak_behaviour b)
{
	return b == LEAK_LEAKING || b == LEAK_GROWING;
}

#endif
