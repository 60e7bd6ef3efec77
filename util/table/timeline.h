/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct timeline: bytes allocated, freed and live over time, in total and by row of a stat_table.
 *
 * Time is divided into TIMELINE_STEPS of equal width.  If the span is unknown beforehand, or turns
 * out longer, steps are merged in pairs until the span fits, so at least half of the steps are
 * used.  Live bytes at the end of a step are exact: all events up to it count.  At most
 * TIMELINE_ROWS_MAX rows are followed; further rows enter the totals only.  (history.h has fewer
 * moments, for all rows.)
 *
 * A timeline can also count: each row is a series of counts by step then (timeline_new_counts).
 */
#ifndef TABLE_TIMELINE_H
#define TABLE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_STEPS	  512
#define TIMELINE_ROWS_MAX 4096

struct timeline {
	uint64_t start_ns, width_ns; /* of a step; 0: no span and no event yet */
	/* the step of the latest event; its width is 0 before the first one */
	uint64_t current_start_ns, current_width_ns;
	uint32_t current;
	uint64_t allocated[TIMELINE_STEPS], freed[TIMELINE_STEPS]; /* bytes, modulo 2^64 */
	/*
	 * Changes of live bytes, modulo 2^64: TIMELINE_STEPS times those of `nr` rows.  All rows of
	 * a step lie together, because events change many rows in one step.
	 */
	uint64_t *changes;
	uint32_t nr;
	uint32_t nr_used; /* steps, which have changes */
};

/* The width of a step of a span that is known. */
static inline uint64_t timeline_width(uint64_t start_ns, uint64_t stop_ns)
{
	return (stop_ns - start_ns) / TIMELINE_STEPS + 1;
}

/* On the heap, or NULL if out of memory. start and stop are 0 if unknown. */
struct timeline *timeline_new(uint64_t start_ns, uint64_t stop_ns);
void timeline_free(struct timeline *t);

/* A timeline of nr series of counts. */
struct timeline *timeline_new_counts(uint64_t start_ns, uint64_t stop_ns, uint32_t nr);

/* Grow to this many rows, or to TIMELINE_ROWS_MAX. Errors: -ENOMEM. */
int timeline_reserve(struct timeline *t, uint32_t nr);

/* Make the step of this time the current one. */
void timeline_seek(struct timeline *t, uint64_t time_ns);

/*
 * Add to the live bytes of a row from this time on; negative: subtract.  is_alloc: the change is an
 * allocation (negative: a withdrawn one), not a free.
 */
static inline void timeline_add(struct timeline *t, uint32_t row, uint64_t time_ns, uint64_t bytes,
				bool is_alloc)
{
	if (time_ns - t->current_start_ns >= t->current_width_ns)
		timeline_seek(t, time_ns);
	if (is_alloc)
		t->allocated[t->current] += bytes;
	else
		t->freed[t->current] -= bytes;
	if (row < t->nr)
		t->changes[(size_t)t->current * t->nr + row] += bytes;
}

/* Add n to a series of counts. t may be NULL. */
static inline void timeline_count(struct timeline *t, uint32_t series, uint64_t time_ns, uint64_t n)
{
	if (t && n)
		timeline_add(t, series, time_ns, n, true);
}

/* The changes of a row in the first steps; all 0 if it is not followed. */
void timeline_changes(const struct timeline *t, uint32_t row, uint32_t steps,
		      uint64_t *ret_changes);

/*
 * Live bytes at the end of each step, from timeline_changes(). ret_live may be the same array.
 * Returns the maximum.
 */
uint64_t timeline_live(const uint64_t *changes, uint32_t steps, uint64_t *ret_live);

/* The maximum of live bytes of each of the `nr` rows, on the heap. NULL if out of memory. */
uint64_t *timeline_most(const struct timeline *t, uint32_t steps);

/* Add one row to another; forget a row. */
void timeline_add_row(struct timeline *t, uint32_t to, uint32_t from);
void timeline_forget(struct timeline *t, uint32_t row);

/* The number of steps up to this time, at most TIMELINE_STEPS. */
uint32_t timeline_steps(const struct timeline *t, uint64_t stop_ns);

#endif
