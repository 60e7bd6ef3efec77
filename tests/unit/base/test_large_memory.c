// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/base/large_memory.h"

#define HUGE_PAGE ((size_t)2 << 20)

/* From less than a cache line to several huge pages: the content is kept. */
static void test_what_is_there_stays_as_it_grows(void **state)
{
	static const size_t sizes[] = {8,
				       64,
				       72,
				       4096,
				       HUGE_PAGE - 8,
				       HUGE_PAGE,
				       HUGE_PAGE + 8,
				       2 * HUGE_PAGE,
				       5 * HUGE_PAGE + 64};
	uint64_t *v = NULL;
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		v = large_memory_grow(v, nr * sizeof(*v), sizes[i]);
		assert_non_null(v);
		assert_int_equal((uintptr_t)v % 64, 0);
		for (size_t k = 0; k < nr; k++)
			assert_int_equal(v[k], k);
		for (; nr < sizes[i] / sizeof(*v); nr++)
			v[nr] = nr;
	}
	large_memory_free(v, nr * sizeof(*v));
}

static void test_zeroed(void **state)
{
	static const size_t sizes[] = {1, 64, 100000, HUGE_PAGE, 3 * HUGE_PAGE + 1};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t *v = large_memory_zeroed(sizes[i]);

		assert_non_null(v);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(v[k], 0);
		large_memory_free(v, sizes[i]);
	}
}

static void test_too_much(void **state)
{
	uint8_t *v = large_memory_grow(NULL, 0, 3 * HUGE_PAGE);

	(void)state;
	assert_non_null(v);
	v[0] = 7;
	assert_null(large_memory_grow(v, 3 * HUGE_PAGE, SIZE_MAX));
	assert_null(large_memory_grow(v, 3 * HUGE_PAGE, SIZE_MAX / 8 * 7));
	assert_null(large_memory_zeroed(SIZE_MAX / 8 * 7));
	assert_int_equal(v[0], 7);
	large_memory_free(v, 3 * HUGE_PAGE);
	large_memory_free(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_there_stays_as_it_grows),
		cmocka_unit_test(test_zeroed),
		cmocka_unit_test(test_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
