// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/table/timeline.h"

static uint64_t sum(const uint64_t v[TIMELINE_STEPS])
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < TIMELINE_STEPS; i++)
		total += v[i];
	return total;
}

static uint64_t change_of(const struct timeline *t, uint32_t row, uint32_t step)
{
	uint64_t changes[TIMELINE_STEPS];

	timeline_changes(t, row, TIMELINE_STEPS, changes);
	return changes[step];
}

static uint64_t sum_of(const struct timeline *t, uint32_t row)
{
	uint64_t changes[TIMELINE_STEPS];

	timeline_changes(t, row, TIMELINE_STEPS, changes);
	return sum(changes);
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
	assert_int_equal(change_of(t, 0, 1), (uint64_t)-64);
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
	assert_int_equal(sum_of(t, 0), 800000);
	assert_in_range(timeline_steps(t, last), TIMELINE_STEPS / 2, TIMELINE_STEPS);
	timeline_free(t);
}

/* As in a recording with a damaged time: what follows still counts where it belongs. */
static void test_the_last_time_of_64_bits_hides_no_other(void **state)
{
	const uint64_t damaged[] = {UINT64_MAX, UINT64_MAX - 5000};

	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		struct timeline *t = timeline_new(5000, 5000 + 1000ULL * TIMELINE_STEPS);
		uint32_t last;

		assert_non_null(t);
		assert_int_equal(timeline_reserve(t, 1), 0);
		timeline_add(t, 0, damaged[i], 1, true);
		last = t->current;
		timeline_add(t, 0, 5000, 2, true);
		timeline_add(t, 0, 9000, 4, true);
		assert_int_equal(change_of(t, 0, 0), 6);
		assert_int_equal(change_of(t, 0, last), 1);
		timeline_free(t);
	}
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
	assert_int_equal(sum_of(t, 0), 24);
	assert_int_equal(sum_of(t, 1), 0);
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
			sums[series] += change_of(t, (uint32_t)series, i);
	assert_int_equal(sums[0], 1000);
	assert_int_equal(sums[1], 999 * 1000 / 2);
	timeline_free(t);
}

/* Rows come while steps pass and are merged: what each had before is still its own. */
static void test_rows_that_come_later_move_nothing(void **state)
{
	const uint64_t steps = 2 * TIMELINE_STEPS + 2;
	struct timeline *t = timeline_new(0, 0);
	uint64_t live[TIMELINE_STEPS], *most;

	(void)state;
	assert_non_null(t);
	for (uint32_t i = 0; i < steps; i++) {
		assert_int_equal(timeline_reserve(t, i + 1), 0);
		timeline_add(t, i, 1000 + i * UINT64_C(1024), i + 1, true);
		if (i)
			timeline_add(t, i - 1, 1000 + i * UINT64_C(1024), -(uint64_t)i, false);
	}
	most = timeline_most(t, TIMELINE_STEPS);
	assert_non_null(most);
	for (uint32_t i = 0; i < steps; i++) {
		/* of two that share a step only the latter is live at its end */
		bool seen = i + 1 == steps || i % 4 == 3;

		assert_int_equal(sum_of(t, i), i + 1 == steps ? steps : 0);
		timeline_changes(t, i, TIMELINE_STEPS, live);
		assert_int_equal(timeline_live(live, TIMELINE_STEPS, live), seen ? i + 1 : 0);
		assert_int_equal(most[i], seen ? i + 1 : 0);
	}
	free(most);
	timeline_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_known_span_is_divided_evenly),
		cmocka_unit_test(test_duplicates_are_taken_back),
		cmocka_unit_test(test_an_unknown_span_grows),
		cmocka_unit_test(test_the_last_time_of_64_bits_hides_no_other),
		cmocka_unit_test(test_only_so_many_rows_are_followed),
		cmocka_unit_test(test_rows_are_folded_and_forgotten),
		cmocka_unit_test(test_series_of_counts_add_up),
		cmocka_unit_test(test_rows_that_come_later_move_nothing),
	};

	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
