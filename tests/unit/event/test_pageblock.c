// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/migratetype.h"

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

static void test_of_the_comparison(void **state)
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

static void test_the_first_format_that_tells_counts(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_the_comparison),
		cmocka_unit_test(test_the_first_format_that_tells_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
