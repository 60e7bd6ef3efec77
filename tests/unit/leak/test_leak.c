// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <unistd.h>

#include "tests/fixture/fixture.h"
#include "util/leak/leak.h"

/*
 * In the scenario of tests/fixture, objects 80 to 99 and blocks 30 to 49 are left.  A step is a
 * microsecond; object i is allocated in step i, block i in step 181 + i, the last event is in step
 * 262.
 */
#define STEP_NS	  1000u
#define LAST_STEP 262u

struct fixture_run {
	struct kmem_pipeline a;
	struct event_source *source;
	struct kmem_filter filter;
	struct leak_input in;
	struct leak leak;
};

static void run(struct fixture_run *r, uint32_t flags, const char *filter, const char *text,
		uint64_t min_age_ns)
{
	const struct fixture_options fixture = {.long_size = 8, .flags = flags};
	struct kmem_options options = {.wanted = {[ACCOUNT_slab] = true, [ACCOUNT_page] = true},
				       .filter = &r->filter};
	char path[] = "/tmp/test_leak.XXXXXX";

	close(mkstemp(path));
	kmem_filter_init(&r->filter);
	if (filter)
		assert_int_equal(kmem_filter_add(&r->filter, filter, text, NULL), 0);
	assert_int_equal(leak_options_prepare(&options, &(struct table_spec){.nr_by = 0},
					      LEAK_NO_STACKS, NULL),
			 0);
	assert_int_equal(fixture_write(&fixture, path), 0);
	assert_int_equal(
		event_source_open(path, &(struct source_options){.force = true}, &r->source, NULL),
		0);
	assert_int_equal(kmem_pipeline_run(&r->a, r->source, &options, NULL), 0);
	unlink(path);
	r->in = (struct leak_input){
		.accounts = &r->a.accounts,
		.options = &r->a.options,
		.kinds = &r->a.kinds,
		.naming = &r->a.naming,
		.end_ns = kmem_pipeline_span(&r->a).stop_ns,
		.min_age_ns = min_age_ns,
	};
	assert_int_equal(leak_init(&r->leak, &r->in), 0);
}

static void end(struct fixture_run *r)
{
	leak_deinit(&r->leak);
	kmem_pipeline_deinit(&r->a);
	event_source_free(r->source);
	kmem_filter_deinit(&r->filter);
}

static void test_all_that_is_left_is_found_with_its_age(void **state)
{
	uint64_t oldest = 0, youngest = UINT64_MAX;
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	assert_int_equal(r.leak.rows[ACCOUNT_slab].hits, 20);
	assert_int_equal(r.leak.rows[ACCOUNT_slab].bytes, 80800 - 51840);
	assert_int_equal(r.leak.rows[ACCOUNT_slab].callsites, 5);
	assert_int_equal(r.leak.rows[ACCOUNT_page].hits, 20);
	for (size_t i = 0; i < r.leak.rows[ACCOUNT_slab].nr; i++) {
		const struct leak_row *row = &r.leak.rows[ACCOUNT_slab].v[i];

		oldest = row->oldest_ns > oldest ? row->oldest_ns : oldest;
		youngest = row->youngest_ns < youngest ? row->youngest_ns : youngest;
	}
	assert_int_equal(oldest, (LAST_STEP - 80) * STEP_NS);
	assert_int_equal(youngest, (LAST_STEP - 99) * STEP_NS);
	end(&r);
}

static void test_younger_ones_do_not_count(void **state)
{
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, (LAST_STEP - 85) * STEP_NS);
	assert_int_equal(r.leak.rows[ACCOUNT_slab].hits, 6); /* 80 to 85 */
	assert_int_equal(r.leak.rows[ACCOUNT_page].hits, 0);
	for (size_t i = 0; i < r.leak.rows[ACCOUNT_slab].nr; i++) {
		const struct leak_row *row = &r.leak.rows[ACCOUNT_slab].v[i];

		assert_int_equal(row->history.live_bytes[HISTORY_MOMENTS - 1], row->bytes);
	}
	end(&r);
}

static void test_filters_choose_whose(void **state)
{
	struct fixture_run r;

	(void)state;
	run(&r, 0, "cpu", "1", 0);
	assert_int_equal(r.leak.rows[ACCOUNT_slab].hits, 5); /* of i % 4 */
	end(&r);
}

static void test_a_filter_does_not_change_the_evidence(void **state)
{
	struct fixture_run all, one;

	(void)state;
	run(&all, 0, NULL, NULL, 0);
	run(&one, 0, "cpu", "1", 0);
	for (size_t i = 0; i < one.leak.rows[ACCOUNT_slab].nr; i++)
		for (size_t k = 0; k < all.leak.rows[ACCOUNT_slab].nr; k++) {
			const struct leak_row *a = &all.leak.rows[ACCOUNT_slab].v[k],
					      *b = &one.leak.rows[ACCOUNT_slab].v[i];

			if (a->key[0] == b->key[0] && a->bytes == b->bytes)
				assert_true(a->evidence.reason == b->evidence.reason);
		}
	end(&all);
	end(&one);
}

