/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct reclaimable_caches: the slab caches that the kernel shrinks when memory is short.
 *
 * They have the flag SLAB_RECLAIM_ACCOUNT: dentries, inodes, buffer heads, radix tree nodes. Made
 * from the source's reclaimable_caches, once names are known. Caches that the kernel merged share
 * the flag (SLAB_MERGE_SAME in mm/slab_common.c), so the name in the events is enough.
 */
#ifndef EVENT_RECLAIMABLE_CACHES_H
#define EVENT_RECLAIMABLE_CACHES_H

#include <stdbool.h>

#include "util/base/intern.h"
#include "util/base/table.h"

struct reclaimable_caches {
	bool known;	    /* the source reports them; otherwise names decide */
	struct table names; /* numbers of interned names */
};

/* names: separated by '/', interned here. NULL if unknown. Errors: -ENOMEM. */
int reclaimable_caches_init(struct reclaimable_caches *r, struct intern *strings,
			    const char *names);
void reclaimable_caches_deinit(struct reclaimable_caches *r);

/* cache: a value of KEY_CACHE. */
bool reclaimable_caches_has(const struct reclaimable_caches *r, const struct intern *strings,
			    uint64_t cache);

#endif
