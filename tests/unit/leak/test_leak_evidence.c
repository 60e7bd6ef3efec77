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

#include "util/leak/leak_evidence.h"

static struct leak_evidence judge(struct leak_observed site, struct leak_observed cache,
				  const char *name, double lost)
{
	const struct leak_losses losses = {.lost = lost};

	return leak_evidence_of(&site, &cache, name, &losses);
}

static void test_frees_that_are_seen_make_it_sure(void **state)
{
	const struct leak_observed site = {.survivors = 800, .freed = 400};
	struct leak_evidence e = judge(site, site, "kmalloc-1k", 0);

	(void)state;
	assert_true(e.confidence > 0.99);
	assert_int_equal(leak_level(e.confidence), LEAK_HIGH);
}

static void test_one_missing_free_moves_little(void **state)
{
	const struct leak_observed none = {.survivors = 400, .old = 100};
	const struct leak_observed one = {.survivors = 400, .old = 100, .unseen = 1};
	double before = judge(none, none, "kmalloc-256", 0).confidence;
	double after = judge(one, one, "kmalloc-256", 0).confidence;

	(void)state;
	assert_true(before - after > 0 && before - after < 0.02);
	assert_false(leak_is_untraced(&one));
}

static void test_a_cache_of_its_own_speaks_for_a_site(void **state)
{
	/* sockets none of which was closed while others were; and none of the whole cache */
	const struct leak_observed site = {.survivors = 800};
	const struct leak_observed others = {.survivors = 850, .freed = 5000};
	const struct leak_observed old = {.survivors = 800, .old = 300};
	struct leak_evidence e = judge(site, others, "sock_inode_cache", 0);

	(void)state;
	assert_int_equal(leak_level(e.confidence), LEAK_HIGH);
	e = judge(site, site, "sock_inode_cache", 0);
	assert_int_equal(leak_level(e.confidence), LEAK_MEDIUM);
	assert_int_equal(e.reason, LEAK_NO_FREE_SEEN);
	/* what was freed long ago would have been reused */
	e = judge(old, old, "sock_inode_cache", 0);
	assert_int_equal(leak_level(e.confidence), LEAK_HIGH);
}

static void test_a_kmalloc_cache_says_nothing_of_a_site(void **state)
{
	/* closed timerfds are freed by kfree_rcu(); their neighbours by kfree() */
	const struct leak_observed site = {.survivors = 400};
	const struct leak_observed cache = {.survivors = 2000, .freed = 100000, .unseen = 10};
	struct leak_evidence e = judge(site, cache, "kmalloc-256", 0);

	(void)state;
	assert_int_equal(leak_level(e.confidence), LEAK_MEDIUM);
	assert_int_equal(e.reason, LEAK_NO_FREE_SEEN);
	/* nor does one without a name */
	e = judge(site, cache, "kmem_cache-256", 0);
	assert_int_equal(leak_level(e.confidence), LEAK_MEDIUM);
}

static void test_unseen_frees_count_against_the_survivors(void **state)
{
	const struct leak_observed site = {.survivors = 100, .unseen = 300};
	const struct leak_observed churn = {.survivors = 200, .freed = 1000000, .unseen = 10000};
	const struct leak_observed leak = {.survivors = 100000, .freed = 90, .unseen = 1400};
	struct leak_evidence e = judge(site, site, "kmalloc-256", 0);

	(void)state;
	assert_int_equal(leak_level(e.confidence), LEAK_LOW);
	assert_int_equal(e.reason, LEAK_UNSEEN_SITE);
	assert_true(leak_is_untraced(&site));
	e = judge(churn, churn, "skbuff_head_cache", 0);
	assert_int_equal(leak_level(e.confidence), LEAK_LOW);
	assert_false(leak_is_untraced(&churn));
	/* more are left than such frees explain */
	assert_false(leak_is_untraced(&leak));
}

static void test_a_cache_with_unseen_frees_is_doubtful_for_new_sites(void **state)
{
	const struct leak_observed site = {.survivors = 5};
	const struct leak_observed cache = {.survivors = 900, .freed = 80, .unseen = 1461};
	struct leak_evidence e = judge(site, cache, "maple_node", 0);

	(void)state;
	assert_int_equal(leak_level(e.confidence), LEAK_LOW);
	assert_int_equal(e.reason, LEAK_UNSEEN_CACHE);
}

