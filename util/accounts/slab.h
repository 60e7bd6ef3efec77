/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct slab_accounts: the events of the slab allocator (kmalloc, kmem_cache_alloc and their
 * frees).
 *
 * Events are fed in time order; Documentation/figures.md defines each figure. Events before the
 * window only feed the live set, so that frees inside it find their allocations. The accounts own
 * their tables and the live set.
 */
#ifndef ACCOUNTS_SLAB_H
#define ACCOUNTS_SLAB_H

#include <stdbool.h>
#include <stdint.h>

#include "util/accounts/trace_pair.h"
#include "util/accounts/untraced.h"
#include "util/event/kmem_event.h"
#include "util/kmem/allocator_accounts.h"

struct slab_summary {
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	uint64_t bytes_freed; /* of matched frees */
	uint64_t bytes_live;  /* at the end of the window */
	uint64_t live;
	uint64_t allocations;
	uint64_t frees;
	uint64_t frees_matched;
	uint64_t frees_unmatched;
	uint64_t unseen_frees; /* proved by an allocation at a live pointer, or a free from another
				* cache */
	uint64_t duplicates_dropped;
	uint64_t failures;
	uint64_t cross_node_allocations;
	/* freed by kfree_rcu(), and not live; not known to be free yet */
	uint64_t rcu_freeing, bytes_rcu_freeing;
};

struct slab_accounts {
	struct slab_summary summary;
	struct allocator_accounts common;
	const struct stat_table *by_ptr; /* the table by pointers alone, or NULL */
	struct table live;		 /* by pointer */
	bool some_not_counted;		 /* there are windows or filters */
	struct untraced untraced;
	struct trace_pairs pairs; /* of large kmallocs, which are traced twice */
};

void slab_accounts_init(struct slab_accounts *s, struct function_lookup functions,
			uint32_t page_size);
void slab_accounts_deinit(struct slab_accounts *s);

/* See allocator_accounts_add_table(). */
int slab_accounts_add_table(struct slab_accounts *s, const enum kmem_key *by, unsigned int nr_by);

/* See account_ops.tick(). */
int slab_accounts_tick(struct slab_accounts *s, const struct account_tick *tick);

/* Builds the section of stat. */
void slab_build(const void *state, const struct report_context *c, struct document_section *in);

#endif
