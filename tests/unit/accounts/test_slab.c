// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/fixture/account.h"
#include "tests/unit/functions.h"
#include "util/table/bounds.h"
#include "util/accounts/slab.h"
#include "util/event/cache_id.h"

/* A table by call site, and events a microsecond apart. */
struct fixture {
	struct slab_accounts slab;
	uint32_t tid;
	uint64_t now_ns;
};

#define INSIDE 0x1010u /* a call site in __kmalloc_noprof() */
#define SITE   0x2010u /* in a caller */
#define OTHER  0x3010u
#define LAYER  0x4010u /* in an outer layer of the allocator */

static int setup(void **state)
{
	static const char *const functions[] = {"__kmalloc_noprof", "caller", "other", "get_memory",
						NULL};
	static const enum kmem_key by_callsite[] = {KEY_CALLSITE};
	struct fixture *f = calloc(1, sizeof(*f));

	slab_accounts_init(&f->slab, (struct function_lookup){find_function, functions}, 4096);
	slab_accounts_add_table(&f->slab, by_callsite, 1);
	f->slab.some_not_counted = true;
	f->now_ns = 1000000;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	slab_accounts_deinit(&f->slab);
	free(f);
	return 0;
}

static void alloc_on(struct fixture *f, int cpu, uint64_t ptr, uint64_t site, uint64_t req,
		     uint64_t alloc, bool in_window)
{
	struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC,
				.time_ns = f->now_ns += 1000,
				.tid = f->tid,
				.cpu = cpu,
				.ptr = ptr,
				.call_site = site,
				.bytes_req = req,
				.bytes_alloc = alloc,
				.is_kmalloc = true,
				.in_window = in_window};

	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
}

static void alloc(struct fixture *f, uint64_t ptr, uint64_t site)
{
	alloc_on(f, 0, ptr, site, 100, 128, true);
}

static void free_on(struct fixture *f, int cpu, uint64_t ptr, bool in_window)
{
	struct kmem_event ev = {.kind = KMEM_SLAB_FREE,
				.time_ns = f->now_ns += 1000,
				.cpu = cpu,
				.ptr = ptr,
				.in_window = in_window};

	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
}

/* The counts of a call site; creates a row if there is none. */
static const struct stat_counts *site_counts(struct fixture *f, uint64_t site)
{
	struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC, .call_site = site};

	return stat_table_counts(&f->slab.common.tables[0],
				 stat_table_row(&f->slab.common.tables[0], &ev));
}

static void test_live_until_freed(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;

	alloc(f, 0x100, SITE);
	assert_int_equal(s->live, 1);
	assert_int_equal(s->bytes_live, 128);
	assert_int_equal(site_counts(f, SITE)->live_hits, 1);
	free_on(f, 0, 0x100, true);
	assert_int_equal(s->live, 0);
	assert_int_equal(s->bytes_live, 0);
	assert_int_equal(s->bytes_requested, 100);
	assert_int_equal(s->bytes_allocated, 128);
	assert_int_equal(s->bytes_freed, 128);
	assert_int_equal(s->frees_matched, 1);
	assert_int_equal(site_counts(f, SITE)->hits, 1);
	assert_int_equal(site_counts(f, SITE)->live_hits, 0);
	assert_int_equal(site_counts(f, SITE)->pingpong, 0);
}

static void test_second_free_is_unmatched(void **state)
{
	struct fixture *f = *state;

	alloc(f, 0x100, SITE);
	free_on(f, 0, 0x100, true);
	free_on(f, 1, 0x100, true);
	assert_int_equal(f->slab.summary.frees, 2);
	assert_int_equal(f->slab.summary.frees_matched, 1);
	assert_int_equal(f->slab.summary.frees_unmatched, 1);
	assert_int_equal(f->slab.summary.bytes_freed, 128);
	assert_int_equal(site_counts(f, SITE)->pingpong, 0);
}

