// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	const struct leak_accounts *of;
	void (*fn)(void *ctx, const struct leak_live *live);
	void *ctx;
};

static uint64_t age_of(const struct walk *w, uint64_t time_ns)
{
	return time_ns < w->of->end_ns ? w->of->end_ns - time_ns : 0;
}

/* An account_live_fn. */
static void walk_one(void *ctx, const struct account_live *live)
{
	const struct walk *w = ctx;
	uint32_t rows[LEAK_TABLES];
	struct leak_live own = {.time_ns = live->time_ns,
				.age_ns = age_of(w, live->time_ns),
				.last_ns = live->last_ns,
				.youngest_ns = age_of(w, live->last_ns),
				.hits = live->hits,
				.bytes = live->bytes,
				.filtered_out = live->filtered_out,
				.row = live->row};

	if (!live->in_window)
		return;
	if (w->of->rows) {
		/* events that a filter excludes have no row */
		if (live->filtered_out)
			return;
		for (unsigned int i = 0; i < LEAK_TABLES; i++)
			rows[i] = w->of->rows[i][live->row[0]];
		own.row = rows;
	}
	w->fn(w->ctx, &own);
}

void leak_for_each_live(const struct leak_accounts *of,
			void (*fn)(void *ctx, const struct leak_live *live), void *ctx)
{
	struct walk w = {of, fn, ctx};

	of->account->ops->allocator->for_each_live(of->account->state, walk_one, &w);
}

bool leak_survey_is_young(const struct leak_survey *s, const struct leak_live *live)
{
	return live->youngest_ns < s->of->min_age_ns;
}

/* Count the ages of each site's and each part's objects. */
static void observe(void *ctx, const struct leak_live *live)
{
	struct leak_survey *s = ctx;
	struct leak_observed *seen = &s->sites[live->row[LEAK_SITES]].seen;
	const struct history *history = &s->of->tables[LEAK_PARTS].history;
	const struct slab_counts *counts = s->of->slab_counts;
	uint32_t row = live->row[LEAK_PARTS];
	struct leak_part *part;

	seen->survivors += live->hits;
	seen->old += live->age_ns >= LEAK_OLD_NS ? live->hits : 0;
	if (counts && live->last_ns > counts->time_ns[SLAB_LATEST])
		seen->uncounted += live->hits;
	if (live->filtered_out)
		return;
	part = &s->parts[row];
	if (leak_survey_is_young(s, live)) {
		/* time of the last object: the history contains all their bytes by then */
		unsigned int cohort = history_cohort(history, live->last_ns);

		s->young[row].hits[cohort] += live->hits;
		s->young[row].bytes[cohort] += live->bytes;
	} else {
		part->survivors[history_cohort(history, live->time_ns)] += live->hits;
	}
	part->bytes += live->bytes;
	part->living_bytes += s->lives[live->row[LEAK_OWNERS]] ? live->bytes : 0;
	part->seen.survivors += live->hits;
	part->seen.old += live->age_ns >= LEAK_OLD_NS ? live->hits : 0;
}

/* Shared memory and files of tmpfs (mm/shmem.c), which the kernel cannot take back. */
static bool is_shmem(const char *function)
{
	return strstr(function, "shmem") != NULL;
}

/* Names of functions that allocate for the page cache (mm/, fs/). */
static bool is_page_cache(const char *function)
{
	static const char *const parts[] = {"filemap", "page_cache", "grow_dev", "readahead"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(function, parts[i]))
			return true;
	return false;
}

/* Compares the name without the compiler's suffix. */
static bool is_among_bare(const char *name, const char *const *names, size_t nr)
{
	size_t len = strcspn(name, ".");

	for (size_t i = 0; i < nr; i++)
		if (!strncmp(name, names[i], len) && !names[i][len])
			return true;
	return false;
}

/* Functions that allocate page tables (mm/memory.c,
 * include/asm-generic/pgalloc.h), kernel stacks and tasks (kernel/fork.c), vmas (mm/vma_init.c). */
static bool is_of_process(const char *function)
{
	static const char *const functions[] = {
		"pte_alloc_one",   "__pte_alloc",   "__pte_alloc_one",
		"__pmd_alloc",	   "__pud_alloc",   "__p4d_alloc",
		"pgd_alloc",	   "pmd_alloc_one", "pud_alloc_one",
		"dup_task_struct", "copy_process",  "alloc_thread_stack_node",
		"copy_signal",	   "copy_sighand",  "dup_mm",
		"mm_alloc",	   "vm_area_dup",   "vm_area_alloc",
		"anon_vma_clone",  "anon_vma_fork", "__anon_vma_prepare",
	};

	return is_among_bare(function, functions, sizeof(functions) / sizeof(functions[0]));
}

