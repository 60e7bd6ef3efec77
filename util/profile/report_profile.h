/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The document of perf report: the figures and the rows of each event.
 */
#ifndef PROFILE_REPORT_PROFILE_H
#define PROFILE_REPORT_PROFILE_H

#include "util/profile/fields.h"

#define REPORT_WIDTHS_MAX 16

struct profile_report {
	struct histogram_fields columns;
	bool children;
	bool trees;
	bool comments;		       /* text output has lines before each table */
	int widths[REPORT_WIDTHS_MAX]; /* widths of the columns; 0: as wide as needed */
};

/* Add the facts about the recording, before the first event. */
void profile_report_begin(struct document_section *in, const struct profile_report *r,
			  const struct source_facts *facts);

/* A list in it, for the events. NULL if out of memory. */
struct document_section *profile_report_events(struct document_section *in);

/* name: of the event; borrowed, as is the context, whose histogram must be complete. */
void profile_report_event(struct document_section *events, const struct profile_report *r,
			  const char *name, struct fields_context *context);

#endif
