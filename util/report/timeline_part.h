/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The section "timeline" of an allocator: allocated, freed and live bytes over time
 * (util/table/timeline.h), in JSON. Each series has a number for each step. The section also has
 * the rows of the table with the most live bytes at any step.
 */
#ifndef REPORT_TIMELINE_PART_H
#define REPORT_TIMELINE_PART_H

#include "util/document/document.h"
#include "util/table/timeline.h"
#include "util/report/report.h"

/* Whether there is a table with a timeline, and a span of time. */
bool timeline_part_has(const struct report_context *c, const struct allocator_accounts *a);

/* Does nothing if timeline_part_has() is false. */
void timeline_part_add(struct document_section *in, const struct report_context *c,
		       const struct allocator_accounts *a);

/* A series of counts. Unknown series are left out. */
struct timeline_series {
	const char *id, *label;
	bool known;
};

/*
 * Add the section "timeline" of an account that counts events: a number for each step and series
 * (row i of the timeline is series i), and a line of them in text. Does nothing if t is NULL.
 */
void timeline_part_add_counts(struct document_section *in, const struct report_context *c,
			      const struct timeline *t, const struct timeline_series *series,
			      unsigned int nr);

#endif
