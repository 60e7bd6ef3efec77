// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/leak/leak_evidence.h"

static void add(struct slab_counts *c, const char *name, uint64_t before, uint64_t used,
		uint64_t hidden)
{
	struct slab_count *cache = slab_counts_add(c, name);

	assert_non_null(cache);
	cache->used[SLAB_START] = before;
	cache->used[SLAB_LATEST] = used;
	cache->hidden = hidden;
}

static void fill(struct slab_counts *c)
{
	*c = (struct slab_counts){.nr_readings = 2, .whole = true};
	add(c, "bulky", 10, 12010, 50);
	add(c, "kmalloc-64", 20000, 25000, 100);
	add(c, "maple_node", 1000, 1003, 768);
	add(c, "quiet", 10, 10, 50);
}

static void test_a_cache_that_did_not_grow_clears(void **state)
{
	struct slab_counts counts;
	struct leak_count c;

	(void)state;
	fill(&counts);
	c = leak_count_of(&counts, "maple_node", 0, 0);
	assert_true(c.known);
	assert_false(c.grew);
	assert_int_equal(c.at_most, 3 + 768);
	assert_true(leak_count_clears(&c, 9000));
	/* as many may hide */
	assert_false(leak_count_clears(&c, 1000));
	slab_counts_deinit(&counts);
}

static void test_a_leak_of_the_uncertainty_is_not_cleared(void **state)
{
	struct slab_counts counts = {.nr_readings = 2, .whole = true};
	struct leak_count c;

	(void)state;
	add(&counts, "leaked", 1000, 1768, 768);
	c = leak_count_of(&counts, "leaked", 0, 0);
	assert_false(c.grew);
	assert_false(leak_count_clears(&c, 768));
	/* one object in five freed without an event */
	assert_false(leak_count_clears(&c, 960));
	slab_counts_deinit(&counts);
}

static void test_old_objects_freed_beside_a_leak_do_not_hide_it(void **state)
{
	struct slab_counts counts = {.nr_readings = 2, .whole = true};
	struct leak_count c;

	(void)state;
	add(&counts, "exchanged", 5000, 5000, 50);
	c = leak_count_of(&counts, "exchanged", 5000, 0);
	assert_false(c.grew);
	assert_false(leak_count_clears(&c, 5000));
	slab_counts_deinit(&counts);
}

/* A live report can come seconds after the count. */
static void test_objects_after_the_count_can_be_live(void **state)
{
	struct slab_counts counts = {.nr_readings = 2, .whole = true};
	struct leak_count c;

	(void)state;
	add(&counts, "sock_inode_cache", 1000, 1150, 30);
	c = leak_count_of(&counts, "sock_inode_cache", 0, 150);
	assert_int_equal(c.likely, 300);
	assert_int_equal(c.at_most, 330);
	slab_counts_deinit(&counts);
}

/* Events call kmalloc() from separate buckets kmalloc-64. */
static void test_a_leak_in_a_bucket_is_not_cleared_by_kmalloc(void **state)
{
	struct slab_counts counts = {.nr_readings = 2, .whole = true};
	struct leak_count c;

	(void)state;
	add(&counts, "kmalloc-64", 20000, 20000, 100);
	add(&counts, "kmalloc-8k", 10, 10, 10);
	add(&counts, "msg_msg-64", 0, 9000, 100);
	add(&counts, "msg_msg-8k", 0, 0, 0);
	c = leak_count_of(&counts, "kmalloc-64", 0, 0);
	assert_false(c.grew);
	assert_false(leak_count_clears(&c, 9000));
	slab_counts_deinit(&counts);
}

static void test_frees_of_old_objects_make_room(void **state)
{
	struct slab_counts counts;
	struct leak_count c;

	(void)state;
	fill(&counts);
	c = leak_count_of(&counts, "maple_node", 400, 0);
	assert_int_equal(c.at_most, 3 + 768 + 400);
	/* no more than there were */
	c = leak_count_of(&counts, "maple_node", 5000, 0);
	assert_int_equal(c.at_most, 3 + 768 + 1000);
	slab_counts_deinit(&counts);
}

static void test_a_cache_that_grew_clears_nobody(void **state)
{
	struct slab_counts counts;
	struct leak_count c;

	(void)state;
	fill(&counts);
	c = leak_count_of(&counts, "kmalloc-64", 0, 0);
	assert_true(c.grew);
	assert_false(leak_count_clears(&c, 1000000));
	c = leak_count_of(&counts, "unknown", 0, 0);
	assert_false(c.known);
	assert_false(leak_count_clears(&c, 1000000));
	c = leak_count_of(NULL, "maple_node", 0, 0);
	assert_false(c.known);
	slab_counts_deinit(&counts);
}

static void test_the_count_limits_the_evidence(void **state)
{
	const struct leak_count count = {.known = true, .grew = true, .at_most = 300};
	const struct leak_observed few = {.survivors = 300}, many = {.survivors = 1000};
	struct leak_evidence e = {0.95, LEAK_SURE};

	(void)state;
	leak_evidence_limit(&e, &few, &count);
	assert_int_equal(e.reason, LEAK_SURE);
	leak_evidence_limit(&e, &many, &count);
	assert_int_equal(e.reason, LEAK_COUNTED_LESS);
	assert_true(e.confidence > 0.299 && e.confidence < 0.301);
	/* it never raises the confidence */
	e = (struct leak_evidence){0.1, LEAK_LOST};
	leak_evidence_limit(&e, &many, &count);
	assert_int_equal(e.reason, LEAK_LOST);
}

