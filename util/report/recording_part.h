/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every report says about the recording that it is made from.
 *
 * People are told which machine it is from, when it was made, with which command, how long it is
 * and how many events it has, and what is missing from it; programs get all facts.  What the
 * recording does not say is left out.  The date is the recording's own, in the time zone of the
 * reader: a file's dates change when it is copied.
 */
#ifndef REPORT_RECORDING_PART_H
#define REPORT_RECORDING_PART_H

#include "util/report/report.h"

/* "# Host: ...", "# Recorded: ..." and so on. */
void recording_add_header(struct document_section *in, const struct report_context *c);

/* The same in one paragraph, with the recording's path: for a report of several recordings. */
void recording_add_short_header(struct document_section *in, const char *label,
				const struct report_context *c);

/* What is missing, and how that affects the figures. */
void recording_add_warnings(struct document_section *in, const struct report_context *c);

/* All facts, for programs, as a section. */
void recording_add_facts(struct document_section *in, const char *id,
			 const struct report_context *c);

/*
 * The filters and time windows that figures are limited to, as options; nothing if there are none.
 * The text output shows them only if it has a header.
 */
void recording_add_filters(struct document_section *in, const struct kmem_options *o, bool header);

#endif
