/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct counted_rows: allocations that a source counted, added to an account's tables.
 *
 * They change the tables' rows as events would.  Live ones are kept for walks over live objects,
 * but only if a table has a history: nothing else walks.  Figures of the same rows and the same
 * slot of time are merged.  Slots become wider as rows become many, so memory stays bounded
 * however much is counted.  The earliest and the latest time of each row stay exact.  Lifetimes
 * of freed allocations are unknown.  Zeroed memory has no rows.
 */
#ifndef TABLE_COUNTED_ROWS_H
#define TABLE_COUNTED_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/table.h"
#include "util/table/stat_table.h"
#include "util/source/complete_event.h"

/* Slots of time become wider at this number of rows, unless the rows differ in more than time. */
#define COUNTED_ROWS_MANY (1u << 14)

struct counted_row {
	uint64_t slot; /* of time */
	uint32_t row[STAT_TABLES_MAX];
	uint64_t filtered_out; /* counted in unfiltered tables only */
	/* the members above are the key */
	uint64_t first_ns, last_ns;
	uint64_t live_hits, live_bytes;
};

struct counted_rows {
	struct table rows;	/* of struct counted_row */
	unsigned int shift;	/* a slot has 2^shift ns */
	uint32_t next_widening; /* number of rows at which slots become wider */
};

void counted_rows_deinit(struct counted_rows *r);

/* Add the figures to each of the tables. Errors: -ENOMEM. */
int counted_rows_add(struct counted_rows *r, struct stat_table *tables, unsigned int nr_tables,
		     const struct kmem_event *keys, const struct source_figures *figures);

/* Rows of a table moved: row i is now row moved[i]. Errors: -ENOMEM. */
int counted_rows_moved(struct counted_rows *r, unsigned int table, bool unfiltered,
		       const uint32_t *moved);

static inline const struct counted_row *counted_rows_at(const struct counted_rows *r, uint32_t i)
{
	return table_row(&r->rows, i);
}

#endif
