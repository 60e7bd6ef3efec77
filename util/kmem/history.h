/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct history: for each row of a stat_table, how its live bytes went through the time.
 *
 * Time is cut into HISTORY_BUCKETS of one width; a row's bucket has the bytes that were allocated
 * less those freed in it, and the number of allocations.  Where the span is known beforehand it is
 * cut evenly; where it is not, or turns out longer, two buckets become one until all fits.  At the
 * end history_finish() chooses HISTORY_MOMENTS at ends of buckets, as even as those are, the last
 * one the span's end: what is live at a moment is exact (events before it count, at the end all),
 * and cohort i is what was allocated between moment i - 1 and moment i.
 * Zeroed memory is a history without rows.
 */
#ifndef KMEM_HISTORY_H
#define KMEM_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_MOMENTS 16
#define HISTORY_BUCKETS 64

struct history_row {
	uint64_t bytes[HISTORY_BUCKETS]; /* modulo 2^64 */
	uint32_t allocs[HISTORY_BUCKETS];
};

struct history {
	uint64_t start_ns, width_ns; /* of a bucket; 0: no span and no event yet */
	uint64_t current_start_ns, current_end_ns;
	uint32_t current; /* the bucket of the latest event */
	struct history_row *rows;
	uint32_t nr;
	uint64_t moments_ns[HISTORY_MOMENTS];	 /* from history_finish() */
	uint32_t moment_bucket[HISTORY_MOMENTS]; /* the first bucket behind it */
};

/* The span of time that is to come; start and stop 0: not known. */
void history_init(struct history *h, uint64_t start_ns, uint64_t stop_ns);
void history_deinit(struct history *h);

/* Slow path of history_bucket(). */
uint32_t history_seek(struct history *h, uint64_t time_ns);

static inline uint32_t history_bucket(struct history *h, uint64_t time_ns)
{
	if (time_ns >= h->current_start_ns && time_ns < h->current_end_ns)
		return h->current;
	return history_seek(h, time_ns);
}

/* Room for so many rows. Errors: -ENOMEM. */
int history_reserve(struct history *h, uint32_t nr);

/* Add to a row that there is room for: bytes and allocations at a time, or (negative) take them
 * back. */
static inline void history_add(struct history *h, uint32_t row, uint64_t time_ns, uint64_t bytes,
			       uint32_t allocs)
{
	uint32_t bucket = history_bucket(h, time_ns);

	h->rows[row].bytes[bucket] += bytes;
	h->rows[row].allocs[bucket] += allocs;
}

/* No more events: choose the moments of the time up to end_ns. */
void history_finish(struct history *h, uint64_t end_ns);

/* The cohort of what was allocated then. */
unsigned int history_cohort(const struct history *h, uint64_t time_ns);

/* Live bytes at each moment, and how many were allocated in each cohort, added to what is there. */
void history_sum(const struct history *h, uint32_t row, uint64_t live[HISTORY_MOMENTS],
		 uint64_t allocs[HISTORY_MOMENTS]);

#endif
