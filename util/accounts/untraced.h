/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct untraced: finds live slab objects that the kernel frees without an event.
 *
 * Call sites are judged as leak judges them: by their frees, and by the kernel's own count of their
 * cache, which also depends on the frees of older objects.
 */
#ifndef ACCOUNTS_UNTRACED_H
#define ACCOUNTS_UNTRACED_H

#include "util/event/kmem_event.h"
#include "util/kmem/accounts.h"
#include "util/kmem/allocator_accounts.h"
#include "util/leak/leak_count.h"

/* A power of two. Caches that share a number only weaken a limit. */
#define UNTRACED_CACHES 16384

struct untraced {
	int sites; /* the index of the table by call site and cache, or -1: not needed */
	const struct source_facts *facts; /* and options: for accounts_slab_counts() */
	const struct kmem_options *options;
	/* frees of older objects, by the low bits of the cache's id; of the whole source,
	 * unfiltered; NULL: none */
	uint64_t *old_frees;
	bool known; /* the next two are: live, but their frees are mostly not traced */
	uint64_t live, bytes_live;
	struct leak_caches caches; /* by the kernel's counts, if there is a table of sites */
};

void untraced_deinit(struct untraced *u);

/* Called before the first free of an older object. Returns 0, or -ENOMEM. */
int untraced_init_frees(struct untraced *u);

/* Count n frees like this one, whose allocation is not known. Returns 0, or -ENOMEM. */
static inline int untraced_add_frees(struct untraced *u, const struct kmem_event *ev, uint64_t n)
{
	if (!u->old_frees && untraced_init_frees(u))
		return -ENOMEM;
	u->old_frees[ev->cache_id & (UNTRACED_CACHES - 1)] += n;
	return 0;
}

/* The number of frees of older objects of a cache, and of those that name none. */
struct leak_old_frees untraced_old_frees(const struct untraced *u, const char *cache);

/*
 * Called after the last event, if there is a table of sites: sets live_untraced of all tables and
 * the figures above. If memory runs out, nothing is set. left_out: number of live objects that live
 * figures leave out. state: of the account, for for_each_live().
 */
void untraced_finish(struct untraced *u, struct allocator_accounts *a, uint64_t left_out,
		     const void *state,
		     void (*for_each_live)(const void *state, account_live_fn fn, void *ctx));

#endif
