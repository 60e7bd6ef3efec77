/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of perf kmem leak: two to five sentences, then what is live by call site, then
 * the caches that cannot be judged.  As text or JSON.
 */
#ifndef REPORT_LEAK_REPORT_H
#define REPORT_LEAK_REPORT_H

#include "util/kmem/leak.h"
#include "util/report/report.h"

/* lines: of each table. Return 0 or -ENOMEM; write errors stay with the FILE. */
int leak_report_text(FILE *out, const struct leak *l, const struct kmem_analysis *a,
		     const struct report_options *o, uint64_t lines);
int leak_report_json(FILE *out, const struct leak *l, const struct kmem_analysis *a,
		     uint64_t lines);

#endif
