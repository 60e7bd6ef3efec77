/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct stat_recents: recent changes of each row of a stat_table, and its live bytes at recent
 * ticks.
 *
 * The changes are those between the two latest ticks; live bytes are kept for the latest
 * RECENT_MOMENTS ticks. An event costs nothing: a tick compares the counts of each row with those
 * of the previous tick. Objects that are no longer live count as freed, whether or not their free
 * was seen. Allocations that are not tracked (see struct kmem_bounds) count as freed, too. If live
 * objects are unknown, the counted frees are used, and their sizes are unknown. A row that is newer
 * than the latest tick has no interval yet. Zeroed memory has no rows.
 */
#ifndef TABLE_STAT_RECENT_H
#define TABLE_STAT_RECENT_H

#include <stdbool.h>
#include <stdint.h>

#define RECENT_MOMENTS 16

struct stat_recent {
	/* in the latest interval */
	uint64_t hits, bytes_alloc;
	uint64_t freed_hits, bytes_freed;
	uint64_t live[RECENT_MOMENTS]; /* bytes at the ends of the latest intervals, oldest first;
					* 0 before the row was there */
	unsigned int idle;	       /* intervals since anything changed */
};

/* Counts of a row, or of a whole allocator, that ticks compare. */
struct recent_counts {
	uint64_t hits, bytes_alloc, live_hits, live_bytes;
	bool live_unknown;
	uint64_t freed_hits; /* used if live_unknown */
};

struct recent_row {
	struct stat_recent shown;
	struct recent_counts then; /* at the latest tick */
};

struct stat_recents {
	struct recent_row *rows;
	uint32_t nr;
};

void stat_recents_deinit(struct stat_recents *r);

/* Grow to this many rows. Errors: -ENOMEM. */
int stat_recents_reserve(struct stat_recents *r, uint32_t nr);

/* End the interval of a row with these counts. */
void recent_row_tick(struct recent_row *row, const struct recent_counts *now);

/* Add one row to another whose counts grow by as much. Earlier figures enter no interval. */
void recent_row_add(struct recent_row *to, const struct recent_row *from);

#endif
