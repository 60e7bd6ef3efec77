// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

static void test_seen(void **state)
{
	char many[256] = "";
	uint64_t seen = 0;
	size_t len;

	(void)state;
	assert_true(word_list_note(NULL, "a", &seen));
	assert_false(word_list_note("a,bc,d", "x", &seen));
	assert_true(word_list_note("a,bc,d", "a", &seen));
	assert_string_equal(word_list_unseen("a,bc,d", seen, &len), "bc,d");
	assert_int_equal(len, 2);
	assert_true(word_list_note("a,bc,d", "d", &seen));
	assert_true(word_list_note("a,bc,d", "bc", &seen));
	assert_null(word_list_unseen("a,bc,d", seen, &len));
	assert_null(word_list_unseen(NULL, 0, &len));
	assert_string_equal(word_list_unseen("", 0, &len), "");
	assert_int_equal(len, 0);
	/* the same word twice; more words than bits */
	seen = 0;
	assert_true(word_list_note("a,a", "a", &seen));
	assert_null(word_list_unseen("a,a", seen, &len));
	for (int i = 0; i < 70; i++)
		memcpy(many + 2 * i, "a,b", sizeof("a,b"));
	seen = 0;
	assert_true(word_list_note(many, "b", &seen));
	assert_int_equal(seen, 0);
	assert_true(word_list_note(many, "a", &seen));
	assert_null(word_list_unseen(many, seen, &len));
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
		cmocka_unit_test(test_seen),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