static void free_in_cache(struct fixture *f, uint64_t ptr, uint32_t cache_id)
{
	struct kmem_event ev = {.kind = KMEM_SLAB_FREE,
				.time_ns = f->now_ns += 1000,
				.cache_id = cache_id,
				.ptr = ptr};

	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
}

/* They are counted by cache, also before the window; kfree() may free a kmalloc() object. */
static void test_frees_of_older_objects(void **state)
{
	struct fixture *f = *state;
	const struct untraced *u = &f->slab.untraced;

	assert_int_equal(untraced_old_frees(u, "filp").named, 0);
	free_in_cache(f, 0x100, cache_id_of("filp", 4));
	free_in_cache(f, 0x200, cache_id_of("filp", 4));
	free_in_cache(f, 0x300, CACHE_ID_ANY);
	free_in_cache(f, 0, CACHE_ID_ANY);
	assert_int_equal(untraced_old_frees(u, "filp").named, 2);
	assert_int_equal(untraced_old_frees(u, "filp").unnamed, 0);
	assert_int_equal(untraced_old_frees(u, "kmalloc-64").named, 0);
	assert_int_equal(untraced_old_frees(u, "kmalloc-64").unnamed, 1);
	alloc(f, 0x400, SITE);
	free_in_cache(f, 0x400, CACHE_ID_ANY);
	assert_int_equal(untraced_old_frees(u, "kmalloc-64").unnamed, 1);
}

static void free_rcu(struct fixture *f, uint64_t ptr)
{
	struct kmem_event ev = {.kind = KMEM_SLAB_FREE_RCU,
				.time_ns = f->now_ns += 1000,
				.ptr = ptr,
				.in_window = true};

	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
}

static void assert_rcu(const struct fixture *f, uint64_t freeing, uint64_t live, uint64_t frees,
		       uint64_t unmatched, uint64_t unseen)
{
	const struct slab_summary *s = &f->slab.summary;

	assert_int_equal(s->rcu_freeing, freeing);
	assert_int_equal(s->bytes_rcu_freeing, freeing * 128);
	assert_int_equal(s->live, live);
	assert_int_equal(s->bytes_live, live * 128);
	assert_int_equal(s->frees, frees);
	assert_int_equal(s->frees_unmatched, unmatched);
	assert_int_equal(s->unseen_frees, unseen);
}

/* It counts as freed when it is on its way; the second event of that free, if there is one, does
 * not count. */
static void test_freed_by_rcu(void **state)
{
	struct fixture *f = *state;

	alloc(f, 0x100, SITE);
	alloc(f, 0x200, SITE);
	free_rcu(f, 0x100);
	assert_rcu(f, 1, 1, 1, 0, 0);
	assert_int_equal(f->slab.summary.bytes_freed, 128);
	assert_int_equal(site_counts(f, SITE)->live_hits, 1);
	free_rcu(f, 0x100);
	free_rcu(f, 0x300); /* not slab, or allocated before */
	assert_rcu(f, 1, 1, 1, 0, 0);
	free_on(f, 0, 0x100, true);
	assert_rcu(f, 0, 1, 1, 0, 0);
	free_on(f, 0, 0x100, true);
	assert_rcu(f, 0, 1, 2, 1, 0);
}

static void test_reused_after_rcu(void **state)
{
	struct fixture *f = *state;

	alloc(f, 0x100, SITE);
	free_rcu(f, 0x100);
	alloc(f, 0x100, OTHER);
	assert_rcu(f, 0, 1, 1, 0, 0);
	assert_int_equal(site_counts(f, SITE)->live_hits, 0);
	assert_int_equal(site_counts(f, SITE)->unseen_frees, 0);
	assert_int_equal(site_counts(f, OTHER)->live_hits, 1);
	free_on(f, 0, 0x100, true);
	assert_rcu(f, 0, 0, 2, 0, 0);
}

/* Objects that are live, or on their way, or gone. */
static void count_live_object(void *ctx, const struct account_live *live)
{
	(void)live;
	++*(unsigned int *)ctx;
}

