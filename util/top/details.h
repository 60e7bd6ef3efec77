/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The details of a row: its figures by each of the other groupings, and its call stacks.
 */
#ifndef TOP_DETAILS_H
#define TOP_DETAILS_H

#include "util/event/naming.h"
#include "util/report/column.h"
#include "util/top/grouping.h"
#include "util/top/groups.h"

/* Write the details as lines of text. name: of a row of `groups`, which are of the table. Errors:
 * -ENOMEM. */
int top_add_details(struct strbuf *sb, const struct naming *naming, const struct stat_table *table,
		    const struct top_groupings *groupings, const struct top_groups *groups,
		    const char *name, bool raw_ip);

/* The name of a row: its keys as text, on one line. The caller frees it. NULL if out of memory. */
char *top_row_name(const struct naming *naming, const struct row_view *row, bool raw_ip);

#endif