/* Functions that allocate what lives as long as other objects, whoever triggers it: what the slab
 * allocator needs for a new slab (mm/slub.c, mm/memcontrol.c), security blobs of cached inodes
 * (security/security.c). */
static bool is_attached(const char *function)
{
	static const char *const functions[] = {
		"alloc_slab_obj_exts",		/* since 6.10 */
		"memcg_alloc_slab_cgroups",	/* since 5.17 */
		"memcg_alloc_page_obj_cgroups", /* since 5.9 */
		"__alloc_empty_sheaf",		/* since 6.18 */
		"alloc_empty_sheaf",
		"security_inode_alloc",
		"lsm_inode_alloc",
	};

	return is_among_bare(function, functions, sizeof(functions) / sizeof(functions[0]));
}

/* Whether a function of the kernel itself allocates there, for one of these purposes. */
static bool allocates(const struct naming *n, uint64_t callsite, bool (*is_of)(const char *name))
{
	const struct symbol *sym = callsite ? symbols_find(&n->symbols, callsite) : NULL;

	return sym && !sym->module && is_of(sym->name);
}

/* Sets the use of pages, and whether they are reclaimable, by call site and migrate type. */
static void judge_use(struct leak_site *site, const struct naming *n, const uint64_t *key)
{
	const struct symbol *sym = key[0] ? symbols_find(&n->symbols, key[0]) : NULL;
	enum migratetype type = migratetype_of(&n->migratetypes, key[1]);

	site->use = LEAK_KERNEL;
	if (key[0] == CALLSITE_SLAB_PAGES)
		site->use = LEAK_SLAB_PAGES;
	else if (sym && is_shmem(sym->name))
		site->use = LEAK_SHMEM;
	else if (sym && is_page_cache(sym->name))
		site->use = LEAK_PAGE_CACHE;
	/* the kernel's own allocations are not movable, except those of a few drivers */
	else if (type == MIGRATETYPE_MOVABLE)
		site->use = LEAK_USER;
	else
		site->reclaimable = type == MIGRATETYPE_RECLAIMABLE;
}

static void judge_pages(struct leak_survey *s)
{
	const struct stat_table *t = &s->of->tables[LEAK_SITES];
	uint32_t i;

	stat_table_for_each (i, t) {
		struct leak_site *site = &s->sites[i];

		judge_use(site, s->of->naming, stat_table_keys(t, i));
		site->confirmed = 1;
		site->evidence = leak_evidence_of(&site->seen, NULL, NULL, &s->of->losses);
	}
}

static struct leak_observed *cache_of(struct table *caches, const struct stat_table *sites,
				      uint32_t site)
{
	uint64_t *row = table_insert(caches, &stat_table_keys(sites, site)[1]);

	return row ? (struct leak_observed *)(row + 1) : NULL;
}

static struct leak_count count_of(const struct leak_survey *s, const char *cache,
				  uint64_t uncounted)
{
	const struct account *account = s->of->account;
	const struct leak_allocator *leak = account->ops->allocator->leak;
	const struct leak_old_frees old = leak->old_frees ? leak->old_frees(account->state, cache)
							  : (struct leak_old_frees){0};

	return leak_count_of(s->of->slab_counts, cache, old.named + old.unnamed, uncounted);
}

/* Observations of which only this share of the old survivors counts. */
static struct leak_observed confirmed(struct leak_observed seen, double share)
{
	seen.old = (uint64_t)((double)seen.old * share);
	return seen;
}

static struct leak_evidence evidence_in_cache(const struct leak_survey *s,
					      const struct leak_site *site,
					      const struct leak_observed *cache, const char *name)
{
	const struct leak_observed of_site = confirmed(site->seen, site->confirmed);
	const struct leak_observed of_cache = confirmed(*cache, site->confirmed);

	return leak_evidence_of(&of_site, &of_cache, name, &s->of->losses);
}