static void test_freed_by_rcu_is_not_walked_as_live(void **state)
{
	struct fixture *f = *state;
	unsigned int nr = 0;

	for (uint64_t i = 1; i <= 8; i++)
		alloc(f, i * 0x100, SITE);
	for (uint64_t i = 1; i <= 3; i++)
		free_rcu(f, i * 0x100);
	account_slab.allocator->for_each_live(&f->slab, count_live_object, &nr);
	assert_int_equal(nr, 5);
	assert_rcu(f, 3, 5, 3, 0, 0);
}

static void alloc_of(struct fixture *f, uint32_t cache_id)
{
	struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC,
				.time_ns = f->now_ns += 1000,
				.ptr = 0x100,
				.call_site = SITE,
				.bytes_req = 100,
				.bytes_alloc = 128,
				.cache_id = cache_id,
				.in_window = true};

	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
}

static void free_of(struct fixture *f, uint32_t cache_id, bool late)
{
	struct kmem_event ev = {.kind = KMEM_SLAB_FREE,
				.time_ns = f->now_ns += 1000,
				.ptr = 0x100,
				.cache_id = cache_id,
				.in_window = !late,
				.late = late};

	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
}

/* Its slab went to another cache, whose objects are allocated in bulk, without an event. */
static void test_free_of_another_cache_is_of_another_object(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;
	const struct stat_counts *c = site_counts(f, SITE);

	alloc_of(f, CACHE_ID_KMALLOC);
	free_of(f, cache_id_of("io_kiocb", 8), false);
	assert_int_equal(s->live, 0);
	assert_int_equal(s->unseen_frees, 1);
	assert_int_equal(s->frees, 1);
	assert_int_equal(s->frees_matched, 0);
	assert_int_equal(s->frees_unmatched, 1);
	assert_int_equal(s->bytes_freed, 0);
	assert_int_equal(s->bytes_live, 0);
	assert_int_equal(c->live_hits, 0);
	assert_int_equal(c->unseen_frees, 1);
	/* now nothing lives there */
	free_of(f, CACHE_ID_ANY, false);
	assert_int_equal(s->frees_unmatched, 2);
	alloc_of(f, cache_id_of("filp", 4));
	free_of(f, cache_id_of("io_kiocb", 8), false);
	assert_int_equal(s->unseen_frees, 2);
	assert_int_equal(s->frees_matched, 0);
	/* after the window nobody asks */
	alloc_of(f, CACHE_ID_KMALLOC);
	free_of(f, cache_id_of("io_kiocb", 8), true);
	assert_int_equal(s->live, 1);
	assert_int_equal(s->unseen_frees, 2);
}

static void test_free_of_what_may_be_its_cache_matches(void **state)
{
	const uint32_t named = cache_id_of("filp", 4);
	const uint32_t pairs[][2] = {{CACHE_ID_KMALLOC, CACHE_ID_ANY}, /* kfree() */
				     {named, CACHE_ID_ANY},	       /* also kfree() */
				     {named, named},
				     {CACHE_ID_OWN, named}, /* until 6.0 frees alone name it */
				     {CACHE_ID_OWN, CACHE_ID_OWN}};
	const unsigned int nr = sizeof(pairs) / sizeof(pairs[0]);
	struct fixture *f = *state;

	for (unsigned int i = 0; i < nr; i++) {
		alloc_of(f, pairs[i][0]);
		free_of(f, pairs[i][1], false);
		assert_int_equal(f->slab.summary.frees_matched, i + 1);
	}
	assert_int_equal(f->slab.summary.unseen_frees, 0);
}

static void test_free_of_nothing(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;

	/* a pointer of 0x10 is never live, even if an event says that it was allocated */
	alloc(f, 0x10, SITE);
	free_on(f, 0, 0, true);
	free_on(f, 0, 0x10, true);
	assert_int_equal(s->frees, 2);
	assert_int_equal(s->frees_unmatched, 2);
	assert_int_equal(s->bytes_freed, 0);
}

