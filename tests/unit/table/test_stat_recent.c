// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/table/stat_recent.h"

static void tick(struct recent_row *row, uint64_t hits, uint64_t bytes_alloc, uint64_t live_hits,
		 uint64_t live_bytes)
{
	recent_row_tick(row, &(struct recent_counts){hits, bytes_alloc, live_hits, live_bytes});
}

static void assert_recent(const struct recent_row *row, uint64_t hits, uint64_t bytes_alloc,
			  uint64_t freed_hits, uint64_t bytes_freed)
{
	assert_int_equal(row->shown.hits, hits);
	assert_int_equal(row->shown.bytes_alloc, bytes_alloc);
	assert_int_equal(row->shown.freed_hits, freed_hits);
	assert_int_equal(row->shown.bytes_freed, bytes_freed);
}

static void test_an_interval_is_what_came_since_the_tick_before(void **state)
{
	struct recent_row row = {.then = {0}};

	(void)state;
	tick(&row, 10, 1000, 4, 400);
	assert_recent(&row, 10, 1000, 6, 600);
	tick(&row, 12, 1300, 3, 300);
	assert_recent(&row, 2, 300, 3, 400);
	/* nothing but frees, which may be of a part */
	tick(&row, 12, 1300, 3, 250);
	assert_recent(&row, 0, 0, 0, 50);
	assert_int_equal(row.shown.idle, 0);
	tick(&row, 12, 1300, 3, 250);
	tick(&row, 12, 1300, 3, 250);
	assert_recent(&row, 0, 0, 0, 0);
	assert_int_equal(row.shown.idle, 2);
}

static void test_the_latest_moments_are_kept_oldest_first(void **state)
{
	struct recent_row row = {.then = {0}};

	(void)state;
	tick(&row, 1, 100, 1, 100);
	assert_int_equal(row.shown.live[RECENT_MOMENTS - 2], 0);
	assert_int_equal(row.shown.live[RECENT_MOMENTS - 1], 100);
	for (uint64_t i = 2; i <= RECENT_MOMENTS + 3; i++)
		tick(&row, i, 100 * i, i, 100 * i);
	for (unsigned int i = 0; i < RECENT_MOMENTS; i++)
		assert_int_equal(row.shown.live[i], 100 * (i + 4));
}

static void test_a_dropped_first_trace_is_no_negative_number(void **state)
{
	struct recent_row row = {.then = {0}};

	(void)state;
	tick(&row, 5, 5000, 5, 5000);
	tick(&row, 4, 4000, 4, 4000);
	assert_recent(&row, 0, 0, 0, 0);
	assert_int_equal(row.shown.live[RECENT_MOMENTS - 1], 4000);
}

static void test_live_objects_that_are_not_counted_are_no_negative_frees(void **state)
{
	struct recent_row row = {.then = {0}};

	(void)state;
	tick(&row, 0, 0, 5, 500); /* allocated outside of the time windows */
	assert_recent(&row, 0, 0, 0, 0);
	tick(&row, 0, 0, 3, 300);
	assert_recent(&row, 0, 0, 2, 200);
}

static void test_what_is_added_is_in_no_later_interval(void **state)
{
	struct recent_row to = {.then = {0}}, from = {.then = {0}};

	(void)state;
	tick(&to, 3, 300, 1, 100);
	tick(&from, 1, 100, 1, 100);
	tick(&to, 4, 400, 2, 200);
	tick(&from, 2, 200, 0, 0);
	recent_row_add(&to, &from);
	assert_recent(&to, 2, 200, 2, 200);
	assert_int_equal(to.shown.live[RECENT_MOMENTS - 2], 200);
	assert_int_equal(to.shown.live[RECENT_MOMENTS - 1], 200);
	/* the counts of both rows together */
	tick(&to, 4 + 2, 400 + 200, 2, 200);
	assert_recent(&to, 0, 0, 0, 0);
}

static void test_room_is_made_with_zeros(void **state)
{
	struct stat_recents r = {.nr = 0};

	(void)state;
	assert_int_equal(stat_recents_reserve(&r, 0), 0);
	assert_int_equal(stat_recents_reserve(&r, 3), 0);
	tick(&r.rows[2], 1, 1, 1, 1);
	assert_int_equal(stat_recents_reserve(&r, 100000), 0);
	assert_true(r.nr >= 100000);
	assert_int_equal(r.rows[2].then.hits, 1);
	assert_int_equal(r.rows[99999].then.hits, 0);
	stat_recents_deinit(&r);
}

/* Freed by other functions than those that allocate. */
static void test_frees_are_counted_where_live_is_unknown(void **state)
{
	struct recent_row row = {.then = {0}};

	(void)state;
	recent_row_tick(&row, &(struct recent_counts){
				      .hits = 10, .bytes_alloc = 1000, .live_unknown = true});
	assert_recent(&row, 10, 1000, 0, 0);
	recent_row_tick(&row, &(struct recent_counts){.hits = 10,
						      .bytes_alloc = 1000,
						      .live_unknown = true,
						      .freed_hits = 7});
	assert_recent(&row, 0, 0, 7, 0);
	assert_int_equal(row.shown.idle, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_interval_is_what_came_since_the_tick_before),
		cmocka_unit_test(test_the_latest_moments_are_kept_oldest_first),
		cmocka_unit_test(test_a_dropped_first_trace_is_no_negative_number),
		cmocka_unit_test(test_live_objects_that_are_not_counted_are_no_negative_frees),
		cmocka_unit_test(test_what_is_added_is_in_no_later_interval),
		cmocka_unit_test(test_frees_are_counted_where_live_is_unknown),
		cmocka_unit_test(test_room_is_made_with_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