/* The kernel's count of the cache limits the site's live objects. */
static void judge_by_count(struct leak_survey *s, struct leak_site *site, const char *cache,
			   uint64_t survivors_of_cache)
{
	site->cleared = leak_count_clears(&site->count, site->untraced ? survivors_of_cache
								       : site->seen.survivors);
	site->untraced |= site->cleared;
	leak_evidence_limit(&site->evidence, &site->seen, &site->count);
	leak_caches_add(&s->caches, cache, site->seen.survivors, site->seen.uncounted);
}

/* The observations of all sites of a cache together are evidence for each of them. Areas of vmalloc
 * have a purpose instead of a cache, and percpu objects a size. */
static int judge_objects(struct leak_survey *s, struct table *caches)
{
	const struct intern *strings = &s->of->naming->names.strings;
	const struct stat_table *t = &s->of->tables[LEAK_SITES];
	const bool has_caches = t->by[1] == KEY_CACHE, is_named = t->by[1] != KEY_SIZE;
	uint32_t i;

	stat_table_for_each (i, t) {
		const struct leak_observed *seen = &s->sites[i].seen;
		struct leak_observed *cache = cache_of(caches, t, i);

		if (!cache)
			return -ENOMEM;
		cache->survivors += seen->survivors;
		cache->old += seen->old;
		cache->uncounted += seen->uncounted;
		cache->freed += seen->freed;
		cache->unseen += seen->unseen;
	}
	stat_table_for_each (i, t) {
		struct leak_site *site = &s->sites[i];
		const uint64_t cache = stat_table_keys(t, i)[1];
		const char *name = is_named ? intern_get(strings, (uint32_t)cache, NULL) : NULL;
		const struct leak_observed *all = cache_of(caches, t, i);

		if (!all)
			return -ENOMEM;
		if (has_caches)
			site->count = count_of(s, name, all->uncounted);
		site->confirmed = leak_confirmed(&site->count, name, all->survivors);
		site->evidence = evidence_in_cache(s, site, all, name);
		if (!has_caches)
			continue;
		site->reclaimable =
			reclaimable_caches_has(&s->of->naming->reclaimable, strings, cache);
		judge_by_count(s, site, name, all->survivors);
	}
	return 0;
}

static int judge_sites(struct leak_survey *s)
{
	const struct stat_table *t = &s->of->tables[LEAK_SITES];
	uint32_t i;
	struct table caches; /* name, then struct leak_observed */
	int ret;

	stat_table_for_each (i, t) {
		struct leak_site *site = &s->sites[i];

		site->seen.freed = stat_table_counts(t, i)->freed_hits;
		site->seen.unseen = stat_table_counts(t, i)->unseen_frees;
		site->untraced = !s->of->frees_unknown && leak_is_untraced(&site->seen);
		site->of_process =
			allocates(s->of->naming, stat_table_keys(t, i)[0], is_of_process);
		if (allocates(s->of->naming, stat_table_keys(t, i)[0], is_attached))
			site->use = LEAK_ATTACHED;
	}
	if (t->by[1] == KEY_MIGRATETYPE) {
		judge_pages(s);
		return 0;
	}
	table_init(&caches, sizeof(uint64_t) + sizeof(struct leak_observed), sizeof(uint64_t));
	ret = judge_objects(s, &caches);
	table_deinit(&caches);
	return ret;
}

/* Objects freed before the end count at any age: their age at the end is unknown. */
static void leave_out_young(const struct leak_young *young, struct leak_history *h)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < HISTORY_MOMENTS; i++) {
		bytes += young->bytes[i];
		h->live_bytes[i] -= bytes;
		h->allocs[i] -= young->hits[i] < h->allocs[i] ? young->hits[i] : h->allocs[i];
	}
}

void leak_survey_add_history(const struct leak_survey *s, uint32_t part, struct leak_history *h)
{
	history_sum(&s->of->tables[LEAK_PARTS].history, part, h->live_bytes, h->allocs);
	if (s->young)
		leave_out_young(&s->young[part], h);
	for (unsigned int i = 0; i < HISTORY_MOMENTS; i++)
		h->survivors[i] += s->parts[part].survivors[i];
}

uint64_t leak_survey_part_key(const struct leak_survey *s, uint32_t part, enum kmem_key key)
{
	const struct stat_table *parts = &s->of->tables[LEAK_PARTS];
	unsigned int i = 0;

	while (parts->by[i] != key)
		i++;
	return stat_table_keys(parts, part)[i];
}

