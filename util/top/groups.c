// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"
#include "util/leak/leak_evidence.h"

static uint64_t history_ns(const struct top_intervals *intervals)
{
	uint64_t ns = 0;

	for (unsigned int i = 0; i < RECENT_MOMENTS - 1; i++)
		ns += intervals->history_ns[i];
	return ns;
}

/* The positions of some keys among those of the table. */
static void places_of(const struct stat_table *t, const enum kmem_key *by, unsigned int nr_by,
		      unsigned int places[STAT_KEYS_MAX])
{
	for (unsigned int i = 0; i < nr_by; i++) {
		places[i] = 0;
		while (places[i] + 1 < t->nr_by && t->by[places[i]] != by[i])
			places[i]++;
	}
}

static bool matches(const uint64_t *keys, const struct top_where *where,
		    const unsigned int places[STAT_KEYS_MAX])
{
	for (unsigned int i = 0; i < where->nr; i++)
		if (keys[places[i]] != where->values[i])
			return false;
	return true;
}

/* The keys by which frees are counted, as far as the table has them. */
static const enum kmem_key site_keys[] = {KEY_CALLSITE, KEY_CACHE};

#define NR_SITE_KEYS (sizeof(site_keys) / sizeof(site_keys[0]))

struct site_row {
	uint64_t keys[NR_SITE_KEYS];
	struct leak_observed seen;
};

static void site_of(const struct stat_table *t, uint32_t row, uint64_t ret_keys[NR_SITE_KEYS])
{
	const uint64_t *keys = stat_table_keys(t, row);

	for (size_t k = 0; k < NR_SITE_KEYS; k++) {
		ret_keys[k] = 0;
		for (unsigned int i = 0; i < t->nr_by; i++)
			if (t->by[i] == site_keys[k])
				ret_keys[k] = keys[i];
	}
}

/* Errors: -ENOMEM. */
static int observe_sites(struct table *sites, const struct stat_table *t)
{
	uint32_t row;

	stat_table_for_each (row, t) {
		const struct stat_counts *c = stat_table_counts(t, row);
		uint64_t keys[NR_SITE_KEYS];
		struct site_row *site;

		site_of(t, row, keys);
		site = table_insert(sites, keys);
		if (!site)
			return -ENOMEM;
		site->seen.survivors += c->live_hits;
		site->seen.freed += c->freed_hits;
		site->seen.unseen += c->unseen_frees;
	}
	return 0;
}

/* Live bytes of a row if most frees of its call site are untraced, otherwise 0. */
static uint64_t untraced_bytes(const struct table *sites, const struct stat_table *t, uint32_t row)
{
	uint64_t keys[NR_SITE_KEYS];
	const struct site_row *site;

	site_of(t, row, keys);
	site = table_find(sites, keys);
	return leak_is_untraced(&site->seen) ? stat_table_counts(t, row)->live_bytes : 0;
}

/* ---- growth by the kernel's counts ----------------------------------------------------------- */

struct cache_row {
	uint64_t cache;
	uint64_t live_hits;
	double part; /* of them by which the kernel's count grew */
};

/* The cache of a row; 0 if the table does not have it. */
static uint64_t cache_of(const struct stat_table *t, uint32_t row)
{
	uint64_t keys[NR_SITE_KEYS];

	site_of(t, row, keys);
	return keys[1];
}

/* A cache that the kernel does not count, such as kmalloc-16k, has all of its live objects. */
static void set_part(struct cache_row *cache, const char *name, const struct slab_counts *counts)
{
	struct slab_growth growth;

	cache->part = 1;
	if (!slab_counts_growth(counts, name, &growth) || !cache->live_hits)
		return;
	if (growth.objects <= 0)
		cache->part = 0;
	else if ((uint64_t)growth.objects < cache->live_hits)
		cache->part = (double)growth.objects / (double)cache->live_hits;
}

/* Errors: -ENOMEM. */
static int observe_caches(struct table *caches, const struct stat_table *t,
			  const struct slab_counts *counts)
{
	struct cache_row *cache;
	uint64_t at = 0;
	uint32_t row;

	stat_table_for_each (row, t) {
		const uint64_t key = cache_of(t, row);

		cache = table_insert(caches, &key);
		if (!cache)
			return -ENOMEM;
		cache->live_hits += stat_table_counts(t, row)->live_hits;
	}
	while ((cache = table_next(caches, &at)))
		set_part(cache, intern_get(&t->names->strings, (uint32_t)cache->cache, NULL),
			 counts);
	return 0;
}

