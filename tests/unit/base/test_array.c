// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/base/array.h"

static void elements_stay_as_it_grows(void **state)
{
	size_t nr = 0, cap = 0, nr_moves = 0;
	uint64_t *array = NULL;

	(void)state;
	while (nr < 100000) {
		size_t before = cap;
		uint64_t *v = array_room(array, nr, &cap, sizeof(*v));

		assert_non_null(v);
		assert_true(nr < cap);
		nr_moves += cap != before;
		array = v;
		array[nr] = nr * nr;
		nr++;
	}
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(array[i], i * i);
	assert_true(cap < 2 * nr);
	assert_true(nr_moves < 20);
	free(array);
}

static void without_memory_it_is_as_it_was(void **state)
{
	size_t cap = SIZE_MAX / 2 + 1;
	char one;

	(void)state;
	assert_null(array_room(&one, cap, &cap, 1));
	assert_int_equal(cap, SIZE_MAX / 2 + 1);
	cap = SIZE_MAX / 8;
	assert_null(array_room(&one, cap, &cap, 8));
	assert_int_equal(cap, SIZE_MAX / 8);
	assert_ptr_equal(array_room(&one, 0, &cap, 8), &one);
}

static void equal_ones_count_as_at_most_that(void **state)
{
	const struct {
		uint64_t start;
		char more;
	} v[] = {{2, 0}, {5, 0}, {5, 0}, {9, 0}, {UINT64_MAX, 0}};
	const size_t size = sizeof(v[0]);

	(void)state;
	assert_int_equal(array_count_upto(v, 5, size, 0), 0);
	assert_int_equal(array_count_upto(v, 5, size, 2), 1);
	assert_int_equal(array_count_upto(v, 5, size, 4), 1);
	assert_int_equal(array_count_upto(v, 5, size, 5), 3);
	assert_int_equal(array_count_upto(v, 5, size, UINT64_MAX - 1), 4);
	assert_int_equal(array_count_upto(v, 5, size, UINT64_MAX), 5);
	assert_int_equal(array_count_upto(v, 1, size, 3), 1);
	assert_int_equal(array_count_upto(NULL, 0, size, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_stay_as_it_grows),
		cmocka_unit_test(without_memory_it_is_as_it_was),
		cmocka_unit_test(equal_ones_count_as_at_most_that),
	};

	return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
