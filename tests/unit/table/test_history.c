// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/table/history.h"

#define N HISTORY_MOMENTS

static void take(struct history *h, uint32_t row, uint64_t time_ns, uint64_t bytes, uint32_t allocs)
{
	assert_int_equal(history_reserve(h, row + 1), 0);
	history_add(h, row, time_ns, bytes, allocs);
}

static void test_a_known_span_is_cut_into_sixteenths(void **state)
{
	uint64_t live[N] = {0}, allocs[N] = {0};
	struct history h;

	(void)state;
	history_init(&h, 1000, 1000 + 64 * 100 - 1);
	for (uint64_t i = 0; i < 64; i++)
		take(&h, 3, 1000 + 100 * i, 10, 1);
	history_finish(&h, 1000 + 64 * 100 - 1);
	history_sum(&h, 3, live, allocs);
	for (unsigned int i = 0; i < N; i++) {
		assert_int_equal(live[i], 40 * (i + 1));
		assert_int_equal(allocs[i], 4);
		assert_int_equal(h.moments_ns[i], 1000 + 400 * (i + 1) - (i == N - 1));
		assert_int_equal(history_cohort(&h, 1000 + 400 * i), i);
		assert_int_equal(history_cohort(&h, 1000 + 400 * i + 399), i);
	}
	history_deinit(&h);
}

/* Live bytes at each moment, computed from the events themselves. */
static void test_live_bytes_are_exact_at_each_moment(void **state)
{
	enum { EVENTS = 5000 };
	static uint64_t times[EVENTS], bytes[EVENTS];
	uint64_t rng = 42;

	(void)state;
	for (int round = 0; round < 4; round++) {
		const bool known = round & 1, disordered = round & 2;
		uint64_t live[N] = {0}, allocs[N] = {0}, now = 123456789, cohorts[N] = {0};
		struct history h;

		for (int i = 0; i < EVENTS; i++) {
			rng = rng * 6364136223846793005ull + 1442695040888963407ull;
			now += rng >> 45;
			times[i] = now;
			/* several buckets before its turn, also before all others */
			if (disordered && i % 7 == 1)
				times[i] -= rng >> 39;
			bytes[i] = (rng >> 20 & 1) ? rng >> 50 : -(rng >> 52);
		}
		history_init(&h, known ? times[0] : 0, known ? now : 0);
		for (int i = 0; i < EVENTS; i++)
			take(&h, 0, times[i], bytes[i], 1);
		history_finish(&h, now);
		history_sum(&h, 0, live, allocs);
		for (int m = 0; m < N; m++) {
			uint64_t want = 0;

			for (int i = 0; i < EVENTS; i++)
				if (times[i] < h.moments_ns[m] || m == N - 1)
					want += bytes[i];
			assert_int_equal(live[m], want);
			assert_true(!m || h.moments_ns[m] >= h.moments_ns[m - 1]);
		}
		for (int i = 0; i < EVENTS; i++)
			cohorts[history_cohort(&h, times[i])]++;
		assert_memory_equal(cohorts, allocs, sizeof(allocs));
		assert_int_equal(h.moments_ns[N - 1], now);
		history_deinit(&h);
	}
}

static void test_moments_are_even_when_the_end_was_not_known(void **state)
{
	struct history h;
	uint64_t length = 10000000000, start = 77;

	(void)state;
	history_init(&h, 0, 0);
	for (uint64_t i = 0; i <= 1000; i++)
		take(&h, 0, start + length / 1000 * i, 1, 1);
	history_finish(&h, start + length);
	for (uint64_t i = 0; i < N; i++) {
		uint64_t want = start + length * (i + 1) / N;
		uint64_t off =
			h.moments_ns[i] > want ? h.moments_ns[i] - want : want - h.moments_ns[i];

		assert_true(off <= length / 32);
	}
	history_deinit(&h);
}

/* Within the current bucket as well as before it. */
static void test_a_forgotten_row_is_empty(void **state)
{
	uint64_t live[N] = {0}, allocs[N] = {0}, none[N] = {0};
	struct history h;

	(void)state;
	history_init(&h, 100, 6500);
	take(&h, 0, 150, 64, 1);
	take(&h, 0, 6400, 32, 1);
	history_forget(&h, 0);
	history_finish(&h, 6500);
	history_sum(&h, 0, live, allocs);
	assert_memory_equal(live, none, sizeof(none));
	assert_memory_equal(allocs, none, sizeof(none));
	history_deinit(&h);
}

static void test_a_row_added_to_another_takes_along_all_its_changes(void **state)
{
	uint64_t live[N] = {0}, allocs[N] = {0};
	struct history h;

	(void)state;
	history_init(&h, 100, 6500);
	take(&h, 0, 150, 64, 1);
	take(&h, 1, 150, 8, 1);
	take(&h, 1, 6400, 32, 1);
	history_add_row(&h, 0, 1);
	history_forget(&h, 1);
	history_finish(&h, 6500);
	history_sum(&h, 0, live, allocs);
	assert_int_equal(live[0], 72);
	assert_int_equal(live[N - 1], 104);
	assert_int_equal(allocs[0], 2);
	assert_int_equal(allocs[N - 1], 1);
	history_deinit(&h);
}

static void test_what_is_taken_back_was_never_there(void **state)
{
	uint64_t live[N] = {0}, allocs[N] = {0};
	struct history h;

	(void)state;
	history_init(&h, 100, 6500);
	take(&h, 0, 150, 64, 1);
	take(&h, 0, 3000, 64, 1);
	history_add(&h, 0, 150, -(uint64_t)64, (uint32_t)-1);
	history_finish(&h, 6500);
	history_sum(&h, 0, live, allocs);
	assert_int_equal(live[0], 0);
	assert_int_equal(allocs[0], 0);
	assert_int_equal(live[N - 1], 64);
	history_deinit(&h);
}

static void test_a_span_may_be_wrong(void **state)
{
	uint64_t live[N] = {0}, allocs[N] = {0};
	struct history h;

	(void)state;
	/* events before it and far after it, and the end of time */
	history_init(&h, 1000000, 1000100);
	take(&h, 0, 5, 1, 1);
	take(&h, 0, 1000050, 1, 1);
	take(&h, 0, 900000000000, 1, 1);
	take(&h, 0, UINT64_MAX - 1, 1, 1);
	history_finish(&h, UINT64_MAX - 1);
	history_sum(&h, 0, live, allocs);
	assert_int_equal(live[N - 1], 4);
	assert_int_equal(live[0], 3);
	history_deinit(&h);
	/* no event at all */
	history_init(&h, 0, 0);
	history_finish(&h, 0);
	history_sum(&h, 0, live, allocs);
	assert_int_equal(live[N - 1], 4);
	history_deinit(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_known_span_is_cut_into_sixteenths),
		cmocka_unit_test(test_live_bytes_are_exact_at_each_moment),
		cmocka_unit_test(test_moments_are_even_when_the_end_was_not_known),
		cmocka_unit_test(test_a_forgotten_row_is_empty),
		cmocka_unit_test(test_a_row_added_to_another_takes_along_all_its_changes),
		cmocka_unit_test(test_what_is_taken_back_was_never_there),
		cmocka_unit_test(test_a_span_may_be_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