static void add_grown(struct top_grown *to, const struct table *caches, const struct stat_table *t,
		      uint32_t row)
{
	const struct stat_counts *c = stat_table_counts(t, row);
	const uint64_t key = cache_of(t, row);
	const struct cache_row *cache = table_find(caches, &key);

	to->hits += units_round(cache->part * (double)c->live_hits);
	to->bytes += units_round(cache->part * (double)c->live_bytes);
}

/* Whether the counts apply: the table has caches, and was counted twice. */
static bool has_counts(const struct stat_table *t, const struct slab_counts *counts)
{
	bool has_caches = false;

	for (unsigned int i = 0; i < t->nr_by; i++)
		has_caches |= t->by[i] == KEY_CACHE;
	return has_caches && t->names && counts && counts->nr_readings > 1;
}

static void add_recent(struct stat_recent *to, const struct stat_recent *r)
{
	to->hits += r->hits;
	to->bytes_alloc += r->bytes_alloc;
	to->freed_hits += r->freed_hits;
	to->bytes_freed += r->bytes_freed;
	for (unsigned int i = 0; i < RECENT_MOMENTS; i++)
		to->live[i] += r->live[i];
}

static void add_sums(struct top_sums *s, const struct stat_counts *c, const struct stat_recent *r)
{
	s->hits += r->hits;
	s->bytes_alloc += r->bytes_alloc;
	s->freed_hits += r->freed_hits;
	s->bytes_freed += r->bytes_freed;
	s->total_hits += c->hits;
	s->total_bytes += c->bytes_alloc;
	s->live_hits += c->live_hits;
	s->live_bytes += c->live_bytes;
	for (unsigned int i = 0; i < RECENT_MOMENTS; i++)
		s->live[i] += r->live[i];
}

static struct top_figures *figures_of(const struct top_groups *g, uint64_t *row)
{
	return top_figures_at(row, g->shape.nr_by);
}

/* leak judges only memory whose frees are traced. If that is less than half of the live bytes, only
 * a leak of it is reported. */
static bool is_unknown(const struct top_figures *f, bool is_suspect)
{
	return !is_suspect && f->live_untraced > f->counts.live_bytes / 2;
}

/* A group may have several rows of leak, for different uses: the worst one is its verdict. */
static void take_verdicts(struct top_groups *g, const struct leak_rows *verdicts)
{
	for (size_t i = 0; i < verdicts->nr; i++) {
		const struct leak_row *r = &verdicts->v[i];
		uint64_t *group = table_find(&g->rows, r->key);
		struct top_figures *f = group ? figures_of(g, group) : NULL;

		if (f && (!f->verdict || suspect_rank(r) > suspect_rank(f->verdict)))
			f->verdict = r;
	}
	for (uint32_t i = 0; i < g->rows.nr; i++) {
		struct top_figures *f = figures_of(g, table_row(&g->rows, i));
		const uint8_t rank = f->verdict ? suspect_rank(f->verdict) : 0;
		const bool is_suspect = suspect_role(suspect_value(rank, 0)) != ROLE_PLAIN;

		g->nr_suspects += is_suspect;
		if (is_unknown(f, is_suspect))
			f->verdict = NULL;
	}
}

static int sum_up(struct top_groups *g, const struct stat_table *table,
		  const struct top_where *where, const struct table *sites,
		  const struct table *caches)
{
	static const struct stat_recent none = {.hits = 0};
	unsigned int places[STAT_KEYS_MAX] = {0}, where_places[STAT_KEYS_MAX] = {0};
	uint32_t row;

	places_of(table, g->shape.by, g->shape.nr_by, places);
	places_of(table, where->by, where->nr, where_places);
	stat_table_for_each (row, table) {
		const struct stat_recent *recent = stat_table_recent(table, row);
		const uint64_t *keys = stat_table_keys(table, row);
		uint64_t group_keys[STAT_KEYS_MAX], *group, untraced;

		if (!matches(keys, where, where_places))
			continue;
		for (unsigned int i = 0; i < g->shape.nr_by; i++)
			group_keys[i] = keys[places[i]];
		group = table_insert(&g->rows, group_keys);
		if (!group)
			return -ENOMEM;
		stat_counts_add_all(&figures_of(g, group)->counts, stat_table_counts(table, row));
		untraced = untraced_bytes(sites, table, row);
		figures_of(g, group)->live_untraced += untraced;
		g->sums.live_untraced += untraced;
		if (g->has_grown)
			add_grown(&figures_of(g, group)->grown, caches, table, row);
		add_recent(&figures_of(g, group)->recent, recent ? recent : &none);
		add_sums(&g->sums, stat_table_counts(table, row), recent ? recent : &none);
	}
	return 0;
}

