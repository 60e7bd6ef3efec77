/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The description of the recording in every report.
 *
 * Text shows the machine, the date, the command, the length, the number of events, and what is
 * missing. JSON has all facts. Unknown facts are left out. The date is taken from the recording,
 * because a file's dates change when it is copied. It is shown in the reader's time zone.
 */
#ifndef REPORT_RECORDING_PART_H
#define REPORT_RECORDING_PART_H

#include "util/report/report.h"

/* Add "# Host: ...", "# Recorded: ..." and so on. */
void recording_add_header(struct document_section *in, const struct report_context *c);

/* Add the same in one paragraph, with the recording's path, for a report of several recordings. */
void recording_add_short_header(struct document_section *in, const char *label,
				const struct report_context *c);

/* Add warnings about missing data, and how they affect the figures. */
void recording_add_warnings(struct document_section *in, const struct report_context *c);

/* Add the same in a line for each, with the recording's path, for a report of several recordings.
 */
void recording_add_short_warnings(struct document_section *in, const struct report_context *c);

/* The metric of how much of live memory is followed (allocator_accounts.h), of live events. */
void recording_add_sample_metric(struct document_section *in, const struct source_facts *f,
				 const struct kmem_accounts *a);

/* Add all facts as a JSON section. */
void recording_add_facts(struct document_section *in, const char *id,
			 const struct report_context *c);

/*
 * Add the filters and time windows that figures are limited to, as options. Adds nothing if there
 * are none. header: also show them in text.
 */
void recording_add_filters(struct document_section *in, const struct kmem_options *o, bool header);

#endif
