/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top's output without a terminal: an interval as a document, rendered as a block of text or a line
 * of JSON.
 */
#ifndef TOP_REPORT_TOP_H
#define TOP_REPORT_TOP_H

#include <stdio.h>

#include "util/render/form.h"
#include "util/report/report.h"
#include "util/top/collect.h"

/* The contents of a block. */
struct top_block {
	struct top_request requests[ACCOUNTS_NR]; /* grouping and sort order of each account */
	bool total;				  /* text: sums since the start, not rates */
	uint64_t lines;				  /* rows of a table; LINES_ALL: no limit */
	uint64_t nr_skipped; /* number of previous intervals that could not be written in time */
};

/* Returns 0, or -ENOMEM. Write errors stay in the FILE. */
int top_report_write(FILE *out, const struct form *form, const struct report_options *options,
		     struct top_collector *collector, const struct top_block *block,
		     const struct kmem_pipeline *p, struct tick_interval interval);

#endif
