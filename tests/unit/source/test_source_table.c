// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/source/source_table.h"

static const struct source_table_kind kind = {
	.id = "things",
	.title = "THINGS",
	.what = "Thing",
	.columns = {{"bytes", "Bytes", true}, {"areas", "Areas", false}},
	.nr_columns = 2,
};

static void add(struct source_table *t, const char *name, uint64_t bytes, uint64_t areas)
{
	const uint64_t v[] = {bytes, areas};

	assert_int_equal(source_table_add(t, name, strlen(name), v, 2), 0);
}

static void test_rows_of_one_name_add_up(void **state)
{
	struct source_table t;

	(void)state;
	source_table_init(&t, &kind);
	assert_int_equal(source_table_find(&t, "a"), INTERN_NONE);
	add(&t, "a", 100, 1);
	add(&t, "b", 5, 2);
	add(&t, "a", 11, 1);
	assert_int_equal(source_table_rows(&t), 2);
	assert_int_equal(source_table_find(&t, "b"), 1);
	assert_string_equal(source_table_name(&t, 0), "a");
	assert_int_equal(source_table_value(&t, 0, 0), 111);
	assert_int_equal(source_table_value(&t, 0, 1), 2);
	assert_int_equal(source_table_value(&t, 1, 1), 2);
	source_table_deinit(&t);
}

static void test_names_are_printable_and_bounded(void **state)
{
	char name[1000];
	struct source_table t;

	(void)state;
	memset(name, 'x', sizeof(name));
	name[0] = '\033';
	source_table_init(&t, &kind);
	assert_int_equal(source_table_add(&t, name, sizeof(name), NULL, 0), 0);
	assert_int_equal(strlen(source_table_name(&t, 0)), SOURCE_TABLE_NAME_MAX);
	assert_int_not_equal(source_table_name(&t, 0)[0], '\033');
	assert_int_equal(source_table_value(&t, 0, 0), 0);
	source_table_deinit(&t);
}

static void test_rows_are_bounded(void **state)
{
	struct source_table t;
	char name[32];

	(void)state;
	source_table_init(&t, &kind);
	for (int i = 0; i < SOURCE_TABLE_ROWS_MAX + 3; i++) {
		snprintf(name, sizeof(name), "%d", i);
		add(&t, name, (uint64_t)i, 1);
	}
	add(&t, "7", 100, 0); /* an old one has its place */
	assert_int_equal(source_table_rows(&t), SOURCE_TABLE_ROWS_MAX);
	assert_int_equal(t.nr_left_out, 3);
	assert_int_equal(source_table_value(&t, 7, 0), 107);
	source_table_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_of_one_name_add_up),
		cmocka_unit_test(test_names_are_printable_and_bounded),
		cmocka_unit_test(test_rows_are_bounded),
	};

	return cmocka_run_group_tests_name("source_table", tests, NULL, NULL);
}
