/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct allocator_accounts: what the accounts of both allocators have.
 *
 * Tables by any keys, when most was live, and figures that were counted elsewhere.  It is a member
 * of struct slab_accounts and struct page_accounts, which feed it.
 */
#ifndef KMEM_ALLOCATOR_ACCOUNTS_H
#define KMEM_ALLOCATOR_ACCOUNTS_H

#include <stdbool.h>

#include "util/kmem/counted_rows.h"
#include "util/kmem/live_peak.h"
#include "util/kmem/stat_table.h"

struct allocator_accounts {
	struct stat_table tables[STAT_TABLES_MAX];
	unsigned int nr_tables;
	struct live_peak peak;
	struct counted_rows counted; /* live ones without events */
	bool count_unmatched_frees; /* false while a filter is on: what they belong to is unknown */
};

void allocator_accounts_init(struct allocator_accounts *a);
void allocator_accounts_deinit(struct allocator_accounts *a);

/*
 * Also group allocations by these keys; call it before the first event. Returns the table's number,
 * or -1 if there are already STAT_TABLES_MAX.
 */
int allocator_accounts_add_table(struct allocator_accounts *a, const enum kmem_key *by,
				 unsigned int nr_by);

/* The keys that the tables are grouped by, as bits. */
uint32_t allocator_accounts_keys(const struct allocator_accounts *a);

/* Figures of allocations without events. Errors: -ENOMEM. */
int allocator_accounts_add_row(struct allocator_accounts *a, const struct kmem_event *keys,
			       const struct source_figures *figures);

/* All events have been taken, with this many bytes live; stop_ns: the last moment that counts. */
void allocator_accounts_finish(struct allocator_accounts *a, uint64_t bytes_live, uint64_t stop_ns);

#endif
