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

/* ---- pageblock order ------------------------------------------------------------------------- */

/* In an event with this print fmt. */
static int order_in(const char *text)
{
	struct trace_format format = {"kmem", {text, strlen(text)}};
	const struct tracing_data td = {.formats = &format, .nr_formats = 1};

	return pageblock_order_of(&td);
}

#define ORDER(expression)                                                                          \
	order_in("REC->fallback_order, 1, REC->fallback_order < " expression                       \
		 ", REC->change_ownership")

static void test_pageblock_order_of_the_comparison(void **state)
{
	(void)state;
	/* 6.18: min() is a ternary; 5.10: a difference; 6.1: min_t() with its type check */
	assert_int_equal(ORDER("(((unsigned int)((21 - 12))) < ((unsigned int)(10)) ? "
			       "((unsigned int)((21 - 12))) : ((unsigned int)(10)))"),
			 9);
	assert_int_equal(ORDER("(11 - 1)"), 10);
	assert_int_equal(ORDER("((((12) - 3) * (4 - (2)) + 3) - 12)"), 9);
	assert_int_equal(
		ORDER("__builtin_choose_expr(((!!(sizeof((typeof((unsigned int)(9)) *)1 == "
		      "(typeof((unsigned int)(10)) *)1))) && (sizeof(int) == sizeof(*(8 ? "
		      "((void *)((long)(9) * 0l)) : (int *)8)))), (((unsigned int)(9)) < "
		      "((unsigned int)(10)) ? ((unsigned int)(9)) : ((unsigned int)(10))), ({ "
		      "unsigned int a = (9); unsigned int b = (10); a < b ? a : b; }))"),
		9);
	/* a variable, or nonsense */
	assert_int_equal(ORDER("pageblock_order"), PAGEBLOCK_ORDER_UNKNOWN);
	assert_int_equal(ORDER("4000"), PAGEBLOCK_ORDER_UNKNOWN);
	assert_int_equal(ORDER("0"), PAGEBLOCK_ORDER_UNKNOWN);
	assert_int_equal(order_in("REC->fallback_order"), PAGEBLOCK_ORDER_UNKNOWN);
	assert_int_equal(order_in(""), PAGEBLOCK_ORDER_UNKNOWN);
}

static void test_the_first_format_with_the_order_counts(void **state)
{
	static char kmalloc[] = "print fmt: REC->ptr", extfrag[] = "REC->fallback_order < 9",
		    other[] = "REC->fallback_order < 10";
	struct trace_format formats[] = {
		{"kmem", {kmalloc, sizeof(kmalloc) - 1}},
		{"kmem", {extfrag, sizeof(extfrag) - 1}},
		{"kmem", {other, sizeof(other) - 1}},
	};
	struct tracing_data td = {.formats = formats, .nr_formats = 3};

	(void)state;
	assert_int_equal(pageblock_order_of(&td), 9);
	td.nr_formats = 1;
	assert_int_equal(pageblock_order_of(&td), PAGEBLOCK_ORDER_UNKNOWN);
}

static void test_reasons_have_names(void **state)
{
	(void)state;
	for (int r = 0; r < MIGRATE_REASONS_NR; r++) {
		const char *name = migrate_reason_name((uint64_t)r);

		assert_int_equal(migrate_reason_find(name, strlen(name)), r);
	}
	assert_int_equal(migrate_reason_find("compaction ", 11), MIGRATE_REASON_OTHER);
	assert_int_equal(migrate_reason_find("", 0), MIGRATE_REASON_OTHER);
	assert_null(migrate_reason_name(MIGRATE_REASONS_NR));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_changed_in_4_4),
		cmocka_unit_test(test_own_order_goes_first),
		cmocka_unit_test(test_no_two_numbers_have_one_name),
		cmocka_unit_test(test_unknown_numbers_have_no_name),
		cmocka_unit_test(test_pageblock_order_of_the_comparison),
		cmocka_unit_test(test_the_first_format_with_the_order_counts),
		cmocka_unit_test(test_reasons_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
