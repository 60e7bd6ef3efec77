// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/buddy/block_pages.h"

/* Counted page by page. */
static uint64_t count_runs(const bool *taken, unsigned int order, unsigned int run)
{
	uint64_t nr = 0;

	for (uint32_t first = 0; first < 1u << order; first += 1u << run) {
		bool any = false;

		for (uint32_t i = 0; i < 1u << run; i++)
			any |= taken[first + i];
		nr += !any;
	}
	return nr;
}

static void test_runs_of_every_order(void **state)
{
	static struct block_pages b;
	static bool used[1u << BLOCK_ORDER_MAX], fixed[1u << BLOCK_ORDER_MAX];

	(void)state;
	srand(1);
	for (unsigned int order = 1; order <= BLOCK_ORDER_MAX; order++)
		for (int round = 0; round < 20; round++) {
			struct block_runs runs = {{0}, {0}};
			uint32_t nr = 1u << order;

			memset(used, 0, sizeof(used));
			memset(fixed, 0, sizeof(fixed));
			block_pages_clear(&b, order);
			for (int i = 0; i < round; i++) {
				uint32_t first = (uint32_t)rand() % nr;
				uint32_t end = first + 1 + (uint32_t)rand() % (nr - first);
				bool is_fixed = rand() % 2;

				end = i % 3 ? first + 1 : end;
				block_pages_use(&b, first, end, is_fixed);
				memset(used + first, 1, end - first);
				if (is_fixed)
					memset(fixed + first, 1, end - first);
			}
			block_pages_count(&b, order, &runs);
			for (unsigned int run = 0; run <= order; run++) {
				assert_int_equal(runs.free[run], count_runs(used, order, run));
				assert_int_equal(runs.movable[run], count_runs(fixed, order, run));
			}
		}
}

static void test_counts_are_added(void **state)
{
	static struct block_pages b;
	struct block_runs runs = {{0}, {0}};

	(void)state;
	for (int i = 0; i < 3; i++) {
		block_pages_clear(&b, 3);
		block_pages_use(&b, 0, 1, false);
		block_pages_count(&b, 3, &runs);
	}
	assert_int_equal(runs.free[0], 21);
	assert_int_equal(runs.free[2], 3);
	assert_int_equal(runs.free[3], 0);
	assert_int_equal(runs.movable[3], 3);
	assert_int_equal(runs.movable[4], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_of_every_order),
		cmocka_unit_test(test_counts_are_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
