/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What opens a text report: of which machine the recording is, when it was made, by which
 * command, how long it is and how many events it has.
 *
 * Lines begin with '#' and are wrapped where the terminal ends, to at most TEXT_HEADER_COLUMNS.
 * What the recording does not tell is left out.  The date is the recording's own, in the time
 * zone of the reader: a file's dates change when it is copied.
 */
#ifndef REPORT_TEXT_HEADER_H
#define REPORT_TEXT_HEADER_H

#include <stdio.h>

#include "util/report/report.h"

#define TEXT_HEADER_COLUMNS 100

/* Nothing unless o->header. Returns 0 or -ENOMEM, as the last one. */
int text_header_print(FILE *out, const struct kmem_analysis *a, const struct report_options *o);

/* "# LABEL text", wrapped as the others are. */
void text_header_line(FILE *out, const char *label, const char *text,
		      const struct report_options *o);

/* In one paragraph, with the recording's path: one of several, whatever o->header says. */
int text_header_print_short(FILE *out, const char *label, const struct kmem_analysis *a,
			    const struct report_options *o);

#endif
