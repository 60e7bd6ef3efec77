/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns: everything a report can show or sort by, in one table.
 *
 * A column is a key (kmem/key.h) or a figure of struct stat_counts; its line in column.c gives its
 * name (for --sort and --fields), heading, allocators, and the source of its value.  Comparison,
 * text, JSON and CSV are derived from that.
 */
#ifndef REPORT_COLUMN_H
#define REPORT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/table/stat_table.h"

/* One row as reports see it. */
struct row_view {
	const uint64_t *key; /* first member: see key_columns_add() */
	const struct stat_table *table;
	const struct stat_counts *counts;
	const struct lifetime_histogram *lifetimes; /* NULL: not kept */
	const struct stat_recent *recent;	    /* NULL: not wanted */
	uint64_t interval_ns;			    /* with recent: of its interval */
	uint64_t history_ns;			    /* likewise: of what recent->live shows */
	bool live; /* show what is live instead of what was allocated */
};

enum column_kind {
	COLUMN_KEY,
	COLUMN_COUNT,
	COLUMN_BYTES,
	COLUMN_NS,
	COLUMN_CHANGE,	/* bytes gained or, if negative, lost: an int64_t */
	COLUMN_PERCENT, /* the value is a double, see column_double() */
};

struct column {
	const char *name;
	const char *heading;
	const char *json; /* its key in JSON and CSV */
	enum allocator allocators;
	enum column_kind kind;
	enum kmem_key key;			       /* for COLUMN_KEY */
	uint64_t (*value)(const struct row_view *row); /* for whole numbers */
	double (*percent)(const struct row_view *row); /* for COLUMN_PERCENT */
	bool adds_up;	  /* it is a sum over time: twice the time, twice the figure */
	bool rows_add_up; /* the sum over rows is a figure, too: such a sum, or what is live */
	bool is_recent;	  /* it is of the latest interval: for rows with `recent` only (top) */
};

/* By its name, its name in JSON or an alias ("hits", "command"); NULL: there is none. */
const struct column *column_find(const char *name, size_t len);

/* The name that was probably meant; keys: only among those. NULL: none is similar. */
const char *column_similar(const char *name, size_t len, bool keys);
const struct column *column_of_key(enum kmem_key key);

/* The i-th column; NULL after the last. */
const struct column *column_at(size_t i);

/* < 0: a's value is smaller. */
int column_compare(const struct column *c, const struct row_view *a, const struct row_view *b);

uint64_t row_hits(const struct row_view *row);
uint64_t row_bytes(const struct row_view *row);
uint64_t row_bytes_req(const struct row_view *row);

/*
 * Do rows grouped by these keys have a value for the column? All of them have figures; of the keys,
 * those that they are grouped by, and an object, a page or a callchain also has its latest call
 * site.
 */
bool column_fits(const struct column *c, const enum kmem_key *by, unsigned int nr_by);

/* The row's value for a key that fits its table. */
uint64_t row_key(const struct row_view *row, enum kmem_key key);

/* Is its value derived from a histogram, which a table keeps only on request? */
bool column_needs_lifetimes(const struct column *c);

/* "a,b,c" to columns; the keys of a table spec are checked by the caller. */
#define COLUMNS_MAX 32

struct column_list {
	const struct column *v[COLUMNS_MAX];
	unsigned int nr;
};

/* Append the columns of "callsite,bytes,hit", none that is_recent. Errors: -EINVAL, with the bad
 * name and the valid ones. */
int column_list_parse(struct column_list *l, const char *text, struct error *err);

#endif
