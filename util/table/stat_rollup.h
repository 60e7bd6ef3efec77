/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Roll-up: events are counted in one table by all keys of several, and added to those at the end.
 *
 * Reports with several tables look up a row of each for every allocation, and count each event in
 * all of them.  Rows of the finest table, which is grouped by the keys of all, belong to one row of
 * each coarser table, found when they are made: whatever happens later changes one row, and the
 * sums are right once stat_rollup_finish() has added them up.  The timeline is kept of the coarser
 * table's rows.
 *
 * It is worth it for keys of places in the kernel's code: a call site allocates from few caches, a
 * callchain has one call site.  By others, PIDs and CPUs say, the finest table could have many more
 * rows than the tables together.  And nobody may look at rows meanwhile.
 */
#ifndef TABLE_STAT_ROLLUP_H
#define TABLE_STAT_ROLLUP_H

#include "util/table/stat_table.h"

/* Can these tables be made of a finest one, and is it worth it? */
bool stat_rollup_fits(const struct stat_table *tables, unsigned int nr);

/* Their finest table; they must fit, be prepared and outlive it.  stat_table_deinit() ends it. */
void stat_rollup_init(struct stat_table *finest, struct stat_table *tables, unsigned int nr);

/* Add all rows to those of the others; once. */
void stat_rollup_finish(const struct stat_table *finest);

#endif
