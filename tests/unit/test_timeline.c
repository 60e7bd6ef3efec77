// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/kmem/timeline.h"

static uint64_t sum(const uint64_t v[TIMELINE_STEPS])
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < TIMELINE_STEPS; i++)
		total += v[i];
	return total;
}

static void test_a_known_span_is_divided_evenly(void **state)
{
	struct timeline *t = timeline_new(1000, 1000 + 10 * TIMELINE_STEPS);

	(void)state;
	assert_non_null(t);
	assert_int_equal(timeline_reserve(t, 2), 0);
	timeline_add(t, 0, 1000, 64, true);
	timeline_add(t, 1, 1000 + t->width_ns, 32, true);
	timeline_add(t, 0, 1000 + t->width_ns, (uint64_t)-64, false);
	assert_int_equal(t->allocated[0], 64);
	assert_int_equal(t->allocated[1], 32);
	assert_int_equal(t->freed[1], 64);
	assert_int_equal(t->rows[0].change[1], (uint64_t)-64);
	assert_int_equal(timeline_steps(t, 1000 + t->width_ns), 2);
	assert_true(timeline_steps(t, 1000 + 10 * TIMELINE_STEPS) >= TIMELINE_STEPS / 2);
	timeline_free(t);
}

/* An allocation that does not count after all is taken from what was allocated then. */
static void test_duplicates_are_taken_back(void **state)
{
	struct timeline *t = timeline_new(0, 0);

	(void)state;
	assert_non_null(t);
	timeline_add(t, 0, 5000, 64, true);
	timeline_add(t, 0, 9000, 64, true);
	timeline_add(t, 0, 5000, (uint64_t)-64, true);
	assert_int_equal(sum(t->allocated), 64);
	assert_int_equal(sum(t->freed), 0);
	timeline_free(t);
}

static void test_an_unknown_span_grows(void **state)
{
	struct timeline *t = timeline_new(0, 0);
	uint64_t last = 0;

	(void)state;
	assert_non_null(t);
	assert_int_equal(timeline_reserve(t, 1), 0);
	for (uint64_t i = 1; i <= 100000; i++) {
		last = i * 7919;
		timeline_add(t, 0, last, 8, true);
	}
	assert_int_equal(sum(t->allocated), 800000);
	assert_int_equal(sum(t->rows[0].change), 800000);
	assert_in_range(timeline_steps(t, last), TIMELINE_STEPS / 2, TIMELINE_STEPS);
	timeline_free(t);
}

static void test_only_so_many_rows_are_followed(void **state)
{
	struct timeline *t = timeline_new(1, 1000);

	(void)state;
	assert_non_null(t);
	assert_int_equal(timeline_reserve(t, 10 * TIMELINE_ROWS_MAX), 0);
	assert_int_equal(t->nr, TIMELINE_ROWS_MAX);
	timeline_add(t, 5 * TIMELINE_ROWS_MAX, 10, 8, true);
	assert_int_equal(sum(t->allocated), 8);
	timeline_free(t);
}

static void test_rows_are_folded_and_forgotten(void **state)
{
	struct timeline *t = timeline_new(1, 1000);

	(void)state;
	assert_non_null(t);
	assert_int_equal(timeline_reserve(t, 2), 0);
	timeline_add(t, 0, 10, 8, true);
	timeline_add(t, 1, 10, 16, true);
	timeline_add_row(t, 0, 1);
	timeline_forget(t, 1);
	assert_int_equal(sum(t->rows[0].change), 24);
	assert_int_equal(sum(t->rows[1].change), 0);
	timeline_free(t);
}

static void test_series_of_counts_add_up(void **state)
{
	struct timeline *t = timeline_new_counts(0, 0, 2);
	uint64_t sums[2] = {0, 0};

	(void)state;
	assert_non_null(t);
	timeline_count(NULL, 0, 1000, 1);
	for (uint64_t i = 0; i < 1000; i++) {
		timeline_count(t, 0, 1000 + i * i * 1000, 1);
		timeline_count(t, 1, 1000 + i * i * 1000, i);
	}
	for (uint32_t i = 0; i < timeline_steps(t, 1000 + 999 * 999 * 1000); i++)
		for (int series = 0; series < 2; series++)
			sums[series] += t->rows[series].change[i];
	assert_int_equal(sums[0], 1000);
	assert_int_equal(sums[1], 999 * 1000 / 2);
	timeline_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_known_span_is_divided_evenly),
		cmocka_unit_test(test_duplicates_are_taken_back),
		cmocka_unit_test(test_an_unknown_span_grows),
		cmocka_unit_test(test_only_so_many_rows_are_followed),
		cmocka_unit_test(test_rows_are_folded_and_forgotten),
		cmocka_unit_test(test_series_of_counts_add_up),
	};

	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
