/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The document of a balance, or of two: where the memory is, what grew, and what to type next.
 */
#ifndef WHERE_WHERE_REPORT_H
#define WHERE_WHERE_REPORT_H

#include "util/document/document.h"
#include "util/where/advice.h"
#include "util/where/growth.h"
#include "util/where/partition.h"
#include "util/where/texts.h"

struct where_side {
	struct where_texts texts;
	struct partition partition;
};

struct where_report {
	const struct where_side *old; /* NULL: there is one balance */
	const struct where_side *new;
	uint64_t lines; /* limit of the children of a line, and of rows of growth; 0: a default */
	bool header;
	struct advice_options advice;
	struct growth growth; /* set by where_report_init() */
};

/* Compare both sides, if there are two. Out of memory is reported by the document. */
void where_report_init(struct where_report *r);
void where_report_deinit(struct where_report *r);

/* Build the document; ctx is an initialized struct where_report, which must outlive it. */
void where_report_build(struct document *d, void *ctx);

#endif
