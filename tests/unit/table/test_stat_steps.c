// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/table/stat_steps.h"
#include "util/table/timeline.h"

/* Steps of 10 ns. */
static struct stat_steps *new_steps(void)
{
	struct stat_steps *s = stat_steps_new(1000, 1000 + 9 * TIMELINE_STEPS);

	assert_non_null(s);
	assert_int_equal(s->width_ns, 10);
	return s;
}

static void check_row(const struct stat_steps *s, uint32_t row, const uint64_t *want, size_t nr)
{
	uint64_t numbers[64];

	assert_in_range(nr, 0, 64);
	assert_int_equal(stat_steps_nr(s, row) * STAT_STEP_NUMBERS, nr);
	stat_steps_get(s, row, numbers);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(numbers[i], want[i]);
}

/* Events of a row in one step are one entry; entries are in the order of time. */
static void test_entries_of_rows(void **state)
{
	static const uint64_t first[] = {0, 2, 30, 48, 4, 1, 7, 8}, third[] = {511, 1, 1, 1};
	struct stat_steps *s = new_steps();

	(void)state;
	stat_steps_count(s, 0, 1000, 10, 16, 1);
	stat_steps_count(s, 2, 1000 + 5119, 1, 1, 1);
	stat_steps_count(s, 0, 1049, 7, 8, 1);
	stat_steps_count(s, 0, 1009, 20, 32, 1); /* late */
	check_row(s, 0, first, 8);
	check_row(s, 1, NULL, 0);
	check_row(s, 2, third, 4);
	check_row(s, 5000, NULL, 0);
	stat_steps_free(s);
}

/* An event that is taken back leaves nothing of its figures. */
static void test_removal(void **state)
{
	static const uint64_t want[] = {1, 1, 3, 4, 2, 0, 0, 0, 9, 1, 1, 1};
	struct stat_steps *s = new_steps();

	(void)state;
	stat_steps_count(s, 0, 1010, 3, 4, 1);
	stat_steps_count(s, 0, 1020, 5, 8, 1);
	stat_steps_count(s, 0, 1090, 1, 1, 1);
	stat_steps_count(s, 0, 1020, 5, 8, -1);
	check_row(s, 0, want, 12);
	stat_steps_free(s);
}

static void test_sums_of_all_rows(void **state)
{
	static const uint64_t want[] = {0, 2, 3, 5, 3, 1, 1, 1};
	struct stat_steps *s = new_steps();
	uint64_t *sums;
	size_t nr;

	(void)state;
	stat_steps_count(s, 0, 1000, 1, 2, 1);
	stat_steps_count(s, 9, 1030, 1, 1, 1);
	stat_steps_count(s, 7, 1005, 2, 3, 1);
	sums = stat_steps_sums(s, &nr);
	assert_non_null(sums);
	assert_int_equal(nr, 8);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(sums[i], want[i]);
	free(sums);
	stat_steps_free(s);
}

/* Beyond the limit there is nothing rather than a part. */
static void test_limit(void **state)
{
	struct stat_steps *s = new_steps();

	(void)state;
	for (uint32_t i = 0; i <= STAT_STEPS_MAX + 1 && !s->is_lost; i++)
		stat_steps_count(s, i / TIMELINE_STEPS, 1000 + 10 * (i % TIMELINE_STEPS), 1, 1, 1);
	assert_true(s->is_lost);
	assert_int_equal(stat_steps_nr(s, 0), 0);
	stat_steps_count(s, 0, 1000, 1, 1, 1);
	assert_int_equal(stat_steps_nr(s, 0), 0);
	stat_steps_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_of_rows),
		cmocka_unit_test(test_removal),
		cmocka_unit_test(test_sums_of_all_rows),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
