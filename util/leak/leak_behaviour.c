// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_behaviour.h"

#define HALF	(HISTORY_MOMENTS / 2)
#define QUARTER (HISTORY_MOMENTS / 4)
#define YOUNG	2

/* Equality counts, so limits are integers or exact doubles: with 1.1, the result would depend on
 * the precision of the machine's multiplication. */
static const struct {
	uint64_t rise;	     /* tenths: minimum of the last quarter, divided by the maximum of the
			      * first half */
	double still_rising; /* the rise in the last quarter, divided by the mean of the last two */
	uint64_t survivors;  /* minimum number of survivors */
	unsigned int cohorts; /* minimum number of cohorts with survivors, without the young ones */
	double cohort_part;   /* a cohort counts if it has at least this share of all survivors */
	uint64_t leaking;     /* tenths: share of the median cohort that lives */
} limits = {
	.rise = 11,
	.still_rising = 0.25,
	.survivors = 8,
	.cohorts = 2,
	.cohort_part = 1.0 / 32,
	.leaking = 9,
};

static uint64_t sum(const uint64_t *v, unsigned int nr)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < nr; i++)
		all += v[i];
	return all;
}

static bool rises(const struct leak_history *h)
{
	const uint64_t *live = h->live_bytes, last = live[HISTORY_MOMENTS - 1];
	const uint64_t half_time = live[HALF - 1], before = live[HISTORY_MOMENTS - QUARTER - 1];
	uint64_t most = 0, least = last;

	for (unsigned int i = 0; i < HALF; i++)
		most = live[i] > most ? live[i] : most;
	for (unsigned int i = HISTORY_MOMENTS - QUARTER; i < HISTORY_MOMENTS; i++)
		least = live[i] < least ? live[i] : least;
	if (!least || 10 * least < limits.rise * most || last < half_time)
		return false;
	return (double)last - (double)before >=
	       limits.still_rising * (double)(last - half_time) / 2;
}

static bool keeps_coming(const struct leak_history *h)
{
	uint64_t all = sum(h->survivors, HISTORY_MOMENTS);
	unsigned int cohorts = 0;

	for (unsigned int i = 0; i < HISTORY_MOMENTS - YOUNG; i++)
		cohorts += h->survivors[i] &&
			   (double)h->survivors[i] >= limits.cohort_part * (double)all;
	return all >= limits.survivors && cohorts >= limits.cohorts;
}

/* Whether nearly all of the allocations live in at least half of the cohorts, without young and
 * empty ones. */
static bool middle_cohort_lives(const struct leak_history *h)
{
	unsigned int cohorts = 0, whole = 0;

	for (unsigned int i = 0; i < HISTORY_MOMENTS - YOUNG; i++) {
		cohorts += h->allocs[i] != 0;
		whole += h->allocs[i] && 10 * h->survivors[i] >= limits.leaking * h->allocs[i];
	}
	return 2 * whole >= cohorts;
}

enum leak_behaviour leak_behaviour_of(const struct leak_history *h)
{
	if (rises(h) && keeps_coming(h))
		return middle_cohort_lives(h) ? LEAK_LEAKING : LEAK_GROWING;
	/* one survivor is enough: a leak that stopped may be a small part of its site's
	 * allocations */
	return sum(h->survivors, HISTORY_MOMENTS - QUARTER) ? LEAK_PLATEAU : LEAK_TRANSIENT;
}

int64_t leak_growth(const struct leak_history *h, const uint64_t moments_ns[HISTORY_MOMENTS])
{
	const unsigned int first = HALF - 1, last = HISTORY_MOMENTS - 1;
	double seconds = (double)(moments_ns[last] - moments_ns[first]) / 1e9;
	double bytes = (double)h->live_bytes[last] - (double)h->live_bytes[first];

	if (moments_ns[last] <= moments_ns[first])
		return 0;
	if (bytes >= 9e18 * seconds || bytes <= -9e18 * seconds)
		return bytes > 0 ? INT64_MAX : INT64_MIN;
	return (int64_t)(bytes / seconds);
}

const char *leak_behaviour_name(enum leak_behaviour b)
{
	static const char *const names[] = {
		[LEAK_LEAKING] = "leaking", [LEAK_GROWING] = "growing",
		[LEAK_PLATEAU] = "plateau", [LEAK_TRANSIENT] = "transient",
		[LEAK_UNKNOWN] = "unknown", [LEAK_RECLAIMABLE] = "reclaimable",
	};

	return names[b];
}