static void test_failed_allocation(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;

	alloc(f, 0, SITE);
	assert_int_equal(s->failures, 1);
	assert_int_equal(s->allocations, 0);
	assert_int_equal(s->bytes_allocated, 0);
	assert_int_equal(s->live, 0);
	assert_int_equal(f->slab.common.tables[0].rows.nr, 0);
}

static void test_pingpong_is_of_the_allocation(void **state)
{
	struct fixture *f = *state;

	alloc(f, 0x100, SITE);
	free_on(f, 1, 0x100, true);
	alloc(f, 0x100, OTHER);
	free_on(f, 0, 0x100, true);
	assert_int_equal(site_counts(f, SITE)->pingpong, 1);
	assert_int_equal(site_counts(f, OTHER)->pingpong, 0);
}

static void test_unseen_free(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;

	alloc(f, 0x100, SITE);
	alloc(f, 0x100, OTHER);
	assert_int_equal(s->unseen_frees, 1);
	assert_int_equal(s->duplicates_dropped, 0);
	assert_int_equal(s->allocations, 2);
	assert_int_equal(s->live, 1);
	assert_int_equal(s->frees, 0);
	assert_int_equal(site_counts(f, SITE)->live_hits, 0);
	assert_int_equal(site_counts(f, SITE)->unseen_frees, 1);
	assert_int_equal(site_counts(f, OTHER)->live_hits, 1);
	assert_int_equal(site_counts(f, OTHER)->unseen_frees, 0);
}

static void test_duplicate_is_dropped(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;

	alloc_on(f, 0, 0x100, INSIDE, 10000, 16384, true);
	f->now_ns += 100000 - 1000;
	alloc_on(f, 1, 0x100, SITE, 10000, 16384, true);
	assert_int_equal(s->duplicates_dropped, 1);
	assert_int_equal(s->unseen_frees, 0);
	assert_int_equal(s->allocations, 1);
	assert_int_equal(s->bytes_allocated, 16384);
	assert_int_equal(s->live, 1);
	assert_int_equal(site_counts(f, INSIDE)->hits, 0);
	assert_int_equal(site_counts(f, SITE)->hits, 1);
	/* it counts as allocated on the CPU of the caller's trace */
	free_on(f, 1, 0x100, true);
	assert_int_equal(site_counts(f, SITE)->pingpong, 0);
}

/* kvmalloc() of a kernel with one more layer: only the last trace is the caller's. */
static void test_three_traces_are_one_allocation(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;

	for (unsigned int i = 0; i < 3; i++) {
		/* the object of the previous round was freed unseen */
		alloc_on(f, 0, 0x100, INSIDE, 10000, 16384, true);
		alloc_on(f, 0, 0x100, LAYER, 10000, 16384, true);
		alloc_on(f, 0, 0x100, SITE, 10000, 16384, true);
	}
	assert_int_equal(s->duplicates_dropped, 6);
	assert_int_equal(s->unseen_frees, 2);
	assert_int_equal(s->allocations, 3);
	assert_int_equal(site_counts(f, SITE)->hits, 3);
	assert_int_equal(site_counts(f, SITE)->bytes_alloc, 3 * 16384);
	assert_int_equal(site_counts(f, SITE)->unseen_frees, 2);
	assert_int_equal(site_counts(f, LAYER)->hits + site_counts(f, INSIDE)->hits, 0);
}

/* Failed allocations are traced twice, too; the second trace decides whether a filter lets it
 * through. */
