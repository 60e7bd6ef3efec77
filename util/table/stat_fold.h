/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folding: giving back rows of a stat_table of which there would be ever more.
 *
 * Some keys have ever new values: pointers, processes, commands, cgroups, callchains.  The figures
 * of a row are added to the row in which each of these is "others": pointer and page 0, pid and tid
 * -1, command and cgroup "[others]", of a callchain only the call site.  All other keys stay, so
 * sums by those, and the table's totals, are what they would be without.  There are no more rows of
 * others than the kernel has call sites, caches and so on.  Rows to which nothing that is live
 * belongs go first, small ones before large ones.
 */
#ifndef TABLE_STAT_FOLD_H
#define TABLE_STAT_FOLD_H

#include "util/base/label.h"
#include "util/table/bounds.h"
#include "util/table/stat_table.h"

#define STAT_OTHERS LABEL_OTHERS

/*
 * Fold the rows that the bounds want folded. names: of the table's keys, which others may be added
 * to.  *ret_moved: NULL, or where rows of live ones are now, by their numbers before, for the
 * caller to free: whoever has such a number must look there, even after an error.  Nothing may use
 * numbers of dead rows. Errors: -ENOMEM, with rows either whole or folded.
 */
int stat_table_fold(struct stat_table *t, struct key_names *names, const struct kmem_bounds *bounds,
		    uint32_t **ret_moved);

#endif
