/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_frame: what top shows of one interval.
 *
 * It is complete in itself: names are text, figures are numbers, nothing points into the accounts,
 * which go on counting while another thread sorts, filters and draws the frame.  That thread asks
 * for other rows with a struct top_request, and the next frame answers it.
 */
#ifndef TOP_FRAME_H
#define TOP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/table/stat_table.h"
#include "util/report/column.h"

/* The figures of a row, as indices of top_column_at(). */
#define TOP_COLUMNS 9

/* Names of struct column: rates of the interval, sums since the start, and what is live. */
const struct column *top_column_at(unsigned int i);
/* TOP_COLUMNS: it is none of them. */
unsigned int top_column_find(const char *name);
/* Does the column of this name tell what is live, or follow from that? */
bool top_needs_live(const char *name);

/* More rows than this are only counted. */
#define TOP_ROWS_MAX 4096

struct top_row {
	char *name;		       /* owned */
	uint64_t values[TOP_COLUMNS];  /* those of COLUMN_CHANGE are signed */
	uint64_t live[RECENT_MOMENTS]; /* live bytes at the ends of the latest intervals */
};

/* Of the rows and of those beyond TOP_ROWS_MAX. */
struct top_sums {
	uint64_t hits, bytes_alloc, freed_hits, bytes_freed;		 /* in the interval */
	uint64_t total_hits, total_bytes, live_hits, live_bytes, growth; /* growth: signed */
	uint64_t live_untraced; /* live bytes that may have been freed without an event */
	uint64_t live[RECENT_MOMENTS];
};

/* Which rows are wanted. */
struct top_request {
	enum allocator allocator; /* one of them */
	unsigned int grouping;	  /* number of the grouping (grouping.h) */
	unsigned int order; /* the column whose first rows are wanted, if there are too many */
	bool ascending;
	char *details;	     /* the name of the row that is looked at; NULL: none; owned */
	unsigned int serial; /* grows with each request that cannot wait for the next interval */
};

struct top_frame {
	/* That it answers; if its allocator is not accounted, with the other one. */
	struct top_request request;
	unsigned int allocators;       /* that are accounted; bits */
	uint64_t begin_ns;	       /* of the first interval */
	uint64_t start_ns, end_ns;     /* of this one */
	bool last;		       /* the recording has ended */
	uint64_t nr_events;	       /* since the beginning */
	uint64_t nr_lost, nr_lost_now; /* since the beginning, in the interval */
	/* of more than were tracked at a time (--max-live), since the beginning */
	uint64_t nr_untracked, max_live;
	char *lost; /* "kmalloc 12, kfree 3"; NULL: it is not known which */
	struct top_sums sums;
	struct top_row *rows;
	size_t nr_rows;
	uint64_t rows_total;
	struct strbuf details; /* text, in lines; empty: not asked for */
};

/* Of calloc()ed memory. */
void top_frame_free(struct top_frame *f);

int top_request_copy(struct top_request *to, const struct top_request *from);
void top_request_deinit(struct top_request *r);

#endif
