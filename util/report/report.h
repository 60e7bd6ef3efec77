/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports: what the accounts of a finished reading say, as a document (util/document).
 *
 * A report knows no form.  It sees the accounts, the names for the numbers in them, the facts of
 * their source and the options, all of which struct report_context points to; it must outlive the
 * document, and so must what it points to.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/kmem/pipeline.h"
#include "util/render/form.h"
#include "util/report/sort.h"

struct table_options {
	struct sort_keys sort;
	uint64_t lines; /* LINES_ALL: no limit */
	bool stock;	/* one of stock's tables: in stock's look if it fits */
};

struct report_options {
	/* in the same order as each account's tables */
	struct table_options by[ACCOUNTS_NR][TABLES_MAX];
	struct column_list fields;   /* nr 0: those that fit the table */
	const struct column *weight; /* for folded stacks */
	bool live;		     /* what is live at the end, not what was allocated */
	bool peak;		     /* the end is the moment when most bytes were live */
	bool header;		     /* begin with a description of the recording */
	bool stock_style;	     /* stock's look and nothing else */
	bool raw_ip;		     /* addresses instead of names */
	bool verbose;		     /* also print the functions looked through for call sites */
	bool human;		     /* 1.2 MiB instead of 1258291 */
	bool ascii;		     /* sparklines in ASCII: the locale's charset is not UTF-8 */
	bool lifetimes;		     /* show how long objects lived */
	const char *thousands_sep;   /* "" or according to the locale */
	int columns;		     /* of the terminal; 0: no limit */
	uint64_t lines;		     /* for the tables of --percpu and --extfrag */
	const struct render_tables *tables; /* NULL: all */
};

struct report_context {
	const struct naming *naming;
	const struct kmem_accounts *accounts;
	const struct source_facts *facts;
	const struct report_options *options;
	const struct kmem_options *kmem; /* what was accounted: the filters and time windows */
	struct source_span span;	 /* that the figures refer to */
	uint64_t length_ns;		 /* the part of it that is in the time
					  * windows */
	uint64_t first_ns, last_ns;	 /* of the events in them; 0, 0: there are none */
};

void report_context_init(struct report_context *c, const struct kmem_pipeline *a,
			 const struct report_options *o);

/*
 * Build a document for a form and write it. Errors: -ENOMEM, -EINVAL (the form cannot); write
 * errors are left in the FILE (ferror()).
 */
int report_write(FILE *out, const struct form *form, const struct report_options *o,
		 void (*build)(struct document *d, void *ctx), void *ctx, struct error *err);

/* What programs find at the start of every report, before the recording: the format's version. */
void report_add_version(struct document_section *root);

/* "1,234", grouped according to the options; buf of UNITS_BUF bytes. Returns buf. */
const char *report_number(const struct report_context *c, char *buf, uint64_t v);

/* One table of the accounts, and how to show it. */
struct report_table {
	const struct stat_table *table;
	const struct table_options *options;
	const struct live_peak *peak; /* with --peak: the moment that the figures refer to */
	enum allocator allocator;
};

/* The i-th of all tables, in the order of the accounts; false after the last. */
bool report_table_at(const struct report_context *c, unsigned int i,
		     struct report_table *ret_table);

#endif
