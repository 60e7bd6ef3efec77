/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of perf kmem diff: a summary of both recordings, and the rows of each table side by
 * side.
 *
 * A row has the figures of both sides and their changes.
 */
#ifndef REPORT_REPORT_DIFF_H
#define REPORT_REPORT_DIFF_H

#include "util/document/document.h"
#include "util/report/diff.h"

struct diff_report {
	const struct diff *diff;
	uint64_t lines; /* of each table */
};

/* ctx: a struct diff_report; it must outlive the document. */
void report_diff(struct document *d, void *ctx);

#endif
