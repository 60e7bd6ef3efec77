/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_table: figures by name that a source has in addition to its events and rows.
 *
 * They are the kernel's own figures for the memory of the whole machine (/proc/meminfo,
 * /proc/buddyinfo, ...).
 *
 * The facts own and list them. A table has one row for each name, in the order in which the names
 * came, and the same columns in each. Names are copied, printable and limited in length, and a
 * table has at most SOURCE_TABLE_ROWS_MAX rows.
 */
#ifndef SOURCE_SOURCE_TABLE_H
#define SOURCE_SOURCE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/intern.h"

#define SOURCE_TABLE_COLUMNS_MAX 16
#define SOURCE_TABLE_ROWS_MAX	 65536
#define SOURCE_TABLE_NAME_MAX	 255

/* Constant, with static storage. */
struct source_table_kind {
	const char *id;	   /* "meminfo"; the key in JSON */
	const char *title; /* for text output */
	const char *what;  /* heading of the names */
	struct {
		const char *id, *heading;
		bool is_bytes;
	} columns[SOURCE_TABLE_COLUMNS_MAX];
	unsigned int nr_columns;
	bool is_matrix; /* all columns are equally important; else the first one is the main one */
	bool is_long;	/* text output shows only the largest rows, or the changed ones */
};

struct source_table {
	const struct source_table_kind *kind;
	struct intern names; /* a name's number is the index of its row */
	uint64_t *values;    /* values of all rows, row by row */
	size_t cap;	     /* number of rows allocated */
	uint64_t nr_left_out;
};

void source_table_init(struct source_table *t, const struct source_table_kind *kind);
void source_table_deinit(struct source_table *t);

/*
 * Add to the row with this name, which need not end with NUL. nr: number of values; the others are
 * 0. Rows beyond the limits are not added, only counted in nr_left_out. Errors: -ENOMEM.
 */
int source_table_add(struct source_table *t, const char *name, size_t len, const uint64_t *values,
		     size_t nr);

/* Returns the index of the row with this name, or INTERN_NONE. */
uint32_t source_table_find(const struct source_table *t, const char *name);

static inline size_t source_table_rows(const struct source_table *t)
{
	return t->names.nr;
}

static inline const char *source_table_name(const struct source_table *t, uint32_t row)
{
	return (const char *)intern_get(&t->names, row, NULL);
}

static inline uint64_t source_table_value(const struct source_table *t, uint32_t row,
					  unsigned int column)
{
	return t->values[(size_t)row * t->kind->nr_columns + column];
}

#endif