static void test_a_failed_pair_is_one_failure(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;
	struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC,
				.bytes_req = 10000,
				.bytes_alloc = 16384,
				.is_kmalloc = true,
				.in_window = true};

	alloc_on(f, 0, 0, INSIDE, 10000, 16384, true);
	f->tid = 7; /* another thread fails in between */
	alloc_on(f, 0, 0, INSIDE, 10000, 16384, true);
	f->tid = 0;
	alloc_on(f, 0, 0, SITE, 10000, 16384, true);
	assert_int_equal(s->failures, 2);
	f->tid = 7;
	alloc_on(f, 0, 0, SITE, 10000, 16384, true);
	assert_int_equal(s->failures, 2);
	assert_int_equal(s->duplicates_dropped, 2);
	/* it tries again at once, then with a size that a cache has */
	alloc_on(f, 0, 0, INSIDE, 10000, 16384, true);
	alloc_on(f, 0, 0, SITE, 10000, 16384, true);
	alloc_on(f, 0, 0, SITE, 100, 128, true);
	alloc_on(f, 0, 0, OTHER, 100, 128, true);
	assert_int_equal(s->failures, 5);
	assert_int_equal(s->duplicates_dropped, 3);
	assert_int_equal(s->allocations, 0);

	ev.tid = 8;
	ev.call_site = INSIDE;
	ev.filtered_out = true;
	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
	ev.call_site = SITE;
	ev.filtered_out = false;
	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
	assert_int_equal(s->failures, 6);
	ev.tid = 9;
	ev.call_site = INSIDE;
	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
	ev.call_site = SITE;
	ev.filtered_out = true;
	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
	assert_int_equal(s->failures, 6);
}

/* A freed allocation is not the first half of a pair: its call site counts as outside the allocator
 * from then on. */
static void test_freed_objects_tell_call_sites(void **state)
{
	struct fixture *f = *state;

	alloc_on(f, 0, 0x100, OTHER, 10000, 16384, true);
	free_on(f, 0, 0x100, true);
	alloc_on(f, 0, 0x100, OTHER, 10000, 16384, true);
	alloc_on(f, 0, 0x100, SITE, 10000, 16384, true);
	assert_int_equal(f->slab.summary.duplicates_dropped, 0);
	assert_int_equal(f->slab.summary.unseen_frees, 1);
}

static void test_cross_node(void **state)
{
	struct fixture *f = *state;
	struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC, .ptr = 0x100, .bytes_alloc = 8};

	ev.cross_node = true; /* before the window */
	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
	assert_int_equal(f->slab.summary.cross_node_allocations, 0);
	ev.in_window = true;
	ev.ptr++;
	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
	ev.cross_node = false;
	ev.ptr++;
	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
	assert_int_equal(f->slab.summary.cross_node_allocations, 1);
}

static void test_window(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;

	/* before the window: nothing is counted, but its free inside the window finds it */
	alloc_on(f, 0, 0x100, SITE, 100, 128, false);
	alloc_on(f, 0, 0x200, SITE, 100, 128, false);
	alloc_on(f, 0, 0, SITE, 100, 128, false);
	free_on(f, 0, 0x200, false);
	free_on(f, 0, 0x300, false);
	assert_int_equal(s->allocations + s->frees + s->failures, 0);
	free_on(f, 1, 0x100, true);
	assert_int_equal(s->allocations, 0);
	assert_int_equal(s->frees_matched, 1);
	assert_int_equal(s->bytes_freed, 128);
	assert_int_equal(site_counts(f, SITE)->hits, 0);
	assert_int_equal(site_counts(f, SITE)->pingpong, 1);
}

static void late(struct fixture *f, enum kmem_kind kind, uint64_t ptr, uint64_t site)
{
	struct kmem_event ev = {.kind = (uint8_t)kind,
				.time_ns = f->now_ns += 1000,
				.tid = f->tid,
				.ptr = ptr,
				.call_site = site,
				.bytes_req = 10000,
				.bytes_alloc = 16384,
				.is_kmalloc = true,
				.late = true};

	assert_int_equal(account_take_one(&account_slab, &f->slab, &ev), 0);
}

