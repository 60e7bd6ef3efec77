/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report of perf kmem leak: some sentences, then what is live by the report's keys, user memory
 * and the page cache apart from the kernel's, then the call sites that cannot be judged.  As text,
 * JSON or CSV.
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
int leak_report_csv(FILE *out, const struct leak *l, const struct kmem_analysis *a,
		    const struct report_options *o, uint64_t lines);

#endif
