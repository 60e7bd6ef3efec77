// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/leak.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a cache without a single free that was seen nobody knows. */
#define CONFIDENCE_NO_FREE 0.5
#define CONFIDENCE_HIGH	   0.95
#define CONFIDENCE_MEDIUM  0.5

void leak_options_prepare(struct kmem_options *options, bool stacks)
{
	static const struct table_spec slab[] = {{{KEY_CALLSITE, KEY_CACHE}, 2},
						 {{KEY_CALLSITE, KEY_CACHE, KEY_STACK}, 3}};
	static const struct table_spec cache = {{KEY_CACHE}, 1, .unfiltered = true};
	static const struct table_spec page[] = {{{KEY_CALLSITE}, 1},
						 {{KEY_CALLSITE, KEY_STACK}, 2}};

	options->slab_tables[LEAK_SLAB_TABLE] = slab[stacks];
	options->slab_tables[LEAK_CACHE_TABLE] = cache;
	options->nr_slab_tables = 2;
	options->page_tables[LEAK_PAGE_TABLE] = page[stacks];
	options->nr_page_tables = 1;
}

/* Rows by their number in the table while live objects are gathered. */
struct gathering {
	struct leak_row *rows;
	unsigned int table;
	uint64_t end_ns, min_age_ns;
};

static void gather(struct gathering *g, uint32_t row, uint64_t time_ns, uint64_t bytes)
{
	uint64_t age_ns = time_ns < g->end_ns ? g->end_ns - time_ns : 0;
	struct leak_row *r = &g->rows[row];

	if (age_ns < g->min_age_ns)
		return;
	if (!r->hits || age_ns < r->youngest_ns)
		r->youngest_ns = age_ns;
	if (age_ns > r->oldest_ns)
		r->oldest_ns = age_ns;
	r->hits++;
	r->bytes += bytes;
}

static void gather_slab(void *ctx, const struct slab_live *o)
{
	struct gathering *g = ctx;

	gather(g, o->row[g->table], o->time_ns, o->bytes_alloc);
}

static void gather_page(void *ctx, const struct page_live *b)
{
	struct gathering *g = ctx;

	gather(g, b->row[g->table], b->time_ns, b->bytes);
}

static double unseen_share(const struct stat_counts *c)
{
	uint64_t frees = c->unseen_frees + c->freed_hits;

	return frees ? (double)c->unseen_frees / (double)frees : 0.0;
}

static void lower(struct leak_row *r, double factor, enum leak_reason reason, double *worst)
{
	r->confidence *= factor;
	if (factor < *worst) {
		*worst = factor;
		r->reason = reason;
	}
}

/* cache: counts of the row's cache; NULL for pages. */
static void judge(struct leak_row *r, const struct stat_counts *cache, double lost)
{
	const struct stat_counts *own = stat_table_counts(r->table, r->row);
	double by_site = 1 - unseen_share(own), by_cache = cache ? 1 - unseen_share(cache) : 1;
	double worst = 1;

	r->confidence = 1;
	r->reason = LEAK_SURE;
	lower(r, 1 - lost, LEAK_LOST, &worst);
	if (by_site < by_cache)
		lower(r, by_site, LEAK_UNSEEN_SITE, &worst);
	else
		lower(r, by_cache, LEAK_UNSEEN_CACHE, &worst);
	if (cache && !cache->freed_hits && !cache->unseen_frees)
		lower(r, CONFIDENCE_NO_FREE, LEAK_NO_FREE_SEEN, &worst);
}

