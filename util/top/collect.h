/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_collector: makes a frame, or a document, from the accounts at the end of an interval.
 *
 * Called when all events of the interval have been accounted, on the thread of the pipeline's
 * callback.
 */
#ifndef TOP_COLLECT_H
#define TOP_COLLECT_H

#include "util/kmem/pipeline.h"
#include "util/leak/leak.h"
#include "util/top/frame.h"
#include "util/top/grouping.h"
#include "util/top/groups.h"

/* Verdicts on the rows of one grouping of an allocator. */
struct top_judged {
	struct leak_grouped leak; /* if known */
	bool known;
	unsigned int grouping;
	uint64_t until_ns; /* when to judge again, by now_ns() */
};

/* State between intervals. Zeroed at first. */
struct top_collector {
	const struct top_groupings *groupings[ACCOUNTS_NR]; /* of allocators' accounts */
	bool raw_ip;					    /* show addresses instead of names */
	uint64_t begin_ns;				    /* start of the first interval */
	struct top_intervals intervals;
	uint64_t nr_lost, nr_lost_before; /* up to the end of the interval, of the previous one */
	uint64_t end_ns;		  /* of the interval, or of --time */
	struct top_judged judged[ACCOUNTS_NR];
};

void top_collector_deinit(struct top_collector *c);

/* Record the end of an interval. Called before the functions below. Errors: -ENOMEM. */
int top_collector_next(struct top_collector *c, struct kmem_pipeline *p,
		       struct tick_interval interval);

/* leak's verdicts on the rows of a grouping, valid until the next call; NULL if what is live is
 * unknown. Errors: -ENOMEM. */
int top_judge(struct top_collector *c, const struct kmem_pipeline *p,
	      const struct top_request *request, const struct leak_rows **ret_rows);

/* The table of an allocator's account. NULL if it is not accounted (yet). */
const struct stat_table *top_table(const struct kmem_pipeline *p, int account);

/* The kernel's own count of slab objects at the end of the interval, whatever the filters are. Zero
 * if unknown: a recording has only that of its end. */
struct slab_totals top_slab_totals(const struct kmem_pipeline *p, struct tick_interval interval);

/* Errors: -ENOMEM. */
int top_collect(struct top_collector *c, const struct kmem_pipeline *p,
		const struct top_request *request, struct tick_interval interval,
		struct top_frame **ret_frame);

/* Lost events by name, if known: "kmalloc 12, kfree 3". */
void top_add_lost(struct strbuf *sb, const struct source_facts *f);

#endif
