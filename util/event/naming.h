/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct naming: the names and meanings of the numbers in the accounts.
 *
 * Addresses, interned strings and callchains, gfp flags, migrate types, caches, pages. The decoding
 * thread adds strings and callchains while a recording is read; reports only look up.
 */
#ifndef EVENT_NAMING_H
#define EVENT_NAMING_H

#include <stdbool.h>

#include "util/base/table.h"
#include "util/event/cache_aliases.h"
#include "util/event/gfp.h"
#include "util/event/key.h"
#include "util/event/migratetype.h"
#include "util/event/reclaimable_caches.h"
#include "util/symbol/symbols.h"

struct user_stacks;

struct naming {
	struct symbols symbols;
	struct key_names names;
	struct user_stacks *user; /* NULL if no sample has a user callchain */
	struct gfp gfp;
	struct migratetypes migratetypes;
	struct cache_aliases cache_aliases;    /* may grow until a pipe has been read */
	struct reclaimable_caches reclaimable; /* may grow, too */
	/* u64, functions between the page events and their call sites */
	struct table skipped_functions;
	uint32_t page_size;  /* bytes */
	int pageblock_order; /* PAGEBLOCK_ORDER_UNKNOWN if no format has it */
	bool pages_by_pfn;   /* false: by struct page (old recordings), or relative */
};

#endif
