/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct report_context: the input of reports, which describe accounts as a document
 * (util/document).
 *
 * Reports do not depend on the output format. Their input is the accounts, the names for the
 * numbers in them, the facts of their source and the options. The context and everything that it
 * points to must outlive the document.
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
	uint64_t lines;	      /* LINES_ALL: no limit */
	bool stock;	      /* one of stock's tables: use stock's look if it fits */
	const char *overview; /* its title in the overview; NULL: a table that was asked for */
	bool is_aside;	      /* as in struct document_table */
};

struct report_options {
	/* in the same order as each account's tables */
	struct table_options by[ACCOUNTS_NR][TABLES_MAX];
	struct column_list fields;   /* nr 0: default columns of the table */
	const struct column *weight; /* for folded stacks */
	bool live;		     /* live memory at the end instead of allocations */
	bool peak;		     /* the end is the moment with the most live bytes */
	bool header;		     /* begin with a description of the recording */
	bool stock_style;	     /* always use stock's look */
	bool raw_ip;		     /* addresses instead of names */
	bool verbose;		     /* also print the functions skipped to find call sites */
	bool human;		     /* 1.2 MiB instead of 1258291 */
	bool ascii;		     /* sparklines in ASCII: the locale's charset is not UTF-8 */
	bool colours;		     /* text for a terminal that has colours */
	bool lifetimes;		     /* show lifetimes of objects */
	const char *thousands_sep;   /* "" or according to the locale */
	const char *command;	     /* the program's, in commands to type; NULL: "perf kmem" */
	int columns;		     /* of the terminal; 0: no limit */
	uint64_t lines;		     /* for the tables of --percpu and --extfrag */
	const struct render_tables *tables; /* NULL: all */
	struct metrics *metrics;	    /* as in struct render_options */
};

struct report_context {
	const struct naming *naming;
	const struct kmem_accounts *accounts;
	const struct source_facts *facts;
	const struct report_options *options;
	const struct kmem_options *kmem; /* the filters and time windows of the accounts */
	struct source_span span;	 /* the time that the figures cover */
	uint64_t length_ns;		 /* total length of the time windows in it */
	uint64_t first_ns, last_ns;	 /* of the events in them; 0, 0 if there are none */
};

void report_context_init(struct report_context *c, const struct kmem_pipeline *a,
			 const struct report_options *o);

/*
 * Build a document for a form and write it. Errors: -ENOMEM; -EINVAL if the form cannot write it.
 * Write errors are left in the FILE (ferror()).
 */
int report_write(FILE *out, const struct form *form, const struct report_options *o,
		 void (*build)(struct document *d, void *ctx), void *ctx, struct error *err);

/* "1,234", grouped according to the options; buf of UNITS_BUF bytes. Returns buf. */
const char *report_number(const struct report_context *c, char *buf, uint64_t v);

/* One table of the accounts, and how to show it. */
struct report_table {
	const struct stat_table *table;
	const struct table_options *options;
	const struct live_peak *peak; /* with --peak: the moment that the figures are for */
	enum allocator allocator;
	bool is_whole; /* no filter left events out */
};

/* The i-th of all tables, in the order of the accounts. Returns false after the last. */
bool report_table_at(const struct report_context *c, unsigned int i,
		     struct report_table *ret_table);

#endif
