/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports: a finished kmem_analysis as text (stock's tables) or JSON (DESIGN section 5).
 *
 * A report writes to a FILE and returns 0 or -ENOMEM; write errors stay with
 * the FILE (ferror()).  An output format is one file and its name in REPORT_FORMATS.
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
	bool stock;	/* one of stock's tables: its look where it fits */
};

struct report_options {
	/* as the analysis' tables, in the same order */
	struct table_options slab[TABLES_MAX], page[TABLES_MAX];
	struct column_list fields;   /* nr 0: those that fit the table */
	const struct column *weight; /* of folded stacks */
	bool live;		     /* what is live at the end, not what was allocated */
	bool peak;		     /* the end is the moment when most bytes were live */
	bool header;		     /* text: open with what the recording is */
	bool stock_style;	     /* text: stock's look and nothing beside it */
	bool raw_ip;		     /* addresses, no names */
	bool verbose;		     /* also the functions looked through for call sites */
	bool human;		     /* 1.2 MiB instead of 1258291 */
	bool lifetimes;		     /* show how long objects lived */
	const char *thousands_sep;   /* "" or as the locale has it */
	int columns;		     /* of the terminal; 0: no limit */
	uint64_t lines;		     /* of the tables of --percpu and --extfrag */
};

typedef int (*report_fn)(FILE *out, const struct kmem_analysis *a, const struct report_options *o);

/* The format of this name; NULL: there is none. */
report_fn report_format(const char *name);

/* The formats: NAME is written by report_NAME(). */
#define REPORT_FORMATS(FORMAT) FORMAT(text) FORMAT(json) FORMAT(csv) FORMAT(folded)

#define REPORT_FN(name)                                                                            \
	int report_##name(FILE *out, const struct kmem_analysis *a, const struct report_options *o);
REPORT_FORMATS(REPORT_FN)

/* "text json ...", for people. */
#define REPORT_FORMAT_NAME(name) " " #name
#define REPORT_FORMAT_NAMES	 REPORT_FORMATS(REPORT_FORMAT_NAME)

/* One table of the analysis with all that a format needs to print it. */
struct report_table {
	const struct stat_table *table;
	const struct table_options *options;
	enum allocator allocator;
};

/* The i-th table of all, slab first; false behind the last. */
bool report_table_at(const struct kmem_analysis *a, const struct report_options *o, unsigned int i,
		     struct report_table *ret_table);

/* Of --peak: the moment that the figures are of. */
const struct live_peak *report_peak(const struct kmem_analysis *a, enum allocator allocator);

/* The columns that a table shows: the fields asked for that fit it, or its keys and the figures
 * that its allocator has. */
void report_table_columns(const struct report_table *t, const struct report_options *o,
			  struct column_list *ret_columns);

#endif
