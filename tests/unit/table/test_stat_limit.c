// SPDX-License-Identifier: GPL-2.0-or-later
/* A full table counts further allocations in rows of others; totals stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/label.h"
#include "util/table/stat_table.h"

static struct key_names names;
static struct stat_table table;
static struct stat_limit limit;
static uint64_t stored_bytes;

static int setup(void **state)
{
	static const enum kmem_key by[] = {KEY_CALLSITE, KEY_COMM, KEY_PID};

	(void)state;
	key_names_init(&names);
	assert_int_equal(stat_limit_init(&limit, &stored_bytes, 0, &names), 0);
	stat_table_init(&table, by, 3);
	table.limit = &limit;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	stat_table_deinit(&table);
	key_names_deinit(&names);
	return 0;
}

static uint32_t row_of(uint64_t callsite, uint32_t pid)
{
	const struct kmem_event ev = {
		.kind = KMEM_SLAB_ALLOC, .call_site = callsite, .comm = 7, .pid = pid};

	return stat_table_row(&table, &ev);
}

static void fill(void)
{
	uint32_t pid = 0;

	while (stat_limit_has_room(&limit, table.rows.nr, false))
		row_of(1, pid++);
}

static void a_full_table_keeps_its_rows(void **state)
{
	uint32_t nr;

	(void)state;
	fill();
	nr = table.rows.nr;
	assert_int_equal(row_of(1, 0), 0);
	assert_int_equal(table.rows.nr, nr);
	assert_false(limit.reached);
}

static void further_tasks_are_others(void **state)
{
	uint32_t row;

	(void)state;
	fill();
	row = row_of(1, 1u << 30);
	assert_true(limit.reached);
	assert_int_equal(row_of(1, 1u << 29), row);
	assert_int_equal(stat_table_keys(&table, row)[0], 1);
	assert_string_equal(
		intern_get(&names.strings, (uint32_t)stat_table_keys(&table, row)[1], NULL),
		LABEL_OTHERS);
	assert_int_equal(stat_table_keys(&table, row)[2], UINT64_MAX);
	/* the call site stays */
	assert_int_not_equal(row_of(2, 1u << 29), row);
}

static void a_larger_source_has_more_rows(void **state)
{
	(void)state;
	fill();
	stored_bytes = 1ull << 30;
	assert_true(stat_limit_has_room(&limit, table.rows.nr, false));
	assert_true(stat_limit_has_room(&limit, table.rows.nr, true));
	stored_bytes = 0;
	assert_false(stat_limit_has_room(&limit, table.rows.nr, true));
}

static void a_number_may_be_the_limit(void **state)
{
	(void)state;
	stored_bytes = UINT64_MAX;
	assert_int_equal(stat_limit_init(&limit, &stored_bytes, 100, &names), 0);
	for (uint32_t pid = 0; pid < 1000; pid++)
		row_of(1, pid);
	assert_int_equal(table.rows.nr, 101);
	assert_true(limit.reached);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_full_table_keeps_its_rows),
		TEST(further_tasks_are_others),
		TEST(a_larger_source_has_more_rows),
		TEST(a_number_may_be_the_limit),
	};

	return cmocka_run_group_tests_name("stat_limit", tests, NULL, NULL);
}