/* Returns the part's row in LEAK_SITES. */
static uint32_t site_of_part(const struct leak_survey *s, uint32_t part)
{
	const struct stat_table *sites = &s->of->tables[LEAK_SITES];
	const uint64_t keys[] = {leak_survey_part_key(s, part, sites->by[0]),
				 leak_survey_part_key(s, part, sites->by[1])};

	return table_index(&sites->rows, table_find(&sites->rows, keys));
}

/* A part without survivors stays with the kernel's row, which is judged by all frees. */
enum leak_use leak_survey_use(const struct leak_site *site, const struct leak_part *part)
{
	bool lives = part->bytes && part->living_bytes >= part->bytes - part->bytes / 2;

	return site->of_process && lives && site->use == LEAK_KERNEL ? LEAK_PROCESS : site->use;
}

void leak_survey_judge_part(const struct leak_survey *s, const struct leak_site *site,
			    struct leak_part *part)
{
	const struct leak_observed seen = confirmed(part->seen, site->confirmed);

	part->evidence = leak_evidence_of(&seen, NULL, NULL, &s->of->losses);
	leak_evidence_limit(&part->evidence, &part->seen, &site->count);
}

static void judge_parts(struct leak_survey *s)
{
	const struct stat_table *t = &s->of->tables[LEAK_PARTS];
	uint32_t i;

	stat_table_for_each (i, t) {
		const struct stat_counts *c = stat_table_counts(t, i);
		struct leak_history history = {.allocs = {0}};
		struct leak_part *part = &s->parts[i];

		part->site = site_of_part(s, i);
		part->use = leak_survey_use(&s->sites[part->site], part);
		leak_survey_add_history(s, i, &history);
		part->leaks = leak_behaviour_of(&history) == LEAK_LEAKING;
		part->seen.freed = c->freed_hits;
		part->seen.unseen = c->unseen_frees;
		leak_survey_judge_part(s, &s->sites[part->site], part);
	}
}

static void find_living(struct leak_survey *s)
{
	const struct stat_table *t = &s->of->tables[LEAK_OWNERS];
	uint32_t i;

	if (!s->of->threads)
		return;
	stat_table_for_each (i, t)
		s->lives[i] = threads_is_alive(s->of->threads, (uint32_t)stat_table_keys(t, i)[1]);
}

static void finish_caches(struct leak_survey *s)
{
	const struct account *account = s->of->account;
	const struct leak_allocator *leak = account->ops->allocator->leak;

	leak_caches_finish(&s->caches, leak->old_frees, account->state,
			   s->of->nr_lost + leak->left_out(account->state));
}

int leak_survey_init(struct leak_survey *s, const struct leak_accounts *of)
{
	*s = (struct leak_survey){
		.of = of,
		.sites = calloc(stat_table_top(&of->tables[LEAK_SITES]) + 1u, sizeof(*s->sites)),
		.parts = calloc(stat_table_top(&of->tables[LEAK_PARTS]) + 1u, sizeof(*s->parts)),
		.lives = calloc(stat_table_top(&of->tables[LEAK_OWNERS]) + 1u, sizeof(*s->lives)),
	};
	if (of->min_age_ns)
		s->young = calloc(stat_table_top(&of->tables[LEAK_PARTS]) + 1u, sizeof(*s->young));
	if (!s->sites || !s->parts || !s->lives || (of->min_age_ns && !s->young) ||
	    leak_caches_init(&s->caches, of->slab_counts)) {
		leak_survey_deinit(s);
		return -ENOMEM;
	}
	find_living(s);
	leak_for_each_live(of, observe, s);
	if (judge_sites(s)) {
		leak_survey_deinit(s);
		return -ENOMEM;
	}
	judge_parts(s);
	if (of->slab_counts)
		finish_caches(s);
	return 0;
}

void leak_survey_deinit(struct leak_survey *s)
{
	free(s->sites);
	free(s->parts);
	free(s->young);
	free(s->lives);
	leak_caches_deinit(&s->caches);
	*s = (struct leak_survey){0};
}

const char *leak_use_name(enum leak_use use)
{
	static const char *const names[] = {
		[LEAK_KERNEL] = "kernel",	[LEAK_PAGE_CACHE] = "page cache",
		[LEAK_USER] = "user",		[LEAK_SLAB_PAGES] = "slab pages",
		[LEAK_PROCESS] = "process",	[LEAK_ATTACHED] = "attached",
		[LEAK_SHMEM] = "shared memory",
	};

	return names[use];
}
