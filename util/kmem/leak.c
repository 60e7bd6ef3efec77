// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/leak.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Tables of an allocator: the report's keys with the command, whose, where. */
static int set_tables(struct table_spec *tables, unsigned int *nr, const struct table_spec *by,
		      const struct table_spec *sites, bool stacks, struct error *err)
{
	static const struct table_spec owners = {{KEY_COMM, KEY_PID}, .nr_by = 2};
	struct table_spec *parts = &tables[LEAK_PARTS];
	bool has_comm = false, has_stack = false;

	*parts = *by;
	for (unsigned int i = 0; i < by->nr_by; i++) {
		has_comm |= by->by[i] == KEY_COMM;
		has_stack |= by->by[i] == KEY_STACK;
		if (by->by[i] == KEY_PTR || by->by[i] == KEY_PAGE)
			return error_set(err, EINVAL,
					 "leak cannot group by %s, which is used again and again "
					 "(stat --live --by %s lists what is live)",
					 kmem_key_name(by->by[i]), kmem_key_name(by->by[i]));
	}
	if (stacks && !has_stack) {
		if (parts->nr_by == STAT_KEYS_MAX)
			return error_set(err, E2BIG, "no room for --stack beside %d keys of --by",
					 STAT_KEYS_MAX);
		parts->by[parts->nr_by++] = KEY_STACK;
	}
	parts->nr_shown = parts->nr_by;
	if (!has_comm && parts->nr_by < STAT_KEYS_MAX)
		parts->by[parts->nr_by++] = KEY_COMM;
	parts->history = true;
	tables[LEAK_OWNERS] = owners;
	tables[LEAK_SITES] = *sites;
	*nr = LEAK_TABLES;
	return 0;
}

int leak_options_prepare(struct kmem_options *options, const struct table_spec *by, bool stacks,
			 struct error *err)
{
	static const struct table_spec slab_sites = {
		{KEY_CALLSITE, KEY_CACHE}, .nr_by = 2, .unfiltered = true};
	static const struct table_spec page_sites = {{KEY_CALLSITE, KEY_MIGRATETYPE}, .nr_by = 2};
	static const struct table_spec slab = {{KEY_CALLSITE, KEY_CACHE}, .nr_by = 2};
	static const struct table_spec page = {{KEY_CALLSITE}, .nr_by = 1};
	int ret;

	ret = set_tables(options->slab_tables, &options->nr_slab_tables, by->nr_by ? by : &slab,
			 &slab_sites, stacks, err);
	if (!ret)
		ret = set_tables(options->page_tables, &options->nr_page_tables,
				 by->nr_by ? by : &page, &page_sites, stacks, err);
	return ret;
}

/* Of the free events that there were, of the allocators that count, what the recording lacks. */
static struct leak_losses lost_frees(const struct kmem_analysis *a, bool slab, bool page)
{
	const struct source_facts *r = a->recording;
	uint64_t lost = 0, samples = 0, period = 1;
	double kept;

	for (size_t i = 0; i < a->decoding.nr_decoders && i < r->nr_events; i++) {
		const struct source_event *ev = r->events[i];

		enum kmem_kind kind = a->decoding.decoders[i]
					      ? kmem_decoder_kind(a->decoding.decoders[i])
					      : KMEM_OTHER;

		if (!(slab && kind == KMEM_SLAB_FREE) && !(page && kind == KMEM_PAGE_FREE))
			continue;
		samples += ev->nr_samples;
		lost += ev->nr_lost + ev->nr_undelivered;
		period = ev->period;
	}
	/* when nobody knows which events were lost, the frees were lost as all others */
	if (r->nr_lost && !r->knows_lost_events)
		kept = 1 - source_facts_lost_percent(r) / 100;
	else
		kept = lost ? (double)samples / (double)(lost + samples) : 1.0;
	return (struct leak_losses){.lost = 1 - kept / (double)period, .sampled = period > 1};
}

/* What an owner holds of a row. */
struct held {
	uint32_t row, owner;
	uint64_t hits, bytes;
};

