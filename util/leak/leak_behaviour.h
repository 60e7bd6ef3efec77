/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classifies the behaviour of a row of perf kmem leak by its history (util/table/history.h):
 *
 * Live allocations are cut into 16 cohorts by time of allocation; the last two are the young.
 *
 * - It RISES when the minimum live bytes of the last quarter are well above the maximum of the
 *   first half, and the last quarter itself went on rising. Load that comes and goes does not.
 * - It KEEPS COMING when there are enough survivors, of at least two cohorts that are not young.
 * - Both, and the median of the older cohorts kept nearly all: leaking.
 * - Both, but some of each cohort died: growing.
 * - Not both, and there are survivors older than a quarter of the time: plateau (a cache or a pool
 *   that was filled, or a leak that stopped).
 * - Not both, and no such survivors: transient, only the youngest live.
 *
 * The limits are in one table in leak_behaviour.c.
 */
#ifndef LEAK_LEAK_BEHAVIOUR_H
#define LEAK_LEAK_BEHAVIOUR_H

#include "util/table/history.h"

struct leak_history {
	uint64_t live_bytes[HISTORY_MOMENTS]; /* at each moment */
	uint64_t allocs[HISTORY_MOMENTS];     /* of each cohort */
	uint64_t survivors[HISTORY_MOMENTS];  /* of these, live at the end */
};

/* In ranking order. */
enum leak_behaviour {
	LEAK_LEAKING,
	LEAK_GROWING,
	LEAK_PLATEAU,
	LEAK_TRANSIENT,
	LEAK_UNKNOWN,	  /* the source lacks frees */
	LEAK_RECLAIMABLE, /* whatever its history: the kernel takes it back when memory is short */
	LEAK_BEHAVIOURS,
};

enum leak_behaviour leak_behaviour_of(const struct leak_history *h);

/* Returns bytes per second over the second half of the time, rounded towards 0; 0 if the
 * half has no length. */
int64_t leak_growth(const struct leak_history *h, const uint64_t moments_ns[HISTORY_MOMENTS]);

/* "leaking" */
const char *leak_behaviour_name(enum leak_behaviour b);

static inline bool leak_behaviour_is_leak(enum leak_behaviour b)
{
	return b == LEAK_LEAKING || b == LEAK_GROWING;
}

#endif
