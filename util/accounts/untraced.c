// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/accounts/untraced.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/event/cache_id.h"
#include "util/leak/leak_evidence.h"

void untraced_deinit(struct untraced *u)
{
	free(u->old_frees);
	leak_caches_deinit(&u->caches);
}

int untraced_init_frees(struct untraced *u)
{
	u->old_frees = calloc(UNTRACED_CACHES, sizeof(*u->old_frees));
	return u->old_frees ? 0 : -ENOMEM;
}

/* kfree() does not name the cache of its object, which mostly is from kmalloc(). */
struct leak_old_frees untraced_old_frees(const struct untraced *u, const char *cache)
{
	const uint32_t id = cache_id_of(cache, strlen(cache)) & (UNTRACED_CACHES - 1);

	if (!u->old_frees)
		return (struct leak_old_frees){0};
	return (struct leak_old_frees){
		.named = u->old_frees[id],
		.unnamed = strstr(cache, "kmalloc") ? u->old_frees[CACHE_ID_ANY] : 0,
	};
}

static struct leak_old_frees old_frees(const void *untraced, const char *cache)
{
	return untraced_old_frees(untraced, cache);
}

static const char *cache_of(const struct stat_table *sites, uint32_t row)
{
	return intern_get(&sites->names->strings, (uint32_t)stat_table_keys(sites, row)[1], NULL);
}

/* The same verdict as that of leak (util/leak/leak_survey.c). */
static bool is_untraced(const struct untraced *u, const struct stat_table *sites, uint32_t row)
{
	const struct stat_counts *c = stat_table_counts(sites, row);
	const struct leak_observed seen = {
		.survivors = c->live_hits, .freed = c->freed_hits, .unseen = c->unseen_frees};
	const char *cache = cache_of(sites, row);
	const struct leak_old_frees old = untraced_old_frees(u, cache);
	const struct leak_count count = leak_count_of(accounts_slab_counts(u->facts, u->options),
						      cache, old.named + old.unnamed, 0);

	return leak_is_untraced(&seen) || leak_count_clears(&count, seen.survivors);
}

struct walk {
	struct untraced *untraced;
	struct allocator_accounts *accounts;
	const bool *is_untraced; /* of each row of the table of sites */
};

/* Returns the object's row of a table. Objects store only their rows of counted_in. */
static uint32_t row_in(const struct allocator_accounts *a, const struct account_live *o,
		       unsigned int table)
{
	if (a->counted_in == a->tables)
		return o->row[table];
	return a->finest.coarser_rows[o->row[0] * (size_t)a->finest.nr_coarser + table];
}

static void add_live(void *ctx, const struct account_live *o)
{
	const struct walk *w = ctx;
	struct untraced *u = w->untraced;
	struct allocator_accounts *a = w->accounts;

	if (o->filtered_out || !w->is_untraced[row_in(a, o, (unsigned int)u->sites)])
		return;
	u->live += o->hits;
	u->bytes_live += o->bytes;
	for (unsigned int i = 0; i < a->nr_tables; i++)
		a->tables[i].live_untraced[row_in(a, o, i)] += o->bytes;
}

/* Compares the live objects with the kernel's counts. */
static void count_caches(struct untraced *u, const struct allocator_accounts *a,
			 const struct stat_table *sites, uint64_t left_out)
{
	uint32_t row;

	/* a filter leaves live objects out */
	if (!a->count_unmatched_frees ||
	    leak_caches_init(&u->caches, accounts_slab_counts(u->facts, u->options)))
		return;
	stat_table_for_each (row, sites)
		leak_caches_add(&u->caches, cache_of(sites, row),
				stat_table_counts(sites, row)->live_hits, 0);
	leak_caches_finish(&u->caches, old_frees, u, u->facts->nr_lost + left_out);
}

void untraced_finish(struct untraced *u, struct allocator_accounts *a, uint64_t left_out,
		     const void *state,
		     void (*for_each_live)(const void *state, account_live_fn fn, void *ctx))
{
	const struct stat_table *sites = &a->tables[u->sites];
	_cleanup_free_ bool *marks = calloc(stat_table_top(sites) + 1u, sizeof(*marks));
	struct walk w = {u, a, marks};
	uint32_t row;

	if (!marks)
		return;
	stat_table_for_each (row, sites)
		marks[row] = is_untraced(u, sites, row);
	for (unsigned int i = 0; i < a->nr_tables; i++) {
		struct stat_table *t = &a->tables[i];

		t->live_untraced = calloc(stat_table_top(t) + 1u, sizeof(*t->live_untraced));
		if (!t->live_untraced)
			return;
	}
	u->known = true;
	for_each_live(state, add_live, &w);
	count_caches(u, a, sites, left_out);
}