/* While live objects are gathered; arrays by the numbers of the tables' rows. */
struct gathering {
	const struct kmem_analysis *a;
	struct leak_rows *rows;
	const struct stat_table *parts, *owners, *sites;
	bool slab;
	uint64_t end_ns, min_age_ns;
	struct gathered_site {
		struct leak_observed seen;
		struct leak_evidence evidence;
		const char *cache; /* NULL for pages */
		enum leak_use use;
		bool untraced, counted;
		uint64_t bytes; /* live, of what no filter excludes */
		uint64_t hits;
	} * site;
	struct gathered_part {
		uint64_t survivors[HISTORY_MOMENTS];
		struct leak_observed seen;
		struct leak_evidence evidence; /* where it leaks */
		bool leaks;
		uint64_t bytes;
		uint32_t row; /* of the report */
	} * part;
	struct gathered_row {
		uint64_t use_bytes[LEAK_USES];
		double confidence; /* by bytes, as the next ones */
		double lowered[LEAK_REASONS];
		const struct held *most;
		uint64_t leaking; /* bytes of the parts that leak */
		int64_t growth;	  /* of those */
		uint32_t part;	  /* one of them */
	} * row;
	struct table caches; /* name, then struct leak_observed */
	struct table held;   /* struct held */
	int ret;
};

/* Live objects and blocks, in one shape. */
struct live {
	uint64_t time_ns, bytes;
	bool filtered_out;
	const uint32_t *row;
};

typedef void (*live_fn)(struct gathering *g, const struct live *live, uint64_t age_ns);

struct walk {
	struct gathering *g;
	live_fn fn;
};

static void walk_one(const struct walk *w, const struct live *live)
{
	uint64_t end_ns = w->g->end_ns;

	w->fn(w->g, live, live->time_ns < end_ns ? end_ns - live->time_ns : 0);
}

static void walk_slab(void *ctx, const struct slab_live *o)
{
	if (o->in_window)
		walk_one(ctx, &(struct live){o->time_ns, o->bytes_alloc, o->filtered_out, o->row});
}

static void walk_page(void *ctx, const struct page_live *b)
{
	if (b->in_window)
		walk_one(ctx, &(struct live){b->time_ns, b->bytes, false, b->row});
}

static void for_each_live(struct gathering *g, live_fn fn)
{
	struct walk w = {g, fn};

	if (g->slab)
		slab_for_each_live(&g->a->accounts.slab, walk_slab, &w);
	else
		page_for_each_live(&g->a->accounts.page, walk_page, &w);
}

/* First walk: how old what each site, and each part, allocated became. */
static void observe(struct gathering *g, const struct live *live, uint64_t age_ns)
{
	struct leak_observed *seen = &g->site[live->row[LEAK_SITES]].seen;
	struct gathered_part *part;

	seen->survivors++;
	seen->old += age_ns >= LEAK_OLD_NS;
	if (live->filtered_out)
		return;
	part = &g->part[live->row[LEAK_PARTS]];
	part->survivors[history_cohort(&g->parts->history, live->time_ns)]++;
	part->seen.survivors++;
	part->seen.old += age_ns >= LEAK_OLD_NS;
}

static struct leak_observed *cache_of(struct gathering *g, uint32_t site)
{
	const uint64_t *name = &stat_table_keys(g->sites, site)[1];
	uint64_t *row = g->slab ? table_insert(&g->caches, name) : NULL;

	if (g->slab && !row)
		g->ret = -ENOMEM;
	return row ? (struct leak_observed *)(row + 1) : NULL;
}

/* Names of functions that allocate for the page cache and for shared memory (mm/, fs/). */
static bool is_page_cache(const char *function)
{
	static const char *const parts[] = {"filemap", "page_cache", "shmem", "grow_dev",
					    "readahead"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(function, parts[i]))
			return true;
	return false;
}

static enum leak_use use_of(const struct gathering *g, uint32_t site)
{
	const uint64_t *key = stat_table_keys(g->sites, site);
	const struct symbol *sym;

	if (g->slab)
		return LEAK_KERNEL;
	sym = key[0] ? symbols_find(&g->a->naming.symbols, key[0]) : NULL;
	if (sym && is_page_cache(sym->name))
		return LEAK_PAGE_CACHE;
	/* what the kernel allocates for itself cannot be moved, but for a few drivers */
	return migratetype_of(&g->a->naming.migratetypes, key[1]) == MIGRATETYPE_MOVABLE
		       ? LEAK_USER
		       : LEAK_KERNEL;
}

