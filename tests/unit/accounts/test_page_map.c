// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/accounts/page_map.h"

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
	assert_int_equal(page_map_set(&m, 60, 8, 1, take, &t), 0); /* across a leaf's boundary */
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

#define MODEL_PAGES (1u << 14)
#define MODEL_SETS  4000

static uint32_t model_taken[MODEL_SETS + 2], map_taken[MODEL_SETS + 2];

static void note(void *ctx, uint32_t block, uint32_t pages)
{
	(void)ctx;
	map_taken[block] += pages;
}

/* Blocks of all orders, set and freed whole and in parts, compared with an array of pages. */
static void test_as_an_array_of_pages(void **state)
{
	static uint32_t model[MODEL_PAGES];
	uint64_t random = 88172645463325252ull;
	struct page_map m;

	(void)state;
	page_map_init(&m);
	for (uint32_t i = 1; i <= MODEL_SETS; i++) {
		uint64_t nr, pfn;
		uint32_t block;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		nr = 1ull << random % 13;
		pfn = random >> 8 & (MODEL_PAGES - 1) & ~(nr - 1);
		/* one in eight is not aligned, like what alloc_pages_exact() leaves */
		if (random >> 40 & 7)
			pfn = pfn + nr <= MODEL_PAGES ? pfn : 0;
		else
			pfn = (random >> 8) % (MODEL_PAGES - nr + 1);
		block = random >> 50 & 1 ? i : 0;
		assert_int_equal(page_map_set(&m, pfn, nr, block, note, NULL), 0);
		for (uint64_t page = pfn; page < pfn + nr; page++) {
			model_taken[model[page]] += model[page] != 0;
			model[page] = block;
		}
		assert_memory_equal(model_taken, map_taken, sizeof(model_taken));
	}
	page_map_set(&m, 0, MODEL_PAGES, 0, note, NULL);
	assert_int_equal(m.leaves.nr, 0);
	assert_int_equal(m.chunks.nr, 0);
	page_map_deinit(&m);
}

/* The largest blocks take little memory. */
static void test_large_blocks_are_small(void **state)
{
	struct taken t = {0};
	struct page_map m;

	(void)state;
	page_map_init(&m);
	for (uint64_t i = 0; i < 1000; i++)
		page_map_set(&m, i << 15, 1u << 15, 1, take, &t);
	assert_int_equal(m.leaves.nr, 0);
	assert_int_equal(m.chunks.nr, 64000);
	page_map_set(&m, 77, 1, 0, take, &t);
	assert_int_equal(t.pages[1], 1);
	assert_int_equal(m.leaves.nr, 8);
	page_map_deinit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages_know_their_block),
		cmocka_unit_test(test_nothing_is_taken_twice),
		cmocka_unit_test(test_as_an_array_of_pages),
		cmocka_unit_test(test_large_blocks_are_small),
		cmocka_unit_test(test_memory_follows_what_is_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