/* The description of a freed stack stays until the kernel purges many at once: it is not a leak. */
static void test_freed_in_batches(void **state)
{
	const struct leak_observed few = {.survivors = 200, .old = 100, .freed = 50};
	const struct leak_observed many = {.survivors = 100000, .old = 90000, .freed = 50};
	const struct leak_count areas = leak_count_of(NULL, "vmap_area", 0, 0);
	const struct leak_count others = leak_count_of(NULL, "dentry", 0, 0);
	struct leak_evidence e = judge(few, few, "vmap_area", 0);

	(void)state;
	leak_evidence_limit(&e, &few, &others);
	assert_int_equal(leak_level(e.confidence), LEAK_HIGH);
	leak_evidence_limit(&e, &few, &areas);
	assert_int_equal(leak_level(e.confidence), LEAK_LOW);
	assert_int_equal(e.reason, LEAK_IN_BATCHES);
	e = judge(many, many, "vmap_area", 0);
	leak_evidence_limit(&e, &many, &areas);
	assert_int_equal(leak_level(e.confidence), LEAK_HIGH);
}

static void test_lost_frees_lower_it(void **state)
{
	const struct leak_observed site = {.survivors = 500, .freed = 1000};
	const struct leak_losses sampled = {.lost = 6.0 / 7, .sampled = true};
	struct leak_evidence e = judge(site, site, "kmalloc-256", 0.371);

	(void)state;
	assert_int_equal(leak_level(e.confidence), LEAK_LOW);
	assert_int_equal(e.reason, LEAK_LOST);
	e = leak_evidence_of(&site, &site, "kmalloc-256", &sampled);
	assert_int_equal(leak_level(e.confidence), LEAK_LOW);
	/* pages have no cache; all frees lost */
	e = leak_evidence_of(&site, NULL, NULL, &(struct leak_losses){.lost = 1});
	assert_true(e.confidence >= 0 && e.confidence < 0.01);
}

static void test_a_sample_of_few_lowers_it(void **state)
{
	const struct leak_observed few = {.survivors = 1000, .old = 1000, .freed = 1000};
	const struct leak_observed many = {.survivors = 100000, .old = 100000, .freed = 1000};
	const struct leak_losses of_64 = {.one_in = 64};
	struct leak_evidence e = leak_evidence_of(&few, &few, "sock_inode_cache", &of_64);

	(void)state;
	/* 16 objects: 1000, give or take 250 */
	assert_int_equal(leak_level(e.confidence), LEAK_MEDIUM);
	assert_int_equal(e.reason, LEAK_FOLLOWED_FEW);
	e = leak_evidence_of(&many, &many, "sock_inode_cache", &of_64);
	assert_int_equal(leak_level(e.confidence), LEAK_HIGH);
	e = judge(few, few, "sock_inode_cache", 0);
	assert_int_equal(leak_level(e.confidence), LEAK_HIGH);
}

/* 800 from a command that leaks, at a site where others free 60,000, a twentieth of which is
 * missing */
static void test_missing_frees_of_others_do_not_hide_a_leak(void **state)
{
	const struct leak_observed site = {
		.survivors = 860, .old = 330, .freed = 60000, .unseen = 3000};
	const struct leak_observed part = {.survivors = 800, .old = 320};
	const struct leak_losses losses = {.lost = 0.047};
	struct leak_evidence of_site = leak_evidence_of(&site, &site, "sock_inode_cache", &losses);
	struct leak_evidence of_part = leak_evidence_of(&part, NULL, NULL, &losses);
	struct leak_evidence e;

	(void)state;
	assert_int_equal(leak_level(of_site.confidence), LEAK_LOW);
	e = leak_evidence_of_part(&of_site, &of_part);
	assert_int_equal(leak_level(e.confidence), LEAK_HIGH);
	/* never less certain than the site */
	e = leak_evidence_of_part(&of_part, &of_site);
	assert_true(e.confidence >= of_part.confidence);
}

static void test_confidence_has_words(void **state)
{
	(void)state;
	assert_string_equal(leak_confidence_word(1), "high");
	assert_string_equal(leak_confidence_word(0.7), "medium");
	assert_string_equal(leak_confidence_word(0.1), "low");
	for (int reason = 0; reason < LEAK_REASONS; reason++)
		assert_int_equal(!*leak_reason_text((enum leak_reason)reason), reason == LEAK_SURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frees_that_are_seen_make_it_sure),
		cmocka_unit_test(test_one_missing_free_moves_little),
		cmocka_unit_test(test_a_cache_of_its_own_speaks_for_a_site),
		cmocka_unit_test(test_a_kmalloc_cache_says_nothing_of_a_site),
		cmocka_unit_test(test_unseen_frees_count_against_the_survivors),
		cmocka_unit_test(test_a_cache_with_unseen_frees_is_doubtful_for_new_sites),
		cmocka_unit_test(test_freed_in_batches),
		cmocka_unit_test(test_lost_frees_lower_it),
		cmocka_unit_test(test_a_sample_of_few_lowers_it),
		cmocka_unit_test(test_missing_frees_of_others_do_not_hide_a_leak),
		cmocka_unit_test(test_confidence_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
