/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every report says of the recording that it is made from.
 *
 * People read of which machine it is, when it was made, by which command, how long it is and how
 * many events it has, and what is missing from it; programs get all facts.  What the recording does
 * not tell is left out.  The date is the recording's own, in the time zone of the reader: a file's
 * dates change when it is copied.
 */
#ifndef REPORT_RECORDING_PART_H
#define REPORT_RECORDING_PART_H

#include "util/report/report.h"

/* "# Host: ...", "# Recorded: ..." and so on. */
void recording_add_header(struct document_section *in, const struct report_context *c);

/* In one paragraph, with the recording's path: one of several. */
void recording_add_short_header(struct document_section *in, const char *label,
				const struct report_context *c);

/* What is missing, and what that does to the figures. */
void recording_add_warnings(struct document_section *in, const struct report_context *c);

/* All facts, for programs, as a section. */
void recording_add_facts(struct document_section *in, const char *id,
			 const struct report_context *c);

#endif