static int by_bytes(const void *x, const void *y)
{
	const struct leak_row *a = x, *b = y;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static int untraced_by_bytes(const void *x, const void *y)
{
	const struct untraced_cache *a = x, *b = y;

	if (a->live_bytes != b->live_bytes)
		return a->live_bytes > b->live_bytes ? -1 : 1;
	return (a->cache > b->cache) - (a->cache < b->cache);
}

static const struct stat_counts *counts_of_cache(const struct kmem_analysis *a, uint64_t cache)
{
	const struct stat_table *t = &a->slab.tables[LEAK_CACHE_TABLE];
	const void *row = table_find(&t->rows, &cache);

	return row ? stat_table_counts(t, table_index(&t->rows, row)) : NULL;
}

static bool is_untraced(const struct stat_counts *cache)
{
	return cache->unseen_frees > cache->freed_hits;
}

/* Keep the rows that have something, judged, in order. */
static int finish_rows(struct leak_rows *rows, const struct kmem_analysis *a,
		       const struct stat_table *table, bool slab, double lost)
{
	struct table callsites;
	size_t nr = 0;
	int ret = 0;

	table_init(&callsites, sizeof(uint64_t), sizeof(uint64_t));
	for (uint32_t i = 0; i < table->rows.nr; i++) {
		const struct stat_counts *cache = NULL;
		struct leak_row *r = &rows->v[i];

		if (!r->hits)
			continue;
		if (slab)
			cache = counts_of_cache(a, stat_table_keys(table, i)[1]);
		if (cache && is_untraced(cache))
			continue;
		r->table = table;
		r->row = i;
		judge(r, cache, lost);
		if (!table_insert(&callsites, stat_table_keys(table, i)))
			ret = -ENOMEM;
		rows->hits += r->hits;
		rows->bytes += r->bytes;
		rows->v[nr++] = *r;
	}
	rows->nr = nr;
	rows->callsites = callsites.nr;
	table_deinit(&callsites);
	qsort(rows->v, nr, sizeof(*rows->v), by_bytes);
	return ret;
}

static int alloc_rows(struct leak_rows *rows, const struct stat_table *table)
{
	rows->v = calloc(table->rows.nr + 1u, sizeof(*rows->v));
	return rows->v ? 0 : -ENOMEM;
}

static int list_untraced(struct leak *l, const struct kmem_analysis *a)
{
	const struct stat_table *t = &a->slab.tables[LEAK_CACHE_TABLE];

	l->untraced = calloc(t->rows.nr + 1u, sizeof(*l->untraced));
	if (!l->untraced)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->rows.nr; i++) {
		const struct stat_counts *c = stat_table_counts(t, i);

		if (!is_untraced(c))
			continue;
		l->untraced[l->nr_untraced++] = (struct untraced_cache){
			.cache = stat_table_keys(t, i)[0],
			.allocations = c->hits,
			.frees_seen = c->freed_hits,
			.frees_unseen = c->unseen_frees,
			.live_hits = c->live_hits,
			.live_bytes = c->live_bytes,
		};
	}
	qsort(l->untraced, l->nr_untraced, sizeof(*l->untraced), untraced_by_bytes);
	return 0;
}

/* Of the free events that there were, the share that the recording lacks. */
static double lost_frees(const struct kmem_analysis *a)
{
	const struct recording *r = a->recording;
	uint64_t lost = 0, samples = 0;

	for (size_t i = 0; i < a->nr_decoders && i < r->nr_events; i++) {
		const struct recorded_event *ev = r->events[i];
		enum kmem_kind kind =
			a->decoders[i] ? kmem_decoder_kind(a->decoders[i]) : KMEM_OTHER;

		if (kind != KMEM_SLAB_FREE && kind != KMEM_PAGE_FREE)
			continue;
		samples += ev->nr_samples;
		lost += recording_event_lost(r, ev) + recorded_event_undelivered(r, ev);
	}
	/* when nobody knows which events were lost, the frees were lost as all others */
	if (recording_lost(r) && !recording_knows_lost_events(r))
		return recording_lost_percent(r) / 100;
	return lost ? (double)lost / (double)(lost + samples) : 0.0;
}

int leak_init(struct leak *l, const struct kmem_analysis *a, uint64_t min_age_ns)
{
	struct gathering g = {.min_age_ns = min_age_ns};
	int ret = 0;

	*l = (struct leak){.lost = lost_frees(a),
			   .end_ns = kmem_analysis_span(a).stop_ns,
			   .min_age_ns = min_age_ns};
	g.end_ns = l->end_ns;
	if (a->do_slab) {
		const struct stat_table *t = &a->slab.tables[LEAK_SLAB_TABLE];

		ret = alloc_rows(&l->slab, t);
		if (!ret) {
			g.rows = l->slab.v;
			g.table = LEAK_SLAB_TABLE;
			slab_for_each_live(&a->slab, gather_slab, &g);
			ret = finish_rows(&l->slab, a, t, true, l->lost);
		}
		if (!ret)
			ret = list_untraced(l, a);
	}
	if (!ret && a->do_page) {
		const struct stat_table *t = &a->page.tables[LEAK_PAGE_TABLE];

		ret = alloc_rows(&l->page, t);
		if (!ret) {
			g.rows = l->page.v;
			g.table = LEAK_PAGE_TABLE;
			page_for_each_live(&a->page, gather_page, &g);
			ret = finish_rows(&l->page, a, t, false, l->lost);
		}
	}
	if (ret)
		leak_deinit(l);
	return ret;
}

void leak_deinit(struct leak *l)
{
	free(l->slab.v);
	free(l->page.v);
	free(l->untraced);
	*l = (struct leak){0};
}

const char *leak_reason_text(enum leak_reason reason)
{
	static const char *const texts[] = {
		[LEAK_SURE] = "",
		[LEAK_LOST] = "free events were lost",
		[LEAK_UNSEEN_CACHE] = "some frees of this cache are not traced",
		[LEAK_UNSEEN_SITE] = "some frees of its objects are not traced",
		[LEAK_NO_FREE_SEEN] = "no free of this cache was seen",
	};

	return texts[reason];
}

const char *leak_confidence_word(double confidence)
{
	if (confidence >= CONFIDENCE_HIGH)
		return "high";
	return confidence >= CONFIDENCE_MEDIUM ? "medium" : "low";
}
