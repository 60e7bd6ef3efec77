/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports: a finished kmem_analysis as text (stock's tables) or JSON (DESIGN section 5).
 *
 * A report writes to a FILE and returns 0 or -ENOMEM; write errors stay with
 * the FILE (ferror()).  An output format is one file and one line in formats[] (report.c).
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/kmem/analysis.h"
#include "util/report/sort.h"

struct table_options {
	struct sort_keys sort;
	uint64_t lines; /* LINES_ALL: no limit */
};

struct report_options {
	struct table_options slab_caller, slab_alloc, page_caller, page_alloc;
	bool live;		   /* what is live at the end, not what was allocated */
	bool raw_ip;		   /* addresses, no names */
	bool verbose;		   /* also the functions looked through for call sites */
	const char *thousands_sep; /* "" or as the locale has it */
};

typedef int (*report_fn)(FILE *out, const struct kmem_analysis *a, const struct report_options *o);

/* The format of this name; NULL: there is none. report_format_names(): "text, json". */
report_fn report_format(const char *name);
const char *report_format_names(void);

int report_text(FILE *out, const struct kmem_analysis *a, const struct report_options *o);
int report_json(FILE *out, const struct kmem_analysis *a, const struct report_options *o);

#endif
