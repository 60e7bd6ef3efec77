/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct sort_keys and struct sorted_rows: the rows of a stat_table in sorted order.
 *
 * A sort key is a column. Rows are sorted largest first, or smallest first with "-" before the key.
 * Rows that are equal in every sort key are in ascending order of the keys that they are grouped
 * by, so the order is the same in every run. With a limit on lines, the rows are sorted in a
 * red-black tree that never exceeds it.
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
 * of the keys. Errors: -EINVAL, -E2BIG; the message names the bad key.
 */
int sort_keys_parse(struct sort_keys *keys, const char *text, enum allocator *ret_allocators,
		    struct error *err);

/* The name of the i-th key, without its sign. */
const char *sort_keys_name(const struct sort_keys *keys, unsigned int i);

/* A row of the table, as input of reports. live: show live memory instead of allocations. */
struct row_view row_view_of(const struct stat_table *table, bool live, uint32_t row);

/* Whether the row has anything to show. If not, it is in no report. */
bool row_is_shown(const struct row_view *row);

struct sorted_rows {
	const struct stat_table *table;
	bool live;
	uint32_t *order; /* indexes of the table's rows */
	uint64_t nr;
	uint64_t total; /* more than nr if lines were limited */
};

/* Sort the rows that have anything to show. naming: the names of their keys. Errors: -ENOMEM. */
int sorted_rows_init(struct sorted_rows *s, const struct stat_table *table,
		     const struct naming *naming, const struct sort_keys *keys, bool live,
		     uint64_t lines);
void sorted_rows_deinit(struct sorted_rows *s);

/* The i-th row, from 0. Returns false after the last. */
bool sorted_rows_get(const struct sorted_rows *s, uint64_t i, struct row_view *ret_view);

#endif
