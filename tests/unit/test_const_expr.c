// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/tracepoint/const_expr.h"
#include "util/tracepoint/pageblock.h"

static uint64_t value_of(const char *text)
{
	const char *p = text, *end = text + strlen(text);
	uint64_t v = 0;

	assert_int_equal(const_expr_read(&p, end, &v), 0);
	assert_ptr_equal(p, end);
	return v;
}

static void test_operators(void **state)
{
	(void)state;
	assert_int_equal(value_of("1 + 2 * 3"), 7);
	assert_int_equal(value_of("(1 + 2) * 3"), 9);
	assert_int_equal(value_of("20 - 5 - 3"), 12);
	assert_int_equal(value_of("1 | 2 ^ 3 & 6"), 1 | (2 ^ (3 & 6)));
	assert_int_equal(value_of("1UL << 4 >> 2"), 4);
	assert_int_equal(value_of("7 / 2 + 7 % 2"), 4);
	assert_int_equal(value_of("3 < 4 && 4 <= 4 && !(5 > 6) && 6 >= 6"), 1);
	assert_int_equal(value_of("1 == 2 || 1 != 2"), 1);
	assert_int_equal(value_of("-1 < 1"), 1);
	assert_int_equal(value_of("~0ULL == -1"), 1);
	assert_int_equal(value_of("( gfp_t)((((1UL))) << (10))|0x40u "), 0x440);
	assert_int_equal(value_of("1 << 64"), 0);
}

static void test_branches(void **state)
{
	(void)state;
	assert_int_equal(value_of("9 < 10 ? 9 : 10"), 9);
	assert_int_equal(value_of("0 ? 1 : 0 ? 2 : 3"), 3);
	assert_int_equal(value_of("1 ? 5 : some_variable"), 5);
	assert_int_equal(value_of("0 ? 1 / 0 : 6"), 6);
	assert_int_equal(value_of("__builtin_choose_expr(f(a, {b, c}) == 1, 4 + 4, ({ x; })) + 1"),
			 9);
}

static void test_no_value(void **state)
{
	static const char *const bad[] = {"",
					  "name",
					  "1 + name",
					  "name ? 1 : 1",
					  "1 / 0",
					  "1 % 0",
					  "1 ? name : 1",
					  "1 ? 2",
					  "(1",
					  "-",
					  "__builtin_choose_expr(1",
					  "__builtin_choose_expr(1, 2 3)",
					  "+ ~ !",
					  "unsigned"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *p = bad[i];
		uint64_t v;

		assert_int_equal(const_expr_read(&p, bad[i] + strlen(bad[i]), &v), -EINVAL);
	}
}

static void test_deep(void **state)
{
	char text[10000];
	const char *p = text;
	uint64_t v;

	(void)state;
	memset(text, '(', sizeof(text));
	assert_int_equal(const_expr_read(&p, text + sizeof(text), &v), -EINVAL);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "1?1:"[i % 4];
	p = text;
	assert_int_equal(const_expr_read(&p, text + sizeof(text), &v), -EINVAL);
}

static void test_stops_before_the_rest(void **state)
{
	static const char text[] = "(2 + 1), REC->next";
	const char *p = text;
	uint64_t v;

	(void)state;
	assert_int_equal(const_expr_read(&p, text + sizeof(text) - 1, &v), 0);
	assert_int_equal(v, 3);
	assert_string_equal(p, ", REC->next");
}

#define PAGEBLOCK(expression)                                                                      \
	pageblock_order_parse("REC->fallback_order, 1, REC->fallback_order < " expression          \
			      ", REC->change_ownership",                                           \
			      sizeof("REC->fallback_order, 1, REC->fallback_order < " expression   \
				     ", REC->change_ownership") -                                  \
				      1)

static void test_pageblock_order(void **state)
{
	(void)state;
	/* 6.18: min() is a ternary; 5.10: a difference; 6.1: min_t() with its type check */
	assert_int_equal(PAGEBLOCK("(((unsigned int)((21 - 12))) < ((unsigned int)(10)) ? "
				   "((unsigned int)((21 - 12))) : ((unsigned int)(10)))"),
			 9);
	assert_int_equal(PAGEBLOCK("(11 - 1)"), 10);
	assert_int_equal(PAGEBLOCK("((((12) - 3) * (4 - (2)) + 3) - 12)"), 9);
	assert_int_equal(
		PAGEBLOCK("__builtin_choose_expr(((!!(sizeof((typeof((unsigned int)(9)) *)1 == "
			  "(typeof((unsigned int)(10)) *)1))) && (sizeof(int) == sizeof(*(8 ? "
			  "((void *)((long)(9) * 0l)) : (int *)8)))), (((unsigned int)(9)) < "
			  "((unsigned int)(10)) ? ((unsigned int)(9)) : ((unsigned int)(10))), ({ "
			  "unsigned int a = (9); unsigned int b = (10); a < b ? a : b; }))"),
		9);
	/* a variable, or nonsense */
	assert_int_equal(PAGEBLOCK("pageblock_order"), PAGEBLOCK_ORDER_UNKNOWN);
	assert_int_equal(PAGEBLOCK("4000"), PAGEBLOCK_ORDER_UNKNOWN);
	assert_int_equal(PAGEBLOCK("0"), PAGEBLOCK_ORDER_UNKNOWN);
	assert_int_equal(pageblock_order_parse("REC->fallback_order", 19), PAGEBLOCK_ORDER_UNKNOWN);
	assert_int_equal(pageblock_order_parse("", 0), PAGEBLOCK_ORDER_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_stops_before_the_rest),
		cmocka_unit_test(test_pageblock_order),
	};

	return cmocka_run_group_tests_name("const_expr", tests, NULL, NULL);
}
