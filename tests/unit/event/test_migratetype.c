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

#include "util/event/migratetype.h"

static const char *name_of(const char *release, const char *list, uint64_t number)
{
	struct source_facts r = {.osrelease = (char *)release, .migratetypes = (char *)list};
	struct migratetypes m;
	const char *name;

	migratetypes_init(&m, &r);
	name = migratetype_name(migratetype_of(&m, number));
	return name ? name : "-";
}

static void test_order_changed_in_4_4(void **state)
{
	(void)state;
	assert_string_equal(name_of("4.4.0", NULL, 0), "Unmovable");
	assert_string_equal(name_of("4.4.0", NULL, 1), "Movable");
	assert_string_equal(name_of("4.4.0", NULL, 2), "Reclaimable");
	assert_string_equal(name_of("6.18.44-fc", NULL, 3), "HighAtomic");
	assert_string_equal(name_of("4.3.9", NULL, 1), "Reclaimable");
	assert_string_equal(name_of("4.3.9", NULL, 2), "Movable");
	assert_string_equal(name_of("3.10.0-1160.el7", NULL, 3), "Reserve");
	/* an unknown kernel is taken for a new one */
	assert_string_equal(name_of(NULL, NULL, 1), "Movable");
	assert_string_equal(name_of("custom", NULL, 1), "Movable");
}

static void test_own_order_goes_first(void **state)
{
	static const char list[] = "Unmovable,Movable,Reclaimable,HighAtomic,Isolate";

	(void)state;
	assert_string_equal(name_of("4.3.0", list, 1), "Movable");
	/* a kernel without CMA */
	assert_string_equal(name_of("6.1.0", list, 4), "Isolate");
	assert_string_equal(name_of("6.1.0", NULL, 4), "CMA");
	assert_string_equal(name_of("6.1.0", "Unmovable Sticky", 1), "-");
}

/* They are keys of JSON objects, and columns of a table. */
static void test_no_two_numbers_have_one_name(void **state)
{
	static const char list[] = "Movable,Movable,Unmovable,,Movable Unmovable,CMA,X,X,X,X,X";

	(void)state;
	assert_string_equal(name_of("6.1.0", list, 0), "Movable");
	assert_string_equal(name_of("6.1.0", list, 2), "Unmovable");
	assert_string_equal(name_of("6.1.0", list, 5), "CMA");
	for (uint64_t number = 0; number < 12; number++)
		if (number != 0 && number != 2 && number != 5)
			assert_string_equal(name_of("6.1.0", list, number), "-");
}

static void test_unknown_numbers_have_no_name(void **state)
{
	(void)state;
	assert_string_equal(name_of("6.1.0", NULL, 6), "-");
	assert_string_equal(name_of("6.1.0", NULL, UINT64_MAX), "-");
	assert_null(migratetype_short_name(MIGRATETYPE_NR));
	for (int t = 0; t < MIGRATETYPE_NR; t++)
		assert_true(strlen(migratetype_short_name((enum migratetype)t)) <= 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_changed_in_4_4),
		cmocka_unit_test(test_own_order_goes_first),
		cmocka_unit_test(test_no_two_numbers_have_one_name),
		cmocka_unit_test(test_unknown_numbers_have_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
