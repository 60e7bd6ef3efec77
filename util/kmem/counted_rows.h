/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct counted_rows: figures of allocations that were counted elsewhere, in an account's tables.
 *
 * They enter the rows of the tables as events would, and those that are live are kept for walks
 * over live objects: many at a time, with a single time.  The lifetimes of freed ones are not
 * known.  Zeroed memory has no rows.
 */
#ifndef KMEM_COUNTED_ROWS_H
#define KMEM_COUNTED_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/kmem/stat_table.h"
#include "util/source/complete_event.h"

struct counted_row {
	uint64_t time_ns;
	uint64_t live_hits, live_bytes;
	bool filtered_out; /* only unfiltered tables have it */
	uint32_t row[STAT_TABLES_MAX];
};

struct counted_rows {
	struct counted_row *v;
	size_t nr, cap;
};

void counted_rows_deinit(struct counted_rows *r);

/* Add the figures to each of the tables. Errors: -ENOMEM. */
int counted_rows_add(struct counted_rows *r, struct stat_table *tables, unsigned int nr_tables,
		     const struct kmem_event *keys, const struct source_figures *figures);

#endif
