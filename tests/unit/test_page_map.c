// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/kmem/page_map.h"

struct taken {
	unsigned int calls;
	uint32_t pages[8]; /* by block */
};

static void take(void *ctx, uint32_t block, uint32_t pages)
{
	struct taken *t = ctx;

	t->calls++;
	t->pages[block] += pages;
}

static void test_pages_know_their_block(void **state)
{
	struct page_map m;
	struct taken t = {0};

	(void)state;
	page_map_init(&m);
	assert_int_equal(page_map_set(&m, 60, 8, 1, take, &t), 0); /* over a leaf's edge */
	assert_int_equal(page_map_set(&m, 68, 4, 2, take, &t), 0);
	assert_int_equal(t.calls, 0);
	/* one page before, all of 1, half of 2 */
	assert_int_equal(page_map_set(&m, 59, 11, 3, take, &t), 0);
	assert_int_equal(t.pages[1], 8);
	assert_int_equal(t.pages[2], 2);
	t = (struct taken){0};
	page_map_set(&m, 0, 1000, 0, take, &t);
	assert_int_equal(t.pages[3], 11);
	assert_int_equal(t.pages[2], 2);
	assert_int_equal(t.pages[1], 0);
	assert_int_equal(m.leaves.nr, 0);
	page_map_deinit(&m);
}

static void test_nothing_is_taken_twice(void **state)
{
	struct page_map m;
	struct taken t = {0};

	(void)state;
	page_map_init(&m);
	page_map_set(&m, 1ull << 40, 1, 1, take, &t);
	page_map_set(&m, 1ull << 40, 1, 0, take, &t);
	page_map_set(&m, 1ull << 40, 1, 0, take, &t);
	assert_int_equal(t.calls, 1);
	assert_int_equal(m.leaves.nr, 0);
	page_map_deinit(&m);
}

static void test_memory_follows_what_is_live(void **state)
{
	struct page_map m;
	struct taken t = {0};

	(void)state;
	page_map_init(&m);
	for (uint64_t pfn = 0; pfn < 64 * 1000; pfn += 64)
		page_map_set(&m, pfn, 64, 1, take, &t);
	assert_int_equal(m.leaves.nr, 1000);
	for (uint64_t pfn = 0; pfn < 64 * 1000; pfn++)
		if (pfn != 32000)
			page_map_set(&m, pfn, 1, 0, take, &t);
	assert_int_equal(m.leaves.nr, 1);
	assert_int_equal(t.pages[1], 64 * 1000 - 1);
	page_map_deinit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages_know_their_block),
		cmocka_unit_test(test_nothing_is_taken_twice),
		cmocka_unit_test(test_memory_follows_what_is_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