/* An allocation that is traced twice belongs to the window of its second trace. */
static void test_pairs_across_the_end_of_a_window(void **state)
{
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;

	alloc_on(f, 0, 0x100, INSIDE, 10000, 16384, true);
	alloc_on(f, 0, 0x200, OTHER, 10000, 16384, true);
	late(f, KMEM_SLAB_ALLOC, 0x100, SITE);
	assert_int_equal(s->allocations, 1);
	assert_int_equal(s->bytes_allocated, 16384);
	assert_int_equal(s->live, 1);
	assert_int_equal(site_counts(f, INSIDE)->hits + site_counts(f, SITE)->hits, 0);
	/* which counts the drop, too */
	assert_int_equal(s->duplicates_dropped, 0);
	/* the same for a failed allocation */
	alloc_on(f, 0, 0, INSIDE, 10000, 16384, true);
	assert_int_equal(s->failures, 1);
	late(f, KMEM_SLAB_ALLOC, 0, SITE);
	assert_int_equal(s->failures, 0);
	/* and nothing that comes later counts */
	late(f, KMEM_SLAB_FREE, 0x200, 0);
	late(f, KMEM_SLAB_ALLOC, 0x200, SITE);
	late(f, KMEM_SLAB_ALLOC, 0x300, SITE);
	assert_int_equal(s->allocations, 1);
	assert_int_equal(s->live, 1);
	assert_int_equal(s->frees + s->unseen_frees, 0);
}

static void test_fragmentation(void **state)
{
	(void)state;
	assert_true(stat_fragmentation_percent(0, 0) == 0.0);
	assert_true(stat_fragmentation_percent(75, 100) == 25.0);
	assert_true(stat_fragmentation_percent(64, 64) == 0.0);
	assert_int_equal(stat_wasted_bytes(75, 100), 25);
	/* as a broken recording may have it */
	assert_true(stat_fragmentation_percent(150, 100) == -50.0);
	assert_int_equal(stat_wasted_bytes(150, 100), 0);
}

static void assert_near(uint64_t estimate, uint64_t exact, uint64_t error)
{
	assert_in_range(estimate, exact > error ? exact - error : 0, exact + error);
}

/* Allocations are exact, what is live is near, and nothing is left when all are free. */
static void test_of_more_than_max_live_a_sample_is_followed(void **state)
{
	enum { MOST = 1000, NR = 50000, KEPT = 5 };
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;
	const struct stat_counts *c;
	uint64_t error;

	f->slab.common.max_live = MOST;
	for (uint64_t i = 1; i <= NR; i++) {
		alloc(f, i << 7, SITE);
		if (i % KEPT)
			free_on(f, 0, i << 7, true);
		assert_in_range(f->slab.live.nr, 0, MOST);
	}
	error = allocator_accounts_sample_error(&f->slab.common, NR / KEPT);
	assert_in_range(error, 1, NR / KEPT / 5);
	assert_int_equal(f->slab.common.sample_mask, 15); /* 10,000 live: one in 16 */
	assert_int_equal(s->allocations, NR);
	assert_int_equal(s->bytes_allocated, 128 * NR);
	assert_near(s->live, NR / KEPT, error);
	assert_near(s->frees, NR - NR / KEPT, 4 * error);
	assert_int_equal(s->frees, s->frees_matched);
	assert_int_equal(s->unseen_frees, 0);
	c = site_counts(f, SITE);
	assert_int_equal(c->hits, NR);
	assert_int_equal(c->live_hits, s->live);
	assert_int_equal(c->live_bytes, 128 * s->live);
	assert_int_equal(s->bytes_live, 128 * s->live);
	assert_int_equal(c->freed_hits, s->frees);
	for (uint64_t i = KEPT; i <= NR; i += KEPT)
		free_on(f, 0, i << 7, true);
	assert_int_equal(s->live, 0);
	assert_int_equal(s->bytes_live, 0);
	assert_int_equal(site_counts(f, SITE)->live_bytes, 0);
	assert_int_equal(s->frees_unmatched, 0);
	assert_near(s->frees, NR, 4 * error);
}

