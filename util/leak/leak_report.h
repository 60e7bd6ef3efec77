/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of perf kmem leak: who holds what leaks, live memory, and the call sites that cannot
 * be judged.
 *
 * Live memory is grouped by the report's keys. Text lists the kernel's own memory, and sums up the
 * rest in one line: reclaimable memory, user memory, the page cache and the memory of running
 * processes.
 */
#ifndef LEAK_LEAK_REPORT_H
#define LEAK_LEAK_REPORT_H

#include "util/leak/leak.h"
#include "util/leak/leak_who_report.h"
#include "util/report/report.h"

/* The interval that a report ends with; the report is of the whole time until then. */
struct leak_interval {
	uint64_t number;   /* from 1 */
	uint64_t begin_ns; /* of the first interval */
	struct tick_interval time;
};

struct leak_report {
	const struct report_context *context;
	const struct leak *leak;
	uint64_t lines;	  /* of each table */
	bool has_windows; /* figures refer to a time span that was requested */
	bool all;	  /* list reclaimable memory and memory that is not the kernel's own, too */
	struct leak_advice advice;
	const struct leak_interval *interval; /* NULL: the only report */
};

/* Add the interval's figures and a line, as the first contents of a report. */
void leak_interval_add(struct document_section *root, const struct report_context *c,
		       const struct leak_interval *interval);

/* A table of caches in JSON, if there are counts. The counts must outlive the document. */
void leak_caches_report(struct document_section *in, const struct report_context *context,
			const struct leak_caches *caches);

/* ctx: a struct leak_report; it must outlive the document. */
void report_leak(struct document *d, void *ctx);

#endif