static void judge_sites(struct gathering *g)
{
	for (uint32_t i = 0; i < g->sites->rows.nr; i++) {
		const struct stat_counts *c = stat_table_counts(g->sites, i);
		struct leak_observed *seen = &g->site[i].seen, *cache = cache_of(g, i);

		seen->freed = c->freed_hits;
		seen->unseen = c->unseen_frees;
		if (!cache)
			continue;
		cache->survivors += seen->survivors;
		cache->old += seen->old;
		cache->freed += seen->freed;
		cache->unseen += seen->unseen;
	}
	for (uint32_t i = 0; !g->ret && i < g->sites->rows.nr; i++) {
		struct gathered_site *site = &g->site[i];
		uint64_t cache = stat_table_keys(g->sites, i)[1];

		if (g->slab)
			site->cache =
				intern_get(&g->a->naming.names.strings, (uint32_t)cache, NULL);
		site->use = use_of(g, i);
		site->untraced = leak_is_untraced(&site->seen);
		site->evidence = leak_evidence_of(&site->seen, cache_of(g, i), site->cache,
						  &g->rows->losses);
	}
}

static void history_of_part(const struct gathering *g, uint32_t part, struct leak_history *h)
{
	history_sum(&g->parts->history, part, h->live_bytes, h->allocs);
	for (unsigned int i = 0; i < HISTORY_MOMENTS; i++)
		h->survivors[i] += g->part[part].survivors[i];
}

static void judge_parts(struct gathering *g)
{
	for (uint32_t i = 0; i < g->parts->rows.nr; i++) {
		const struct stat_counts *c = stat_table_counts(g->parts, i);
		struct leak_history history = {.allocs = {0}};
		struct gathered_part *part = &g->part[i];

		history_of_part(g, i, &history);
		part->leaks = leak_behaviour_of(&history) == LEAK_LEAKING;
		part->seen.freed = c->freed_hits;
		part->seen.unseen = c->unseen_frees;
		part->evidence = leak_evidence_of(&part->seen, NULL, NULL, &g->rows->losses);
	}
}

static uint32_t row_of_part(struct gathering *g, uint32_t part)
{
	uint32_t row = table_insert_number(&g->rows->places, stat_table_keys(g->parts, part));

	if (row == TABLE_NO_ROW)
		g->ret = -ENOMEM;
	return row;
}

static void hold(struct gathering *g, uint32_t row, uint32_t owner, uint64_t bytes)
{
	const uint32_t key[2] = {row, owner};
	struct held *held = table_insert(&g->held, key);

	if (!held) {
		g->ret = -ENOMEM;
		return;
	}
	held->hits++;
	held->bytes += bytes;
}

/* Second walk: into the rows. */
static void gather(struct gathering *g, const struct live *live, uint64_t age_ns)
{
	struct gathered_part *part;
	struct gathered_site *site = &g->site[live->row[LEAK_SITES]];
	struct leak_evidence evidence = site->evidence;
	struct gathered_row *more;
	struct leak_row *r;

	if (live->filtered_out || g->ret)
		return;
	site->hits++;
	site->bytes += live->bytes;
	part = &g->part[live->row[LEAK_PARTS]];
	if (site->untraced || age_ns < g->min_age_ns)
		return;
	site->counted = true;
	part->bytes += live->bytes;
	r = &g->rows->v[part->row];
	if (!r->hits || age_ns < r->youngest_ns)
		r->youngest_ns = age_ns;
	if (age_ns > r->oldest_ns)
		r->oldest_ns = age_ns;
	r->hits++;
	r->bytes += live->bytes;
	more = &g->row[part->row];
	more->use_bytes[site->use] += live->bytes;
	if (part->leaks)
		evidence = leak_evidence_of_part(&evidence, &part->evidence, site->cache);
	more->confidence += (double)live->bytes * evidence.confidence;
	more->lowered[evidence.reason] += (double)live->bytes * (1 - evidence.confidence);
	hold(g, part->row, live->row[LEAK_OWNERS], live->bytes);
}

/* The first of equals: live objects are walked in no order that means anything. */
static bool holds_more(const struct held *a, const struct held *b)
{
	return a->bytes != b->bytes ? a->bytes > b->bytes
	       : a->hits != b->hits ? a->hits > b->hits
				    : a->owner < b->owner;
}

static void take_owners(struct gathering *g)
{
	for (uint32_t i = 0; i < g->held.nr; i++) {
		const struct held *held = table_row(&g->held, i);
		struct gathered_row *row = &g->row[held->row];
		const uint64_t *key = stat_table_keys(g->owners, held->owner);

		if (row->most && !holds_more(held, row->most))
			continue;
		row->most = held;
		g->rows->v[held->row].owner = (struct leak_owner){.comm = (uint32_t)key[0],
								  .pid = key[1],
								  .hits = held->hits,
								  .bytes = held->bytes};
	}
}