/* The leak of the same accounts, if the recording had said this about its events. */
static void again(struct fixture_run *r, const struct event_kinds *kinds)
{
	r->in.kinds = kinds;
	leak_deinit(&r->leak);
	assert_int_equal(leak_init(&r->leak, &r->in), 0);
}

static bool is_near(double v, double want)
{
	return v > want - 0.001 && v < want + 0.001;
}

static void test_each_allocator_has_its_own_losses(void **state)
{
	struct event_kinds kinds;
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	assert_true(r.leak.losses.lost <= 0);
	/* 81 frees of slab objects and 31 of pages were recorded: as many of pages again were
	 * lost */
	kinds = r.a.kinds;
	assert_int_equal(kinds.v[KMEM_SLAB_FREE].samples, 81);
	assert_int_equal(kinds.v[KMEM_PAGE_FREE].samples, 31);
	kinds.v[KMEM_PAGE_FREE].lost = 31;
	again(&r, &kinds);
	assert_true(r.leak.rows[ACCOUNT_slab].losses.lost <= 0);
	assert_true(is_near(r.leak.rows[ACCOUNT_page].losses.lost, 0.5));
	assert_true(is_near(r.leak.losses.lost, 31.0 / (81 + 62)));
	for (size_t i = 0; i < r.leak.rows[ACCOUNT_page].nr; i++) {
		assert_true(r.leak.rows[ACCOUNT_page].v[i].evidence.confidence < 0.501);
		assert_int_equal(r.leak.rows[ACCOUNT_page].v[i].evidence.reason, LEAK_LOST);
	}
	end(&r);
}

static void test_without_free_events_an_allocator_is_not_judged(void **state)
{
	struct event_kinds kinds;
	struct fixture_run r;
	uint64_t live = 0;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	assert_int_equal(leak_unjudged(&r.leak), ACCOUNTS_NR);
	kinds = r.a.kinds;
	kinds.recorded &= ~(1u << EVENT_kfree);
	again(&r, &kinds);
	assert_int_equal(leak_unjudged(&r.leak), ACCOUNT_slab);
	assert_string_equal(r.leak.rows[ACCOUNT_slab].missing_free, "kmem:kfree");
	assert_false(r.leak.rows[ACCOUNT_page].frees_unknown);
	assert_int_equal(r.leak.rows[ACCOUNT_slab].whos.nr, 0);
	assert_int_equal(r.leak.rows[ACCOUNT_slab].nr_untraced, 0);
	for (size_t i = 0; i < r.leak.rows[ACCOUNT_slab].nr; i++) {
		assert_int_equal(r.leak.rows[ACCOUNT_slab].v[i].behaviour, LEAK_UNKNOWN);
		assert_int_equal(r.leak.rows[ACCOUNT_slab].v[i].finding, 0);
		live += r.leak.rows[ACCOUNT_slab].v[i].hits;
	}
	assert_int_equal(live, 20);
	end(&r);
}

static void test_before_6_0_nobody_knows_whose_losses_they_are(void **state)
{
	struct event_kinds kinds;
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	kinds = r.a.kinds;
	kinds.lost_of_all = 0.5;
	again(&r, &kinds);
	assert_true(is_near(r.leak.rows[ACCOUNT_slab].losses.lost, 0.5));
	assert_true(is_near(r.leak.rows[ACCOUNT_page].losses.lost, 0.5));
	end(&r);
	/* allocations were lost, but no free */
	run(&r, FIXTURE_LOST, NULL, NULL, 0);
	assert_true(r.leak.losses.lost <= 0);
	end(&r);
}

static void test_one_event_of_n_is_nothing_missing(void **state)
{
	struct event_kinds kinds;
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	kinds = r.a.kinds;
	kinds.v[KMEM_SLAB_FREE].period = kinds.v[KMEM_PAGE_FREE].period = 7;
	again(&r, &kinds);
	assert_true(r.leak.rows[ACCOUNT_slab].losses.sampled);
	for (size_t i = 0; i < r.leak.rows[ACCOUNT_slab].nr; i++)
		assert_int_equal(r.leak.rows[ACCOUNT_slab].v[i].evidence.reason, LEAK_SAMPLED);
	end(&r);
}

