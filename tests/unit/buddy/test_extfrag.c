// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/buddy/extfrag.h"
#include "util/event/migratetype.h"

#define SECOND 1000000000ULL

static void fall(struct extfrag *x, uint64_t time_ns, uint32_t fallback_order, uint64_t callsite)
{
	const struct kmem_event ev = {
		.kind = KMEM_PAGE_EXTFRAG,
		.time_ns = time_ns,
		.call_site = callsite,
		.order = 1,
		.migratetype = 0,
		.fallback_order = fallback_order,
		.fallback_migratetype = 1,
		.change_ownership = fallback_order >= 9,
	};

	assert_int_equal(extfrag_account(x, &ev), 0);
}

static struct extfrag new_extfrag(void)
{
	struct extfrag x;

	extfrag_init(&x, 9);
	x.has_events = x.has_ownership = true;
	return x;
}

static void test_fragmenting_is_below_a_pageblock(void **state)
{
	struct extfrag x = new_extfrag();
	const struct extfrag_kind *kind;
	const struct extfrag_caller *caller;

	(void)state;
	fall(&x, 0, 8, 0xa);
	fall(&x, 0, 9, 0xa);
	fall(&x, 0, 9, 0xb);
	fall(&x, 0, 10, 0xb);
	assert_int_equal(x.counts.fallbacks, 4);
	assert_int_equal(x.counts.fragmenting, 1);
	assert_int_equal(x.counts.ownership_changes, 3);
	assert_int_equal(x.kinds.nr, 3);
	kind = table_row(&x.kinds, 1);
	assert_int_equal(kind->alloc_migratetype, 0);
	assert_int_equal(kind->fallback_migratetype, 1);
	assert_int_equal(kind->alloc_order, 1);
	assert_int_equal(kind->fallback_order, 9);
	assert_int_equal(kind->counts.fallbacks, 2);
	assert_int_equal(x.callers.nr, 2);
	caller = table_row(&x.callers, 0);
	assert_int_equal(caller->callsite, 0xa);
	assert_int_equal(caller->counts.fragmenting, 1);
	extfrag_deinit(&x);
}

static void test_unknown_pageblock_order(void **state)
{
	struct extfrag x = new_extfrag();

	(void)state;
	x.pageblock_order = PAGEBLOCK_ORDER_UNKNOWN;
	fall(&x, 0, 0, 0);
	assert_int_equal(x.counts.fragmenting, 0);
	assert_int_equal(extfrag_min_free_step_kib(&x, 4096, 1), 0);
	extfrag_deinit(&x);
}

static void test_min_free_step(void **state)
{
	struct extfrag x = new_extfrag();

	(void)state;
	assert_int_equal(extfrag_min_free_step_kib(&x, 4096, 1), 6144);
	assert_int_equal(extfrag_min_free_step_kib(&x, 4096, 4), 4 * 6144);
	x.pageblock_order = 13; /* arm64 with pages of 64 KiB: 512 MiB */
	assert_int_equal(extfrag_min_free_step_kib(&x, 65536, 2), 3145728);
	extfrag_deinit(&x);
}

static struct extfrag_rate rate(const struct extfrag *x, uint64_t start_ns, uint64_t stop_ns,
				uint64_t page_allocations)
{
	const struct source_span span = {start_ns, stop_ns};

	return extfrag_rate(x, span, stop_ns - start_ns, page_allocations);
}

static void test_spans_and_rates(void **state)
{
	struct extfrag x = new_extfrag();
	struct extfrag_rate r;

	(void)state;
	fall(&x, 100, 0, 0);
	fall(&x, 100 + SECOND - 1, 0, 0);
	fall(&x, 100 + SECOND, 9, 0);
	fall(&x, 100 + 10 * SECOND - 1, 0, 0);
	r = rate(&x, 100, 100 + 10 * SECOND, 50);
	assert_int_equal(r.duration_ns, 10 * SECOND);
	assert_int_equal(r.spans[0].fallbacks, 2);
	assert_int_equal(r.spans[0].fragmenting, 2);
	assert_int_equal(r.spans[1].fallbacks, 1);
	assert_int_equal(r.spans[1].fragmenting, 0);
	assert_int_equal(r.spans[9].fallbacks, 1);
	assert_int_equal(r.busiest_second_fragmenting, 2);
	assert_true(r.fallbacks_per_second == 0.4);
	assert_true(r.fragmenting_percent == 6);
	assert_false(r.frequent); /* six percent, but of only three events */
	/* half of which was looked at */
	r = extfrag_rate(&x, (struct source_span){100, 100 + 10 * SECOND}, 5 * SECOND, 50);
	assert_true(r.fallbacks_per_second == 0.8);
	extfrag_deinit(&x);
}

