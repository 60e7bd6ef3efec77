// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/table/stat_table.h"

static void test_rows_by_keys(void **state)
{
	static const enum kmem_key by[] = {KEY_ORDER, KEY_GFP};
	struct kmem_event ev = {.kind = KMEM_PAGE_ALLOC, .order = 3, .gfp_flags = 0xcc0, .page = 1};
	struct stat_table t;
	uint32_t first, second;

	(void)state;
	stat_table_init(&t, by, 2);
	first = stat_table_row(&t, &ev);
	ev.page = 2; /* not grouped by */
	assert_int_equal(stat_table_row(&t, &ev), first);
	ev.gfp_flags = UINT32_MAX;
	second = stat_table_row(&t, &ev);
	assert_int_not_equal(second, first);
	assert_int_equal(stat_table_keys(&t, second)[0], 3);
	assert_true(stat_table_keys(&t, second)[1] == UINT32_MAX);
	assert_int_equal(t.rows.nr, 2);
	stat_table_deinit(&t);
}

/* More combinations than STAT_CACHED, in turn, so that the remembered row is often the wrong
 * one. */
static void test_rows_of_many_combinations(void **state)
{
	static const enum kmem_key by[] = {KEY_CALLSITE, KEY_ORDER, KEY_MIGRATETYPE};
	struct stat_table t;

	(void)state;
	stat_table_init(&t, by, 3);
	for (int turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < 4 * STAT_CACHED; i++) {
			struct kmem_event ev = {.kind = KMEM_PAGE_ALLOC,
						.call_site = i / 16,
						.order = i % 16,
						.migratetype = -(int32_t)(i % 4)};
			uint32_t row = stat_table_row(&t, &ev);

			assert_int_equal(row, i);
			assert_int_equal(stat_table_keys(&t, row)[0], i / 16);
			assert_int_equal((int64_t)stat_table_keys(&t, row)[2], -(int64_t)(i % 4));
		}
	}
	stat_table_deinit(&t);
}

static void test_rows_stay_where_they_are(void **state)
{
	static const enum kmem_key by[] = {KEY_PTR};
	struct stat_table t;

	(void)state;
	stat_table_init(&t, by, 1);
	for (uint64_t i = 0; i < 5000; i++) {
		struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC, .ptr = i * 64};

		assert_int_equal(stat_table_row(&t, &ev), i);
		stat_counts_add(stat_table_counts(&t, (uint32_t)i), i, 2 * i, 1);
	}
	for (uint64_t i = 0; i < 5000; i++) {
		const struct stat_counts *c = stat_table_counts(&t, (uint32_t)i);

		assert_int_equal(c->hits, 1);
		assert_int_equal(c->bytes_req, i);
		assert_int_equal(c->bytes_alloc, 2 * i);
	}
	stat_table_deinit(&t);
}

static void test_counts_are_taken_back(void **state)
{
	struct stat_counts c = {0};

	(void)state;
	stat_counts_add(&c, 3ull << 32, 4ull << 32, 1); /* more than 32 bits */
	stat_counts_add(&c, 3ull << 32, 4ull << 32, 1);
	stat_counts_add(&c, 3ull << 32, 4ull << 32, -1);
	assert_int_equal(c.hits, 1);
	assert_true(c.bytes_req == 3ull << 32);
	assert_true(c.bytes_alloc == 4ull << 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_by_keys),
		cmocka_unit_test(test_rows_of_many_combinations),
		cmocka_unit_test(test_rows_stay_where_they_are),
		cmocka_unit_test(test_counts_are_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
