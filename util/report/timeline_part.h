/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was allocated, freed and live over time (util/table/timeline.h), for programs: the section
 * "timeline" of an allocator, with as many numbers as there are steps in each series, and the rows
 * of the table that held the most at some time.
 */
#ifndef REPORT_TIMELINE_PART_H
#define REPORT_TIMELINE_PART_H

#include "util/document/document.h"
#include "util/table/timeline.h"
#include "util/report/report.h"

/* Is there a table with a timeline, and a span of time? */
bool timeline_part_has(const struct report_context *c, const struct allocator_accounts *a);

/* Does nothing if not. */
void timeline_part_add(struct document_section *in, const struct report_context *c,
		       const struct allocator_accounts *a);

/* A series of counts; an unknown one is left out. */
struct timeline_series {
	const char *id, *label;
	bool known;
};

/*
 * The section "timeline" of an account that counts: a number for each step and series (row i of the
 * timeline is series i), and for people a line of them. Nothing if t is NULL.
 */
void timeline_part_add_counts(struct document_section *in, const struct report_context *c,
			      const struct timeline *t, const struct timeline_series *series,
			      unsigned int nr);

#endif
