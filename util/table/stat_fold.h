/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folding: merging rows so that a stat_table with unbounded keys stays bounded.
 *
 * Folding adds the figures of a row to its row of others (struct stat_others), which keeps the call
 * site of the callchain.  The number of such rows is limited by the kernel's call sites, caches and
 * so on.  Rows without live objects are folded first, small ones before large ones.
 */
#ifndef TABLE_STAT_FOLD_H
#define TABLE_STAT_FOLD_H

#include "util/table/bounds.h"
#include "util/table/stat_table.h"

/*
 * Fold rows until the table is within the bounds.  `names` has the names of the table's keys;
 * "others" may be added to it.  *ret_moved is NULL, or an array of the new numbers of rows with
 * live objects, indexed by their old numbers; the caller frees it.  Owners of row numbers must
 * look them up there, even after an error.  Numbers of dead rows are invalid.  Returns 0, or
 * -ENOMEM with each row either whole or folded.
 */
int stat_table_fold(struct stat_table *t, struct key_names *names, const struct kmem_bounds *bounds,
		    uint32_t **ret_moved);

#endif
