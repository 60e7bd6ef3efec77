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

#include "util/kmem/stat_table.h"

static void test_rows_by_keys(void **state)
{
	static const enum kmem_key by[] = {KEY_ORDER, KEY_GFP};
	struct alloc_facts facts = {.key = {[KEY_ORDER] = 3, [KEY_GFP] = 0xcc0, [KEY_PTR] = 1}};
	struct stat_table t;
	uint32_t first, second;

	(void)state;
	stat_table_init(&t, by, 2);
	first = stat_table_row(&t, &facts);
	facts.key[KEY_PTR] = 2; /* not grouped by */
	assert_int_equal(stat_table_row(&t, &facts), first);
	facts.key[KEY_GFP] = UINT64_MAX;
	second = stat_table_row(&t, &facts);
	assert_int_not_equal(second, first);
	assert_int_equal(stat_table_keys(&t, second)[0], 3);
	assert_true(stat_table_keys(&t, second)[1] == UINT64_MAX);
	assert_int_equal(t.rows.nr, 2);
	stat_table_deinit(&t);
}

static void test_rows_stay_where_they_are(void **state)
{
	static const enum kmem_key by[] = {KEY_PTR};
	struct stat_table t;

	(void)state;
	stat_table_init(&t, by, 1);
	for (uint64_t i = 0; i < 5000; i++) {
		struct alloc_facts facts = {.key = {[KEY_PTR] = i * 64}};

		assert_int_equal(stat_table_row(&t, &facts), i);
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
		cmocka_unit_test(test_rows_stay_where_they_are),
		cmocka_unit_test(test_counts_are_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
