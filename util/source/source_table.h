/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct source_table: figures that a source has beside its events and rows, by names: what a
 * kernel says about the memory of the whole machine (/proc/meminfo, /proc/buddyinfo, ...).
 *
 * They belong to the facts, which list them.  A table has one row for each name, in the order in
 * which the names came, and the same columns in each.  Names are copied, printable and of a bounded
 * length, and a table has at most SOURCE_TABLE_ROWS_MAX rows.
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

/* Constant, and of static storage. */
struct source_table_kind {
	const char *id;	   /* "meminfo"; the key in JSON */
	const char *title; /* for people */
	const char *what;  /* heading of the names */
	struct {
		const char *id, *heading;
		bool is_bytes;
	} columns[SOURCE_TABLE_COLUMNS_MAX];
	unsigned int nr_columns;
	bool is_matrix; /* no column is more important than the others; else the first one is */
	bool is_long;	/* people see the largest rows only, or those that changed */
};

struct source_table {
	const struct source_table_kind *kind;
	struct intern names; /* the number of a name is that of its row */
	uint64_t *values;    /* of all rows, one row after the other */
	size_t cap;	     /* rows */
	uint64_t nr_left_out;
};

void source_table_init(struct source_table *t, const struct source_table_kind *kind);
void source_table_deinit(struct source_table *t);

/*
 * Add to the row of this name, which needs no NUL; nr: of values, the others are 0.  Beyond the
 * limits nothing is added, which nr_left_out counts. Errors: -ENOMEM.
 */
int source_table_add(struct source_table *t, const char *name, size_t len, const uint64_t *values,
		     size_t nr);

/* The number of the row of this name; INTERN_NONE: there is none. */
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
