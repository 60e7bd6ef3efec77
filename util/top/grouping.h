/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The groupings that a key switches between, and the table that has the keys of all of them.
 */
#ifndef TOP_GROUPING_H
#define TOP_GROUPING_H

#include "util/kmem/options.h"

#define TOP_GROUPINGS_MAX 10

struct top_grouping {
	char name[64]; /* "pid" */
	enum kmem_key by[STAT_KEYS_MAX];
	unsigned int nr_by;
};

struct top_groupings {
	struct top_grouping v[TOP_GROUPINGS_MAX];
	const char *names[TOP_GROUPINGS_MAX];
	unsigned int nr;
	unsigned int first;	 /* the one to be shown at first */
	struct table_spec table; /* grouped by every key of theirs */
};

/*
 * Those of an allocator that fit into one table. by: one more, which comes first unless it is among
 * them (nr_by 0: none).  keys: bits of those that the others may have.  The result points into
 * itself: it must not be moved.
 */
void top_groupings_init(struct top_groupings *g, enum allocator allocator, const enum kmem_key *by,
			unsigned int nr_by, uint32_t keys);

#endif
