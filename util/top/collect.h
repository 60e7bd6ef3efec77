/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the accounts to a frame, or to a document, at the end of an interval.
 *
 * Both are called when all events of the interval have been accounted, on the thread that the
 * pipeline calls back on.
 */
#ifndef TOP_COLLECT_H
#define TOP_COLLECT_H

#include "util/kmem/pipeline.h"
#include "util/top/frame.h"
#include "util/top/grouping.h"
#include "util/top/groups.h"

/* What has been told so far. */
struct top_collector {
	const struct top_groupings *groupings[2]; /* of slab and page */
	bool raw_ip;				  /* addresses instead of names */
	uint64_t begin_ns;			  /* of the first interval */
	struct top_intervals intervals;
	uint64_t nr_lost, nr_lost_before; /* until the end of the interval; of the one before */
};

/* An interval has ended: call it first. */
void top_collector_next(struct top_collector *c, const struct kmem_pipeline *p,
			struct tick_interval interval);

/* The table of an allocator; NULL: it is not accounted (yet). */
const struct stat_table *top_table(const struct kmem_pipeline *p, enum allocator allocator);

/* Errors: -ENOMEM. */
int top_collect(const struct top_collector *c, const struct kmem_pipeline *p,
		const struct top_request *request, struct tick_interval interval,
		struct top_frame **ret_frame);

/* "kmalloc 12, kfree 3": which events were lost, if that is known. */
void top_add_lost(struct strbuf *sb, const struct source_facts *f);

#endif
