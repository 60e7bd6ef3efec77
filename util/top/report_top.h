/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What top prints without a terminal: an interval as a document, in blocks of text or as one line
 * of JSON.
 */
#ifndef TOP_REPORT_TOP_H
#define TOP_REPORT_TOP_H

#include <stdio.h>

#include "util/render/form.h"
#include "util/report/report.h"
#include "util/top/collect.h"

/* What a block shows. */
struct top_block {
	struct top_request requests[2]; /* grouping and order, of slab and page */
	bool total;			/* text: sums since the start, not rates */
	uint64_t lines;			/* rows of a table; LINES_ALL: no limit */
	uint64_t nr_skipped; /* intervals before this one that could not be written in time */
};

/* Returns 0 or -ENOMEM; write errors are left in the FILE. */
int top_report_write(FILE *out, const struct form *form, const struct report_options *options,
		     const struct top_collector *collector, const struct top_block *block,
		     const struct kmem_pipeline *p, struct tick_interval interval);

#endif
