/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct stat_recents: for each row of a stat_table what happened between the two latest ticks, and
 * what was live at the latest RECENT_MOMENTS of them.
 *
 * Nothing is done for an event: at a tick the counts of a row are compared with those of the tick
 * before.  So what was freed is what is no longer live, whether its free was seen or only proved;
 * what was allocated but not tracked (see struct kmem_bounds) counts as freed, too.  Where it is
 * not known what is live, frees are those that were counted, of unknown sizes.  A row since the
 * latest tick has no interval yet.  Zeroed memory has no rows.
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

/* The counts of a row, or of a whole allocator, that are compared. */
struct recent_counts {
	uint64_t hits, bytes_alloc, live_hits, live_bytes;
	bool live_unknown;
	uint64_t freed_hits; /* of use where what is live is unknown */
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

/* Make room for this many rows. Errors: -ENOMEM. */
int stat_recents_reserve(struct stat_recents *r, uint32_t nr);

/* An interval of a row ends with these counts. */
void recent_row_tick(struct recent_row *row, const struct recent_counts *now);

/* Add one row to another one, whose counts grow by as much: no interval has what was before it. */
void recent_row_add(struct recent_row *to, const struct recent_row *from);

#endif
