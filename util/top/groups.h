/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_groups: the rows of a stat_table, summed up by fewer keys.
 *
 * top accounts each allocator in a single table by all keys that it can group by. Another grouping
 * is then another sum, which includes the past, and a row's details are available. Groups are made
 * at the end of an interval and valid until the next one.
 */
#ifndef TOP_GROUPS_H
#define TOP_GROUPS_H

#include "util/table/stat_table.h"
#include "util/report/column.h"
#include "util/top/frame.h"

/* Limits the sum to rows with these values of these keys. nr 0: all rows. */
struct top_where {
	const enum kmem_key *by;
	const uint64_t *values;
	unsigned int nr;
};

/* The intervals that rates refer to. */
struct top_intervals {
	uint64_t ns; /* length of the latest interval */
	uint64_t nr; /* since the start */
	/* lengths of the intervals between the RECENT_MOMENTS, latest first */
	uint64_t history_ns[RECENT_MOMENTS - 1];
};

struct top_groups {
	bool has_grown;		 /* rows have struct top_grown, by the kernel's counts */
	struct stat_table shape; /* the grouping of the rows, without rows itself */
	struct table rows;	 /* the keys, then struct top_figures */
	struct top_intervals intervals;
	struct top_sums sums;
	uint64_t nr_suspects; /* rows with a role (suspect_role()) */
};

/* The keys must be keys of the table. counts: may be NULL. verdicts: by the same keys, may be NULL;
 * they must outlive the groups. Errors: -ENOMEM; deinit is needed in any case. */
int top_groups_init(struct top_groups *g, const struct top_intervals *intervals,
		    const struct stat_table *table, const enum kmem_key *by, unsigned int nr_by,
		    const struct top_where *where, const struct slab_counts *counts,
		    const struct leak_rows *verdicts);
void top_groups_deinit(struct top_groups *g);

struct row_view top_groups_row(const struct top_groups *g, uint32_t row);

/* The order of rows, and a selection. */
struct top_order {
	const struct column *column; /* the largest value first; equal ones by name */
	bool ascending;		     /* the smallest value first */
	bool idle;		     /* with rows that neither change nor have live objects */
	uint64_t lines;		     /* limit of rows */
};

/*
 * Sort the rows. *ret_rows: the numbers of the first *ret_nr rows, which the caller frees;
 * *ret_total: the number of rows without the limit. Errors: -ENOMEM.
 */
int top_groups_sort(const struct top_groups *g, const struct top_order *order, uint32_t **ret_rows,
		    uint64_t *ret_nr, uint64_t *ret_total);

#endif
