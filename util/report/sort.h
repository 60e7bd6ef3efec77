/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sort keys, and the rows of a stat_table in sorted order.
 *
 * A sort key is a column; rows are sorted largest first, or smallest first with "-" before the
 * key.  Rows equal in every key are in ascending order of what they are grouped by, so the order is
 * the same in every run.  They are sorted in a red-black tree that never has more than the
 * requested lines.
 */
#ifndef REPORT_SORT_H
#define REPORT_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/event/naming.h"
#include "util/report/column.h"

#define SORT_KEYS_MAX 8
#define LINES_ALL     UINT64_MAX

struct sort_keys {
	struct sort_key {
		const struct column *column;
		bool ascending; /* "-key" */
	} v[SORT_KEYS_MAX];
	unsigned int nr;
};

/*
 * Append the keys of "frag,-hit,bytes" to the list. *ret_allocators: the allocators that have all
 * of them. Errors: -EINVAL, with the bad key and the valid ones.
 */
int sort_keys_parse(struct sort_keys *keys, const char *text, enum allocator *ret_allocators,
		    struct error *err);

/* The name of the i-th key, without its sign. */
const char *sort_keys_name(const struct sort_keys *keys, unsigned int i);

/* A row of the table as reports see it; live: what is live instead of what was allocated. */
struct row_view row_view_of(const struct stat_table *table, bool live, uint32_t row);

/* False: it has nothing to show and is in no report. */
bool row_is_shown(const struct row_view *row);

struct sorted_rows {
	const struct stat_table *table;
	bool live;
	uint32_t *order; /* numbers of the table's rows */
	uint64_t nr;
	uint64_t total; /* rows there are; more than nr if lines were limited */
};

/* Sort the rows that have something to show. The naming is of their keys. Errors: -ENOMEM. */
int sorted_rows_init(struct sorted_rows *s, const struct stat_table *table,
		     const struct naming *naming, const struct sort_keys *keys, bool live,
		     uint64_t lines);
void sorted_rows_deinit(struct sorted_rows *s);

/* The i-th row, from 0; false: there are no more. */
bool sorted_rows_get(const struct sorted_rows *s, uint64_t i, struct row_view *ret_view);

#endif
