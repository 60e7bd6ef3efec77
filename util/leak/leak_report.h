/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of perf kmem leak: sentences, live memory, and the call sites that cannot be judged.
 *
 * Live memory is grouped by the report's keys. User memory and the page cache are separate from the
 * kernel's own.
 */
#ifndef LEAK_LEAK_REPORT_H
#define LEAK_LEAK_REPORT_H

#include "util/leak/leak.h"
#include "util/report/report.h"

struct leak_report {
	const struct report_context *context;
	const struct leak *leak;
	uint64_t lines;	  /* of each table */
	bool has_windows; /* figures refer to a time span that was requested */
};

/* A table of caches in JSON, if there are counts. The counts must outlive the document. */
void leak_caches_report(struct document_section *in, const struct report_context *context,
			const struct leak_caches *caches);

/* ctx: a struct leak_report; it must outlive the document. */
void report_leak(struct document *d, void *ctx);

#endif
