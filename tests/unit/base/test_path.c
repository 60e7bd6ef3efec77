// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/path.h"

static void test_the_name_after_the_last_slash(void **state)
{
	(void)state;
	assert_string_equal(path_base("/usr/bin/perf"), "perf");
	assert_string_equal(path_base("//anon"), "anon");
	assert_string_equal(path_base("perf"), "perf");
	assert_string_equal(path_base(""), "");
}

static void test_a_path_that_ends_in_a_slash(void **state)
{
	(void)state;
	assert_string_equal(path_base("/usr/bin/"), "/usr/bin/");
	assert_string_equal(path_base("/"), "/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_name_after_the_last_slash),
		cmocka_unit_test(test_a_path_that_ends_in_a_slash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
