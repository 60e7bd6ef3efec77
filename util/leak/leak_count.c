// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	uint64_t unexplained; /* minimum number of unexplained objects */
	uint64_t part;	      /* divisor: and at least this part of the growth */
} limits = {
	.unexplained = 100,
	.part = 8,
};

static uint64_t rise(const struct slab_growth *g)
{
	return g->objects > 0 ? (uint64_t)g->objects : 0;
}

/* Objects allocated since the start that are live, if the count is exact. */
static uint64_t expected(const struct slab_growth *g, uint64_t old_frees)
{
	return rise(g) + g->elsewhere + (old_frees < g->before ? old_frees : g->before);
}

static uint64_t at_most(const struct slab_growth *g, uint64_t old_frees)
{
	return expected(g, old_frees) + g->uncertainty;
}

struct leak_count leak_count_of(const struct slab_counts *counts, const char *cache,
				uint64_t old_frees, uint64_t uncounted)
{
	struct leak_count c = {.in_batches = !strcmp(cache, "vmap_area")};

	if (!counts || !slab_counts_growth(counts, cache, &c.growth))
		return c;
	c.known = true;
	c.grew = rise(&c.growth) > c.growth.uncertainty;
	c.at_most = at_most(&c.growth, old_frees) + uncounted;
	c.likely = expected(&c.growth, old_frees) + uncounted;
	return c;
}

bool leak_count_clears(const struct leak_count *c, uint64_t survivors)
{
	return c->known && !c->grew && c->at_most < survivors / 2;
}

int leak_caches_init(struct leak_caches *c, const struct slab_counts *counts)
{
	*c = (struct leak_caches){.v = NULL};
	if (!counts)
		return 0;
	c->v = calloc(counts->nr + 1, sizeof(*c->v));
	if (!c->v)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr; i++) {
		struct leak_cache *cache = &c->v[c->nr];

		cache->name = counts->v[i].name;
		cache->object_bytes = counts->v[i].object_bytes;
		c->nr += slab_counts_growth(counts, cache->name, &cache->growth);
	}
	c->known = counts->whole;
	return 0;
}

void leak_caches_deinit(struct leak_caches *c)
{
	free(c->v);
	*c = (struct leak_caches){.v = NULL};
}

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct leak_cache *)x)->name, ((const struct leak_cache *)y)->name);
}

void leak_caches_add(struct leak_caches *c, const char *name, uint64_t survivors,
		     uint64_t uncounted)
{
	static const char unnamed[] = "kmem_cache-"; /* an event without its cache, before 6.1 */
	const struct leak_cache key = {.name = name};
	struct leak_cache *cache =
		c->nr ? bsearch(&key, c->v, c->nr, sizeof(*c->v), by_name) : NULL;

	if (cache) {
		cache->live_hits += survivors;
		cache->uncounted += uncounted;
	} else if (!strncmp(name, unnamed, strlen(unnamed)))
		c->known = false;
}

static int by_unexplained(const void *x, const void *y)
{
	const struct leak_cache *a = x, *b = y;

	if (a->unexplained != b->unexplained)
		return a->unexplained > b->unexplained ? -1 : 1;
	return by_name(a, b);
}

/*
 * growth = traced allocations + untraced ones - frees, and
 * survivors = traced allocations - matched frees, so
 * untraced allocations >= growth + unmatched frees - survivors.
 */
static void count_untraced_allocs(struct leak_cache *cache, uint64_t unmatched, uint64_t nr_missing)
{
	const int64_t nr = cache->growth.objects + (int64_t)unmatched -
			   (int64_t)(cache->growth.uncertainty + cache->live_hits + nr_missing);

	if (nr >= (int64_t)limits.unexplained)
		cache->untraced_allocs = (uint64_t)nr;
}

void leak_caches_finish(struct leak_caches *c, leak_old_frees_fn old_frees, const void *state,
			uint64_t nr_missing)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++) {
		struct leak_cache *cache = &c->v[i];
		const struct leak_old_frees old = old_frees(state, cache->name);
		uint64_t grew = rise(&cache->growth), most;
		uint64_t explained = cache->growth.uncertainty + cache->live_hits + nr_missing;

		cache->old_frees = old.named + old.unnamed;
		most = at_most(&cache->growth, cache->old_frees) + cache->uncounted;
		if (!cache->growth.objects && !cache->live_hits)
			continue;
		if (c->known && grew >= explained + limits.unexplained &&
		    grew - explained >= grew / limits.part)
			cache->unexplained = grew - explained;
		if (c->known)
			count_untraced_allocs(cache, old.named, nr_missing);
		if (cache->live_hits > most)
			cache->dead = cache->live_hits - most;
		c->v[nr++] = *cache;
	}
	c->nr = nr;
	if (nr)
		qsort(c->v, nr, sizeof(*c->v), by_unexplained);
}