/* The row's history is that of all parts; those that leak stand apart, too. */
static void sum_parts(struct gathering *g)
{
	for (uint32_t i = 0; i < g->parts->rows.nr; i++) {
		struct leak_history own = {.allocs = {0}};
		uint32_t row = g->part[i].row;
		struct gathered_row *more = &g->row[row];

		more->part = i;
		history_of_part(g, i, &own);
		history_of_part(g, i, &g->rows->v[row].history);
		if (!g->part[i].leaks)
			continue;
		more->leaking += g->part[i].bytes;
		more->growth += leak_growth(&own, g->rows->moments_ns);
	}
}

static void judge_row(const struct gathering *g, struct leak_row *r,
		      const struct gathered_row *more)
{
	bool leaking = more->leaking >= r->bytes - r->bytes / 2;
	double worst = 0;

	r->behaviour = leaking ? LEAK_LEAKING : leak_behaviour_of(&r->history);
	r->growth = leaking ? more->growth : leak_growth(&r->history, g->rows->moments_ns);
	r->evidence.confidence = r->bytes ? more->confidence / (double)r->bytes : 0;
	for (int i = 0; i < LEAK_REASONS; i++)
		if (more->lowered[i] > worst) {
			worst = more->lowered[i];
			r->evidence.reason = (enum leak_reason)i;
		}
	/* what rounds to nothing is not said */
	if (leak_level(r->evidence.confidence) == LEAK_HIGH)
		r->evidence.reason = LEAK_SURE;
	for (int i = 0; i < LEAK_USES; i++)
		if (more->use_bytes[i] > more->use_bytes[r->use])
			r->use = (enum leak_use)i;
}

static void add_total(struct leak_total *t, const struct leak_row *r)
{
	t->hits += r->hits;
	t->bytes += r->bytes;
	t->growth += r->growth;
	t->rows++;
}

