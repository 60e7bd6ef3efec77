// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/word_list.h"

static void test_words(void **state)
{
	(void)state;
	assert_true(word_list_has(NULL, "a"));
	assert_true(word_list_has("a,bc", "a"));
	assert_true(word_list_has("a,bc", "bc"));
	assert_false(word_list_has("a,bc", "b"));
	assert_false(word_list_has("", "a"));
	assert_true(word_list_has_number("1,4294967295", UINT32_MAX));
	assert_false(word_list_has_number("12", 1));
}

static void test_numbers(void **state)
{
	static const char *const good[] = {"0", "1,2", "4294967295"};
	static const char *const bad[] = {"",	"x",   "1,", ",1",	   "1,,2",
					  "-1", "1 2", "07", "4294967296", "99999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(word_list_is_numbers(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(word_list_is_numbers(bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
