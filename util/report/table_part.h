/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of the accounts in a document: sorted rows of a stat_table, and the columns that were
 * requested or are shown by default.
 */
#ifndef REPORT_TABLE_PART_H
#define REPORT_TABLE_PART_H

#include "util/base/table.h"
#include "util/document/document.h"
#include "util/event/naming.h"
#include "util/report/report.h"

/*
 * Add a table, and the other names of merged caches below it. stock: the columns of stock perf's
 * table, used if the options allow it. May be NULL.
 */
void table_part_add(struct document_section *in, const struct report_context *c,
		    const struct report_table *t, const struct document_column *stock,
		    size_t nr_stock);

/* The columns of text and CSV: the requested fields that fit the table, or its keys and the figures
 * of its allocator. */
void table_part_columns(const struct report_context *c, const struct report_table *t,
			struct column_list *ret_columns);

/* Whether it is one of stock's tables, and those have a column for everything to be shown. */
bool table_part_is_stock(const struct report_context *c, const struct report_table *t);

/* With --peak, add the time when the most was live: a line in text, a figure in JSON. */
void table_part_add_peak(struct document_section *in, const struct report_context *c,
			 const struct live_peak *peak);

/* The first `nr` of `total` rows. row() returns each as a struct row_view. */
struct document_table table_part_rows(const struct document_columns *columns, const void *rows,
				      document_row_fn row, uint64_t nr, uint64_t total);

/* Add the metrics of rows. live_only: figures are of live memory, so that there are no counters. */
void metric_columns_add(struct document_columns *columns, const struct source_facts *facts,
			enum allocator allocator, bool live_only);

/* The sample value of a column in profiles (struct document_column). NULL if it has none. */
const char *figure_sample(const struct column *c);

/* The column of a figure. Its rows are struct row_view. */
struct document_column figure_column(const struct column *c);

/* The row of a cell in such a table. */
static inline const struct row_view *cell_row(const struct document_cell *cell)
{
	return cell->row;
}

/*
 * struct merged_caches: the other names of merged caches, as lines below a table by cache.
 *
 * In text each cache is listed once. In JSON each row has the names (key_column.h).
 */

struct merged_caches {
	struct document_section *in;
	const struct naming *naming;
	struct table seen; /* values of KEY_CACHE */
};

void merged_caches_init(struct merged_caches *m, struct document_section *in,
			const struct naming *naming);
void merged_caches_deinit(struct merged_caches *m);

/* Add the cache of a row, a value of KEY_CACHE. */
void merged_caches_add(struct merged_caches *m, uint64_t cache);

#endif