/* Leaking and growing before the rest, by evidence; then by bytes. */
static int by_rank(const void *x, const void *y)
{
	const struct leak_row *a = x, *b = y;
	bool leak_a = leak_behaviour_is_leak(a->behaviour);
	bool leak_b = leak_behaviour_is_leak(b->behaviour);

	if (leak_a != leak_b)
		return leak_a ? -1 : 1;
	if (leak_a && leak_level(a->evidence.confidence) != leak_level(b->evidence.confidence))
		return (int)leak_level(a->evidence.confidence) -
		       (int)leak_level(b->evidence.confidence);
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

/* Keep the rows that have something, in order. */
static void finish_rows(struct gathering *g)
{
	struct leak_rows *rows = g->rows;
	size_t nr = 0;

	sum_parts(g);
	take_owners(g);
	for (uint32_t i = 0; i < rows->places.nr; i++) {
		struct leak_row *r = &rows->v[i];

		if (!r->hits)
			continue;
		r->key = stat_table_keys(g->parts, g->row[i].part);
		judge_row(g, r, &g->row[i]);
		rows->hits += r->hits;
		rows->bytes += r->bytes;
		add_total(&rows->uses[r->use], r);
		if (r->use == LEAK_KERNEL)
			add_total(&rows->totals[r->behaviour], r);
		rows->v[nr++] = *r;
	}
	rows->nr = nr;
	qsort(rows->v, nr, sizeof(*rows->v), by_rank);
}

static void count_callsites(struct gathering *g)
{
	struct table callsites;

	table_init(&callsites, sizeof(uint64_t), sizeof(uint64_t));
	for (uint32_t i = 0; i < g->sites->rows.nr; i++)
		if (g->site[i].counted && !table_insert(&callsites, stat_table_keys(g->sites, i)))
			g->ret = -ENOMEM;
	g->rows->callsites = callsites.nr;
	table_deinit(&callsites);
}

static int untraced_by_bytes(const void *x, const void *y)
{
	const struct untraced_site *a = x, *b = y;

	if (a->live_bytes != b->live_bytes)
		return a->live_bytes > b->live_bytes ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

/* Of those, what the filter lets through decides which are listed. */
static void list_untraced(struct gathering *g)
{
	struct leak_rows *rows = g->rows;

	rows->untraced = calloc(g->sites->rows.nr + 1u, sizeof(*rows->untraced));
	if (!rows->untraced) {
		g->ret = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < g->sites->rows.nr; i++) {
		const struct gathered_site *site = &g->site[i];

		if (site->untraced && site->hits)
			rows->untraced[rows->nr_untraced++] = (struct untraced_site){
				.key = stat_table_keys(g->sites, i),
				.allocations = stat_table_counts(g->sites, i)->hits,
				.frees_seen = site->seen.freed,
				.frees_unseen = site->seen.unseen,
				.live_hits = site->hits,
				.live_bytes = site->bytes,
			};
	}
	qsort(rows->untraced, rows->nr_untraced, sizeof(*rows->untraced), untraced_by_bytes);
}

static int alloc_rows(struct gathering *g)
{
	uint32_t parts = g->parts->rows.nr, sites = g->sites->rows.nr;

	g->site = calloc(sites + 1u, sizeof(*g->site));
	g->part = calloc(parts + 1u, sizeof(*g->part));
	if (!g->site || !g->part)
		return -ENOMEM;
	for (uint32_t i = 0; !g->ret && i < parts; i++)
		g->part[i].row = row_of_part(g, i);
	g->row = calloc(g->rows->places.nr + 1u, sizeof(*g->row));
	g->rows->v = calloc(g->rows->places.nr + 1u, sizeof(*g->rows->v));
	if (!g->row || !g->rows->v)
		return -ENOMEM;
	return g->ret;
}

static int gather_rows(struct gathering *g)
{
	int ret = alloc_rows(g);

	if (ret)
		return ret;
	for_each_live(g, observe);
	judge_sites(g);
	judge_parts(g);
	if (g->ret)
		return g->ret;
	for_each_live(g, gather);
	if (g->ret)
		return g->ret;
	finish_rows(g);
	count_callsites(g);
	list_untraced(g);
	return g->ret;
}

static int init_rows(struct leak_rows *rows, const struct kmem_analysis *a,
		     const struct stat_table *tables, const struct table_spec *spec,
		     const struct leak *l)
{
	struct gathering g = {
		.a = a,
		.rows = rows,
		.parts = &tables[LEAK_PARTS],
		.owners = &tables[LEAK_OWNERS],
		.sites = &tables[LEAK_SITES],
		.slab = tables == a->accounts.slab.tables,
		.end_ns = l->end_ns,
		.min_age_ns = l->min_age_ns,
	};
	int ret;

	rows->by = tables[LEAK_PARTS].by;
	rows->nr_by = spec->nr_shown;
	rows->losses = lost_frees(a, g.slab, !g.slab);
	memcpy(rows->moments_ns, tables[LEAK_PARTS].history.moments_ns, sizeof(rows->moments_ns));
	table_init(&rows->places, rows->nr_by * sizeof(uint64_t), rows->nr_by * sizeof(uint64_t));
	table_init(&g.caches, sizeof(uint64_t) + sizeof(struct leak_observed), sizeof(uint64_t));
	table_init(&g.held, sizeof(struct held), 2 * sizeof(uint32_t));
	ret = gather_rows(&g);
	table_deinit(&g.caches);
	table_deinit(&g.held);
	free(g.site);
	free(g.part);
	free(g.row);
	return ret;
}

int leak_init(struct leak *l, const struct kmem_analysis *a, uint64_t min_age_ns)
{
	int ret = 0;

	*l = (struct leak){.end_ns = kmem_analysis_span(a).stop_ns, .min_age_ns = min_age_ns};
	l->losses = lost_frees(a, a->accounts.do_slab, a->accounts.do_page);
	if (a->accounts.do_slab)
		ret = init_rows(&l->slab, a, a->accounts.slab.tables,
				&a->options.slab_tables[LEAK_PARTS], l);
	if (!ret && a->accounts.do_page)
		ret = init_rows(&l->page, a, a->accounts.page.tables,
				&a->options.page_tables[LEAK_PARTS], l);
	if (ret)
		leak_deinit(l);
	return ret;
}

static void deinit_rows(struct leak_rows *rows)
{
	free(rows->v);
	free(rows->untraced);
	table_deinit(&rows->places);
}

void leak_deinit(struct leak *l)
{
	deinit_rows(&l->slab);
	deinit_rows(&l->page);
	*l = (struct leak){0};
}

const char *leak_use_name(enum leak_use use)
{
	static const char *const names[] = {
		[LEAK_KERNEL] = "kernel",
		[LEAK_PAGE_CACHE] = "page cache",
		[LEAK_USER] = "user",
	};

	return names[use];
}
