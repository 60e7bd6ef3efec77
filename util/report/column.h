/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns: everything that a report can show or sort by, in one table.
 *
 * A column is a key (util/event/key.h) or a figure of struct stat_counts; its line in column_list.h
 * gives its name (for --sort and --fields), heading, allocators, and value. Comparison, text, JSON
 * and CSV are derived from that.
 */
#ifndef REPORT_COLUMN_H
#define REPORT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/table/stat_table.h"

/* A row of a stat_table, as input of reports. */
struct row_view {
	const uint64_t *key; /* first member: see key_columns_add() */
	const struct stat_table *table;
	const struct stat_counts *counts;
	const struct lifetime_histogram *lifetimes; /* NULL if not kept */
	const struct stat_recent *recent;	    /* NULL if not needed */
	uint64_t interval_ns;			    /* with recent: length of its interval */
	uint64_t history_ns;			    /* with recent: time covered by recent->live */
	bool live;				    /* show live memory instead of allocations */
};

enum column_kind {
	COLUMN_KEY,
	COLUMN_COUNT,
	COLUMN_BYTES,
	COLUMN_NS,
	COLUMN_CHANGE,	/* an int64_t: bytes gained or, if negative, lost */
	COLUMN_PERCENT, /* a double, see percent() */
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
	bool adds_up;	  /* a sum over time: twice the time, twice the figure */
	bool rows_add_up; /* the sum over rows is a meaningful figure */
	bool is_recent;	  /* covers the latest interval: only for rows with `recent` (top) */
};

/* Find a column by its name, its name in JSON or an alias ("hits", "command"). Returns NULL if
 * there is none. */
const struct column *column_find(const char *name, size_t len);

/* The most similar name, or NULL if none is close. keys: consider only keys. */
const char *column_similar(const char *name, size_t len, bool keys);
const struct column *column_of_key(enum kmem_key key);

/* The i-th column, or NULL after the last. */
const struct column *column_at(size_t i);

/* Returns < 0 if a's value is smaller, 0 or > 0. */
int column_compare(const struct column *c, const struct row_view *a, const struct row_view *b);

uint64_t row_hits(const struct row_view *row);
uint64_t row_bytes(const struct row_view *row);
uint64_t row_bytes_req(const struct row_view *row);

/*
 * Whether rows grouped by these keys have a value for the column. All rows have figures and the
 * keys that they are grouped by. An object, a page or a callchain also has its latest call site.
 */
bool column_fits(const struct column *c, const enum kmem_key *by, unsigned int nr_by);

/* The row's value of a key. column_fits() must hold for the key. */
uint64_t row_key(const struct row_view *row, enum kmem_key key);

/* Recent change of its live bytes per second: an int64_t. For rows of top. */
uint64_t row_growth(const struct row_view *row);

/* Whether its value is derived from a histogram, which a table keeps only on request. */
bool column_needs_lifetimes(const struct column *c);

/* A list of columns; the caller checks the keys of a table spec. */
#define COLUMNS_MAX 32

struct column_list {
	const struct column *v[COLUMNS_MAX];
	unsigned int nr;
};

/* Append the columns of "callsite,bytes,hit" to the list. Errors: -EINVAL for an unknown column or
 * one that is_recent, -E2BIG. */
int column_list_parse(struct column_list *l, const char *text, struct error *err);

#endif
