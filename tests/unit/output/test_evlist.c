// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/output/evlist.h"

static void assert_counts(const struct event_counts *c, uint64_t count, uint64_t lost,
			  uint64_t unwritten)
{
	assert_int_equal(c->count, count);
	assert_int_equal(c->lost, lost);
	assert_int_equal(c->unwritten, unwritten);
}

/* 60 samples in the first of two files, 3 more in the buffers, which the second one has. */
static void test_files_share_what_was_counted(void **state)
{
	struct evsel evsels[2] = {{.count = 70, .lost = 7}, {.count = 0}};
	struct evlist l = {evsels, 2};
	struct event_counts counts[2];

	(void)state;
	evlist_count_file(&l, (const uint64_t[]){60, 0}, false, false, counts);
	assert_counts(&counts[0], 67, 7, 0);
	assert_counts(&counts[1], 0, 0, 0);
	evlist_told(&l);
	evsels[0].count = 100;
	evsels[0].lost = 9;
	evsels[1].count = 5;
	evlist_count_file(&l, (const uint64_t[]){31, 4}, true, false, counts);
	assert_counts(&counts[0], 33, 2, 0);
	assert_counts(&counts[1], 5, 0, 0);
}

static void test_what_could_not_be_written(void **state)
{
	struct evsel evsel = {.count = 100, .lost = 10};
	struct evlist l = {&evsel, 1};
	struct event_counts counts;

	(void)state;
	evlist_count_file(&l, (const uint64_t[]){60}, true, true, &counts);
	assert_counts(&counts, 100, 10, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_share_what_was_counted),
		cmocka_unit_test(test_what_could_not_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