/* Allocations at addresses of followed objects, and frees of older ones. */
static void test_a_sample_counts_for_the_others(void **state)
{
	enum { MOST = 100, NR = 3000 };
	struct fixture *f = *state;
	const struct slab_summary *s = &f->slab.summary;
	uint64_t live;

	f->slab.common.max_live = MOST;
	for (uint64_t i = 1; i <= NR; i++)
		alloc(f, i << 7, SITE);
	live = s->live;
	for (uint64_t i = 1; i <= NR; i++)
		alloc(f, i << 7, OTHER);
	assert_int_equal(s->unseen_frees, live);
	assert_int_equal(site_counts(f, SITE)->unseen_frees, live);
	assert_int_equal(site_counts(f, SITE)->live_hits, 0);
	assert_int_equal(site_counts(f, OTHER)->live_hits, live);
	for (uint64_t i = NR + 1; i <= 2 * NR; i++)
		free_on(f, 0, i << 7, true);
	assert_near(s->frees_unmatched, NR, allocator_accounts_sample_error(&f->slab.common, NR));
	assert_int_equal(s->live, live);
}

static void test_at_a_tick_old_failures_are_over(void **state)
{
	const struct kmem_bounds bounds = {.max_live = 100};
	struct key_names names;
	struct fixture *f = *state;
	struct account_tick tick = {.names = &names, .bounds = &bounds};

	key_names_init(&names);
	for (f->tid = 1; f->tid <= 100; f->tid++)
		alloc_on(f, 0, 0, SITE, 100000, 131072, true);
	assert_int_equal(f->slab.pairs.failed.nr, 100);
	tick.time_ns = f->now_ns + TRACE_PAIR_NS - 50 * 1000 + 1;
	assert_int_equal(slab_accounts_tick(&f->slab, &tick), 0);
	assert_int_equal(f->slab.pairs.failed.nr, 50);
	tick.time_ns += TRACE_PAIR_NS;
	assert_int_equal(slab_accounts_tick(&f->slab, &tick), 0);
	assert_int_equal(f->slab.pairs.failed.nr, 0);
	assert_int_equal(f->slab.summary.failures, 100);
	key_names_deinit(&names);
}

static void test_the_whole_allocator_has_intervals(void **state)
{
	const struct kmem_bounds bounds = {.max_live = 0};
	struct key_names names;
	struct fixture *f = *state;
	const struct account_tick tick = {.names = &names, .bounds = &bounds};
	const struct stat_recent *total = &f->slab.common.total.shown;

	key_names_init(&names);
	alloc(f, 0x100, SITE);
	alloc(f, 0x200, SITE);
	assert_int_equal(slab_accounts_tick(&f->slab, &tick), 0);
	alloc(f, 0x300, SITE);
	free_on(f, 0, 0x100, true);
	free_on(f, 0, 0x200, true);
	assert_int_equal(slab_accounts_tick(&f->slab, &tick), 0);
	assert_int_equal(total->hits, 1);
	assert_int_equal(total->bytes_alloc, 128);
	assert_int_equal(total->freed_hits, 2);
	assert_int_equal(total->bytes_freed, 256);
	assert_int_equal(total->live[RECENT_MOMENTS - 2], 256);
	assert_int_equal(total->live[RECENT_MOMENTS - 1], 128);
	key_names_deinit(&names);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_live_until_freed),
		TEST(test_second_free_is_unmatched),
		TEST(test_frees_of_older_objects),
		TEST(test_freed_by_rcu),
		TEST(test_reused_after_rcu),
		TEST(test_freed_by_rcu_is_not_walked_as_live),
		TEST(test_free_of_another_cache_is_of_another_object),
		TEST(test_free_of_what_may_be_its_cache_matches),
		TEST(test_free_of_nothing),
		TEST(test_failed_allocation),
		TEST(test_pingpong_is_of_the_allocation),
		TEST(test_unseen_free),
		TEST(test_duplicate_is_dropped),
		TEST(test_three_traces_are_one_allocation),
		TEST(test_a_failed_pair_is_one_failure),
		TEST(test_freed_objects_tell_call_sites),
		TEST(test_cross_node),
		TEST(test_window),
		TEST(test_pairs_across_the_end_of_a_window),
		cmocka_unit_test(test_fragmentation),
		cmocka_unit_test_setup_teardown(test_a_sample_counts_for_the_others, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_of_more_than_max_live_a_sample_is_followed,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_at_a_tick_old_failures_are_over, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_the_whole_allocator_has_intervals, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
