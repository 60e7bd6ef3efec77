/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_groupings: the groupings that a key press switches between, and a table with the keys
 * of all of them.
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
	unsigned int first;	 /* the initial one */
	struct table_spec table; /* grouped by the keys of all groupings */
};

/*
 * The groupings of an allocator that fit into one table. by: an additional grouping, which comes
 * first unless it is a standard one (nr_by 0: none). keys: bits of the keys that the standard ones
 * may use. The result points into itself and must not be moved.
 */
void top_groupings_init(struct top_groupings *g, enum allocator allocator, const enum kmem_key *by,
			unsigned int nr_by, key_mask_t keys);

#endif