static void test_a_cache_without_a_free_is_doubtful(void **state)
{
	struct fixture_run r;

	(void)state;
	/* each object of the scenario has a cache of its own size: those left had no frees */
	run(&r, 0, NULL, NULL, 0);
	for (size_t i = 0; i < r.leak.rows[ACCOUNT_slab].nr; i++)
		assert_int_equal(r.leak.rows[ACCOUNT_slab].v[i].evidence.reason, LEAK_NO_FREE_SEEN);
	assert_int_equal(r.leak.rows[ACCOUNT_slab].nr_untraced, 0);
	end(&r);
}

static void test_rows_say_who_holds_most(void **state)
{
	uint64_t cohorts = 0;
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	for (size_t i = 0; i < r.leak.rows[ACCOUNT_slab].nr; i++) {
		const struct leak_row *row = &r.leak.rows[ACCOUNT_slab].v[i];

		assert_in_range(row->owner.hits, 1, row->hits);
		assert_in_range(row->owner.bytes, 1, row->bytes);
		assert_int_equal(row->history.live_bytes[HISTORY_MOMENTS - 1], row->bytes);
		for (unsigned int k = 0; k < HISTORY_MOMENTS; k++) {
			assert_true(row->history.survivors[k] <= row->history.allocs[k]);
			cohorts += row->history.survivors[k];
		}
	}
	assert_int_equal(cohorts, 20);
	end(&r);
}

static void test_rows_are_ranked_by_class_evidence_bytes(void **state)
{
	const struct leak_row *before = NULL;
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	/* the fixture's kernel reports no caches, so names decide */
	assert_false(r.a.naming.reclaimable.known);
	for (size_t i = 0; i < r.leak.rows[ACCOUNT_slab].nr;
	     before = &r.leak.rows[ACCOUNT_slab].v[i++]) {
		const struct leak_row *row = &r.leak.rows[ACCOUNT_slab].v[i];

		if (!before)
			continue;
		assert_true(before->behaviour <= row->behaviour);
		if (before->behaviour == row->behaviour)
			assert_true(leak_level(before->evidence.confidence) <=
				    leak_level(row->evidence.confidence));
	}
	end(&r);
}

/* A cache that the kernel shrinks is in the last class, whatever its history. */
static void test_reclaimable_caches_are_a_class_of_their_own(void **state)
{
	struct fixture_run r;
	uint64_t cache;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	cache = r.leak.rows[ACCOUNT_slab].v[0].key[1];
	assert_non_null(table_insert(&r.a.naming.reclaimable.names, &cache));
	r.a.naming.reclaimable.known = true;
	again(&r, &r.a.kinds);
	for (size_t i = 0; i < r.leak.rows[ACCOUNT_slab].nr; i++) {
		const struct leak_row *row = &r.leak.rows[ACCOUNT_slab].v[i];

		assert_int_equal(row->behaviour == LEAK_RECLAIMABLE, row->key[1] == cache);
		assert_true(row->behaviour != LEAK_RECLAIMABLE || !row->finding);
	}
	assert_int_equal(r.leak.rows[ACCOUNT_slab].v[r.leak.rows[ACCOUNT_slab].nr - 1].key[1],
			 cache);
	assert_true(r.leak.rows[ACCOUNT_slab].totals[LEAK_RECLAIMABLE].rows > 0);
	end(&r);
}

static void test_stacks_need_room(void **state)
{
	const struct table_spec full = {
		{KEY_CALLSITE, KEY_CACHE, KEY_CPU, KEY_NODE, KEY_GFP, KEY_SIZE, KEY_PID, KEY_TID},
		.nr_by = STAT_BY_MAX};
	struct kmem_options options = {.wanted = {[ACCOUNT_slab] = true}};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(leak_options_prepare(&options, &full, LEAK_STACKS_IN_ROWS, &err), -E2BIG);
	assert_int_equal(leak_options_prepare(&options, &full, LEAK_NO_STACKS, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_that_is_left_is_found_with_its_age),
		cmocka_unit_test(test_younger_ones_do_not_count),
		cmocka_unit_test(test_filters_choose_whose),
		cmocka_unit_test(test_a_filter_does_not_change_the_evidence),
		cmocka_unit_test(test_each_allocator_has_its_own_losses),
		cmocka_unit_test(test_without_free_events_an_allocator_is_not_judged),
		cmocka_unit_test(test_before_6_0_nobody_knows_whose_losses_they_are),
		cmocka_unit_test(test_one_event_of_n_is_nothing_missing),
		cmocka_unit_test(test_a_cache_without_a_free_is_doubtful),
		cmocka_unit_test(test_rows_say_who_holds_most),
		cmocka_unit_test(test_rows_are_ranked_by_class_evidence_bytes),
		cmocka_unit_test(test_reclaimable_caches_are_a_class_of_their_own),
		cmocka_unit_test(test_stacks_need_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
