/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct history: live bytes over time, for each row of a stat_table.
 *
 * Time is divided into HISTORY_BUCKETS of equal width.  A row's bucket contains the bytes allocated
 * minus those freed in it, and the number of allocations.  A span that is known beforehand is
 * divided evenly; otherwise, or if it turns out longer, buckets are merged in pairs until the span
 * fits.  At the end history_finish() chooses HISTORY_MOMENTS among the ends of buckets, as evenly
 * as possible; the last one is the end of the span.  Live bytes at a moment are exact: all events
 * before it count (at the last moment, all events).  Cohort i is allocated between moment i - 1
 * and moment i.  Zeroed memory is a history without rows.
 *
 * Rows are large, and most events fall into the same bucket as the previous event.  Changes of the
 * current bucket are collected in a small array and added to the rows when the next bucket begins.
 */
#ifndef TABLE_HISTORY_H
#define TABLE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_MOMENTS 16
#define HISTORY_BUCKETS 64

struct history_row {
	uint64_t bytes[HISTORY_BUCKETS]; /* modulo 2^64 */
	uint32_t allocs[HISTORY_BUCKETS];
};

struct history_change {
	uint64_t bytes; /* modulo 2^64 */
	uint32_t allocs;
	bool listed; /* its row is in `changed` */
};

struct history {
	uint64_t start_ns, width_ns; /* of a bucket; 0: no span and no event yet */
	uint64_t current_start_ns, current_end_ns;
	uint32_t current; /* the latest bucket so far */
	struct history_row *rows;
	struct history_change *now; /* of each row, in the current bucket: not yet in the row */
	uint32_t *changed;	    /* rows with a change in `now`; capacity for all rows */
	uint32_t nr_changed;
	uint32_t nr;
	uint64_t moments_ns[HISTORY_MOMENTS];	 /* from history_finish() */
	uint32_t moment_bucket[HISTORY_MOMENTS]; /* the first bucket after it */
};

/* The expected time span; start and stop are 0 if it is unknown. */
void history_init(struct history *h, uint64_t start_ns, uint64_t stop_ns);
void history_deinit(struct history *h);

/* Make room for this many rows. Errors: -ENOMEM. */
int history_reserve(struct history *h, uint32_t nr);

/* history_add() for a time outside the current bucket. */
void history_add_elsewhere(struct history *h, uint32_t row, uint64_t time_ns, uint64_t bytes,
			   uint32_t allocs);

/* history_add() for a time in the current bucket. */
static inline void history_add_now(struct history *h, uint32_t row, uint64_t bytes, uint32_t allocs)
{
	struct history_change *now = &h->now[row];

	if (!now->listed)
		h->changed[h->nr_changed++] = row;
	now->listed = true;
	now->bytes += bytes;
	now->allocs += allocs;
}

/* Add bytes and allocations (negative: subtract) to a row at a time. The row was reserved. */
static inline void history_add(struct history *h, uint32_t row, uint64_t time_ns, uint64_t bytes,
			       uint32_t allocs)
{
	if (time_ns >= h->current_start_ns && time_ns < h->current_end_ns)
		history_add_now(h, row, bytes, allocs);
	else
		history_add_elsewhere(h, row, time_ns, bytes, allocs);
}

/* Add one row to another. Both were reserved. */
void history_add_row(struct history *h, uint32_t to, uint32_t from);

/* Begin an empty history with the buckets and moments of a finished one. */
void history_init_like(struct history *h, const struct history *like);

/* Add a row of another history with the same buckets. Errors: -ENOMEM. */
int history_add_row_of(struct history *h, uint32_t to, const struct history *of, uint32_t from);

/* Set a row to zero. */
void history_forget(struct history *h, uint32_t row);

/* Choose the moments, up to end_ns. More events may follow. */
void history_finish(struct history *h, uint64_t end_ns);

/* The cohort of an allocation at this time. */
unsigned int history_cohort(const struct history *h, uint64_t time_ns);

/* Add the live bytes at each moment, and the number of allocations in each cohort, to the
 * arrays. */
void history_sum(const struct history *h, uint32_t row, uint64_t live[HISTORY_MOMENTS],
		 uint64_t allocs[HISTORY_MOMENTS]);

#endif
