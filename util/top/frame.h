/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_frame: the data that top shows of one interval.
 *
 * A frame is self-contained: names are text, figures are numbers, and nothing points into the
 * accounts. These go on counting while another thread sorts, filters and draws the frame. That
 * thread asks for other rows with a struct top_request; the next frame answers it.
 */
#ifndef TOP_FRAME_H
#define TOP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/host/slab_counts.h"
#include "util/table/stat_table.h"
#include "util/kmem/account.h"
#include "util/report/column.h"
#include "util/top/suspect.h"

/* The figures of a row, indexed as by top_column_at(). */
#define TOP_COLUMNS 10

/* Names of struct column: rates of the interval, sums since the start, live figures, and
 * "suspect" (suspect.h), which only top has. */
const struct column *top_column_at(unsigned int i);
/* Or TOP_COLUMNS if there is no such column. */
unsigned int top_column_find(const char *name);
/* The value of the column "suspect". */
uint64_t top_suspect(const struct row_view *row);
/* Whether the column of this name is a live figure or derived from one. */
bool top_needs_live(const char *name);

/* Rows beyond this limit are only counted. */
#define TOP_ROWS_MAX 4096

/*
 * The part of a row's live objects by which their caches grew, by the kernel's own count: min(live,
 * growth) of each cache, divided among its rows by their live objects. Objects freed without an
 * event seem live, but do not let a cache grow.
 */
struct top_grown {
	uint64_t hits, bytes;
};

/* Compare by the column, if it is "live" or "live-hit"; otherwise 0. */
int top_grown_compare(const char *column, struct top_grown a, struct top_grown b);

/* The figures of a group's row, which follow its keys. */
struct top_figures {
	struct stat_counts counts;
	struct stat_recent recent;
	/* live bytes that may have been freed without an event: most frees of their call sites and
	 * caches are untraced (leak_is_untraced()) */
	uint64_t live_untraced;
	struct top_grown grown;		/* if has_grown of its struct top_groups */
	const struct leak_row *verdict; /* NULL: not judged */
};

static inline struct top_figures *top_figures_at(uint64_t *keys, unsigned int nr_by)
{
	return (struct top_figures *)(keys + nr_by);
}

static inline const struct top_figures *top_figures_of(const struct row_view *row)
{
	return (const struct top_figures *)(row->key + row->table->nr_by);
}

struct top_row {
	char *name;		       /* owned */
	struct top_grown grown;	       /* the order of "live" and "live-hit" */
	uint64_t values[TOP_COLUMNS];  /* signed if COLUMN_CHANGE */
	uint64_t live[RECENT_MOMENTS]; /* live bytes at the ends of the latest intervals */
};

/* Totals, including the rows beyond TOP_ROWS_MAX. */
struct top_sums {
	uint64_t hits, bytes_alloc, freed_hits, bytes_freed;		 /* in the interval */
	uint64_t total_hits, total_bytes, live_hits, live_bytes, growth; /* growth: signed */
	uint64_t live_untraced; /* live bytes that may have been freed without an event */
	uint64_t live[RECENT_MOMENTS];
};

/* The rows to show. */
struct top_request {
	int account;	       /* enum account_id, of an allocator */
	unsigned int grouping; /* index of the grouping (grouping.h) */
	unsigned int order;    /* the sort column, which also selects rows */
	bool ascending;
	char *details;	     /* name of the row whose details are shown; NULL: none; owned */
	unsigned int serial; /* incremented by each request that cannot wait */
};

struct top_frame {
	/* The request that it answers; for another allocator, if the requested one is not
	 * accounted. */
	struct top_request request;
	unsigned int accounts;	       /* bits: accounts with a table */
	uint64_t begin_ns;	       /* start of the first interval */
	uint64_t start_ns, end_ns;     /* this interval */
	bool last;		       /* the recording has ended */
	uint64_t nr_events;	       /* since the start */
	uint64_t nr_lost, nr_lost_now; /* since the start, in the interval */
	/* one in how many live allocations is followed, and how many at the most */
	uint64_t sample_one_in, max_live;
	char *lost;		  /* "kmalloc 12, kfree 3"; NULL if unknown */
	struct slab_totals slabs; /* by the kernel's own count; 0 objects: unknown */
	struct top_sums sums;
	uint64_t nr_suspects; /* rows with a role (suspect_role()) */
	struct top_row *rows;
	size_t nr_rows;
	uint64_t rows_total;
	struct strbuf details; /* lines of text; empty if not requested */
};

/* The frame was allocated with calloc(). */
void top_frame_free(struct top_frame *f);

int top_request_copy(struct top_request *to, const struct top_request *from);
void top_request_deinit(struct top_request *r);

#endif