static void test_frequent(void **state)
{
	struct extfrag x = new_extfrag();

	(void)state;
	/* one a second, throughout */
	for (uint64_t i = 0; i < 20; i++)
		fall(&x, i * SECOND, 0, 0);
	assert_true(rate(&x, 0, 20 * SECOND, 0).frequent);
	assert_true(rate(&x, 0, 20 * SECOND, 1000000).frequent);
	/* one in two seconds; that is frequent if there are few allocations */
	assert_false(rate(&x, 0, 40 * SECOND, 0).frequent);
	assert_false(rate(&x, 0, 40 * SECOND, 2001).frequent);
	assert_true(rate(&x, 0, 40 * SECOND, 2000).frequent);
	extfrag_deinit(&x);
}

static void test_a_burst_is_not_frequent(void **state)
{
	struct extfrag x = new_extfrag();

	(void)state;
	for (uint64_t i = 0; i < 20; i++)
		fall(&x, i, 0, 0);
	assert_false(rate(&x, 0, 10 * SECOND, 0).frequent);
	/* nor is what happens within less than a second */
	assert_false(rate(&x, 0, 19, 0).frequent);
	extfrag_deinit(&x);
}

static void test_odd_times(void **state)
{
	struct extfrag x = new_extfrag();
	struct extfrag_rate r;

	(void)state;
	r = rate(&x, 0, 0, 0);
	assert_int_equal(r.duration_ns, 1);
	assert_int_equal(rate(&x, 0, UINT64_MAX, 0).duration_ns, UINT64_MAX);
	assert_int_equal(rate(&x, 5, 4, 0).duration_ns, 1);
	fall(&x, 3, 0, 0);
	fall(&x, UINT64_MAX, 0, 0);
	r = rate(&x, 5, 4, 0); /* no crash */
	assert_int_equal(r.spans[9].fallbacks, 2);
	extfrag_deinit(&x);
}

static void test_merged_moments_are_of_the_same_slices(void **state)
{
	struct extfrag x = new_extfrag();
	struct extfrag_rate before, after;

	(void)state;
	/* 1000 a second for 20 seconds, half of them fragmenting */
	for (uint64_t i = 0; i < 20000; i++)
		fall(&x, SECOND + i * (SECOND / 1000), i % 2 ? 0 : 9, 0xa);
	before = rate(&x, SECOND, 21 * SECOND, 0);
	extfrag_merge_moments(&x, 20000);
	assert_int_equal(x.nr_moments, 20000);
	extfrag_merge_moments(&x, 1000);
	assert_in_range(x.nr_moments, 300, 1000);
	after = rate(&x, SECOND, 21 * SECOND, 0);
	for (unsigned int i = 0; i < EXTFRAG_SPANS; i++) {
		assert_int_equal(before.spans[i].fallbacks, 2000);
		/* a moment's beginning tells the slice */
		assert_in_range(after.spans[i].fallbacks, 1900, 2100);
		assert_in_range(after.spans[i].fragmenting, 950, 1050);
	}
	assert_in_range(after.busiest_second_fragmenting, 450, 550);
	assert_int_equal(x.counts.fallbacks, 20000);
	extfrag_deinit(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fragmenting_is_below_a_pageblock),
		cmocka_unit_test(test_unknown_pageblock_order),
		cmocka_unit_test(test_min_free_step),
		cmocka_unit_test(test_spans_and_rates),
		cmocka_unit_test(test_frequent),
		cmocka_unit_test(test_a_burst_is_not_frequent),
		cmocka_unit_test(test_odd_times),
		cmocka_unit_test(test_merged_moments_are_of_the_same_slices),
	};

	return cmocka_run_group_tests_name("extfrag", tests, NULL, NULL);
}
