// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/tracepoint/const_expr.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_no_value),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_stops_before_the_rest),
	};

	return cmocka_run_group_tests_name("const_expr", tests, NULL, NULL);
}
