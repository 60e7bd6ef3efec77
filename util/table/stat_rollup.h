/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Roll-up: events are counted in one table by the keys of several tables, and added up at the end.
 *
 * Without it, a report with several tables looks up a row of each table for each allocation.  The
 * finest table is grouped by the keys of all tables.  Each of its rows belongs to one row of each
 * coarser table, which is looked up once, when the row is created.  An event then changes one row,
 * and stat_rollup_finish() adds the rows up.  The timeline is that of the coarser table's rows.
 *
 * It pays for keys that are places in the kernel's code: a call site allocates from few caches, and
 * a callchain has one call site.  With other keys, such as PID and CPU, the finest table could have
 * many more rows than the tables together.  The coarser tables must not be read before the end.
 */
#ifndef TABLE_STAT_ROLLUP_H
#define TABLE_STAT_ROLLUP_H

#include "util/table/stat_table.h"

/* Whether these tables can be made from a finest one, and it pays. */
bool stat_rollup_fits(const struct stat_table *tables, unsigned int nr);

/* Initialise the finest table of tables that fit.  They are initialised before and outlive it;
 * stat_table_deinit() ends it. */
void stat_rollup_init(struct stat_table *finest, struct stat_table *tables, unsigned int nr);

/* Add all rows to those of the coarser tables. Called once. */
void stat_rollup_finish(const struct stat_table *finest);

/*
 * Add the rows of a table that is still counted in to an empty coarser one: their counts and, if
 * the coarser table wants it, their history, which must be finished. ret_rows: gets the coarser
 * row of each row, by number. Errors: -ENOMEM.
 */
int stat_rollup_copy(const struct stat_table *finest, struct stat_table *t, uint32_t *ret_rows);

#endif
