/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of perf kmem stat: a description of the recording, warnings about missing data, and a
 * part for each of the accounts.
 */
#ifndef REPORT_REPORT_STAT_H
#define REPORT_REPORT_STAT_H

#include "util/report/report.h"

/* Build the report and write it. See report_write(). */
int report_write_stat(FILE *out, const struct form *form, const struct kmem_pipeline *a,
		      const struct report_options *o, struct error *err);

#endif