static struct leak_old_frees old_frees(const void *state, const char *cache)
{
	(void)state;
	return (struct leak_old_frees){.named = !strcmp(cache, "maple_node")	     ? 30
						: !strcmp(cache, "proc_inode_cache") ? 1300
										     : 0,
				       .unnamed = strstr(cache, "kmalloc") ? 500 : 0};
}

static void test_growth_without_events_is_named(void **state)
{
	struct slab_counts counts;
	struct leak_caches caches;

	(void)state;
	fill(&counts);
	assert_int_equal(leak_caches_init(&caches, &counts), 0);
	leak_caches_add(&caches, "kmalloc-64", 4000, 0);
	leak_caches_add(&caches, "kmalloc-64", 800, 0);
	leak_caches_add(&caches, "bulky", 400, 0);
	leak_caches_add(&caches, "maple_node", 9000, 0);
	leak_caches_finish(&caches, old_frees, NULL, 0);
	/* not the one with neither growth nor survivors */
	assert_int_equal(caches.nr, 3);
	assert_string_equal(caches.v[2].name, "maple_node");
	assert_int_equal(caches.v[2].dead, 9000 - 3 - 768 - 30);
	assert_int_equal(caches.v[0].dead, 0);
	assert_string_equal(caches.v[0].name, "bulky");
	assert_int_equal(caches.v[0].unexplained, 12000 - 400 - 50);
	/* 5000 more, of which the events and the uncertainty explain 4900 */
	assert_string_equal(caches.v[1].name, "kmalloc-64");
	assert_int_equal(caches.v[1].unexplained, 0);
	leak_caches_deinit(&caches);
	slab_counts_deinit(&counts);
}

/* The kernel allocated from it in hidden tasks, and freed by RCU in others. */
static void test_allocations_without_events_are_named_if_they_were_freed(void **state)
{
	struct slab_counts counts = {.nr_readings = 2, .whole = true};
	struct leak_caches caches;

	(void)state;
	add(&counts, "kmalloc-64", 1000, 1000, 100);
	add(&counts, "proc_inode_cache", 14000, 14240, 276);
	for (uint64_t missing = 0; missing < 2000; missing += 1200) {
		assert_int_equal(leak_caches_init(&caches, &counts), 0);
		leak_caches_add(&caches, "kmalloc-64", 2, 0);
		leak_caches_add(&caches, "proc_inode_cache", 2, 0);
		leak_caches_finish(&caches, old_frees, NULL, missing);
		assert_int_equal(caches.nr, 2);
		/* frees without a cache prove nothing */
		assert_int_equal(caches.v[0].untraced_allocs, 0);
		assert_int_equal(caches.v[1].untraced_allocs, missing ? 0 : 240 + 1300 - 276 - 2);
		assert_int_equal(caches.v[1].unexplained, 0);
		leak_caches_deinit(&caches);
	}
	slab_counts_deinit(&counts);
}

static void test_events_without_caches_explain_nothing(void **state)
{
	struct slab_counts counts;
	struct leak_caches caches;

	(void)state;
	fill(&counts);
	assert_int_equal(leak_caches_init(&caches, &counts), 0);
	leak_caches_add(&caches, "kmem_cache-192", 4000, 0);
	leak_caches_finish(&caches, old_frees, NULL, 0);
	for (size_t i = 0; i < caches.nr; i++)
		assert_int_equal(caches.v[i].unexplained, 0);
	leak_caches_deinit(&caches);
	slab_counts_deinit(&counts);
}

/* 20 old survivors of a cache that kfree_rcu() empties: nobody knows whether they are live. */
static void test_old_survivors_count_as_far_as_the_cache_grew(void **state)
{
	struct leak_count c = {.known = true, .at_most = 544, .likely = 0};

	(void)state;
	assert_true(leak_confirmed(&c, "maple_node", 20) == 0);
	c.likely = 5;
	assert_true(leak_confirmed(&c, "maple_node", 20) == 0.25);
	c.likely = 30;
	assert_true(leak_confirmed(&c, "maple_node", 20) == 1);
	c.likely = 0;
	assert_true(leak_confirmed(&c, "kmalloc-64", 20) == 1);
	c.known = false;
	assert_true(leak_confirmed(&c, "maple_node", 20) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cache_that_did_not_grow_clears),
		cmocka_unit_test(test_a_leak_of_the_uncertainty_is_not_cleared),
		cmocka_unit_test(test_old_objects_freed_beside_a_leak_do_not_hide_it),
		cmocka_unit_test(test_a_leak_in_a_bucket_is_not_cleared_by_kmalloc),
		cmocka_unit_test(test_objects_after_the_count_can_be_live),
		cmocka_unit_test(test_frees_of_old_objects_make_room),
		cmocka_unit_test(test_a_cache_that_grew_clears_nobody),
		cmocka_unit_test(test_the_count_limits_the_evidence),
		cmocka_unit_test(test_old_survivors_count_as_far_as_the_cache_grew),
		cmocka_unit_test(test_growth_without_events_is_named),
		cmocka_unit_test(test_allocations_without_events_are_named_if_they_were_freed),
		cmocka_unit_test(test_events_without_caches_explain_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