int top_groups_init(struct top_groups *g, const struct top_intervals *intervals,
		    const struct stat_table *table, const enum kmem_key *by, unsigned int nr_by,
		    const struct top_where *where, const struct slab_counts *counts,
		    const struct leak_rows *verdicts)
{
	static const struct top_where all = {.nr = 0};
	struct stat_recent recent;
	struct row_view sum = {.recent = &recent,
			       .interval_ns = intervals->ns,
			       .history_ns = history_ns(intervals)};
	struct table sites, caches;
	int ret;

	*g = (struct top_groups){.intervals = *intervals, .has_grown = has_counts(table, counts)};
	stat_table_init(&g->shape, by, nr_by);
	g->shape.names = table->names;
	table_init(&g->rows, nr_by * sizeof(uint64_t) + sizeof(struct top_figures),
		   nr_by * sizeof(uint64_t));
	table_init(&sites, sizeof(struct site_row), NR_SITE_KEYS * sizeof(uint64_t));
	table_init(&caches, sizeof(struct cache_row), sizeof(uint64_t));
	ret = observe_sites(&sites, table);
	if (!ret && g->has_grown)
		ret = observe_caches(&caches, table, counts);
	if (!ret)
		ret = sum_up(g, table, where ? where : &all, &sites, &caches);
	if (!ret && verdicts)
		take_verdicts(g, verdicts);
	table_deinit(&sites);
	table_deinit(&caches);
	memcpy(recent.live, g->sums.live, sizeof(recent.live));
	g->sums.growth = row_growth(&sum);
	return ret;
}

void top_groups_deinit(struct top_groups *g)
{
	table_deinit(&g->rows);
	stat_table_deinit(&g->shape);
}

struct row_view top_groups_row(const struct top_groups *g, uint32_t row)
{
	uint64_t *keys = table_row(&g->rows, row);

	return (struct row_view){
		.key = keys,
		.table = &g->shape,
		.counts = &figures_of(g, keys)->counts,
		.recent = &figures_of(g, keys)->recent,
		.interval_ns = g->intervals.ns,
		.history_ns = history_ns(&g->intervals),
	};
}

/* Whether anything happened or is live; with `since_start`, at any time since the start. */
static bool is_shown(const struct row_view *row, bool since_start)
{
	const struct stat_counts *c = row->counts;
	const struct stat_recent *r = row->recent;

	return r->hits || r->freed_hits || c->live_hits ||
	       (since_start && (c->hits || c->freed_hits));
}

struct sorting {
	const struct top_groups *groups;
	const struct top_order *order;
};

static int compare(const void *x, const void *y, void *ctx)
{
	const struct sorting *s = ctx;
	const struct stat_table *shape = &s->groups->shape;
	struct row_view a = top_groups_row(s->groups, *(const uint32_t *)x);
	struct row_view b = top_groups_row(s->groups, *(const uint32_t *)y);
	int ret = s->groups->has_grown
			  ? top_grown_compare(s->order->column->name, top_figures_of(&a)->grown,
					      top_figures_of(&b)->grown)
			  : 0;

	if (!ret)
		ret = column_compare(s->order->column, &a, &b);

	if (ret)
		return s->order->ascending ? ret : -ret;
	for (unsigned int i = 0; !ret && i < shape->nr_by; i++)
		ret = kmem_key_compare(shape->by[i], shape->names, a.key[i], b.key[i]);
	return ret;
}

int top_groups_sort(const struct top_groups *g, const struct top_order *order, uint32_t **ret_rows,
		    uint64_t *ret_nr, uint64_t *ret_total)
{
	struct sorting sorting = {g, order};
	uint32_t *rows = reallocarray(NULL, g->rows.nr + 1ul, sizeof(*rows));
	uint64_t nr = 0;

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->rows.nr; i++) {
		struct row_view row = top_groups_row(g, i);

		if (is_shown(&row, order->idle))
			rows[nr++] = i;
	}
	qsort_r(rows, nr, sizeof(*rows), compare, &sorting);
	*ret_rows = rows;
	*ret_nr = nr < order->lines ? nr : order->lines;
	*ret_total = nr;
	return 0;
}
