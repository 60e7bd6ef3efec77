/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The document of perf report: for each event its figures and its rows.
 */
#ifndef PROFILE_REPORT_PROFILE_H
#define PROFILE_REPORT_PROFILE_H

#include "util/profile/fields.h"

#define REPORT_WIDTHS_MAX 16

struct profile_report {
	struct histogram_fields columns;
	bool children;
	bool trees;
	bool comments;		       /* the lines that people get before each table */
	int widths[REPORT_WIDTHS_MAX]; /* of the columns; 0: as wide as needed */
};

/* What is said of the recording, before the first event. */
void profile_report_begin(struct document_section *in, const struct profile_report *r,
			  const struct source_facts *facts);

/* A list in it, for the events. NULL: no memory. */
struct document_section *profile_report_events(struct document_section *in);

/* name: of the event; borrowed, as is the context, whose histogram has been made. */
void profile_report_event(struct document_section *events, const struct profile_report *r,
			  const char *name, struct fields_context *context);

#endif
