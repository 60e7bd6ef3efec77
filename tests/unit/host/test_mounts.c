// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/host/mounts.h"

static void test_a_file_system_that_is_always_there(void **state)
{
	char path[PATH_MAX] = "";

	(void)state;
	assert_true(mounts_find("proc", NULL, "", path));
	assert_int_equal(path[0], '/');
	assert_true(mounts_find("proc", NULL, "/self", path));
	assert_string_equal(path + strlen(path) - 5, "/self");
}

static void test_none_leaves_the_path_alone(void **state)
{
	char path[PATH_MAX] = "before";

	(void)state;
	assert_false(mounts_find("nonesuchfs", NULL, "", path));
	assert_false(mounts_find("proc", "nonesuchoption", "", path));
	assert_string_equal(path, "before");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_system_that_is_always_there),
		cmocka_unit_test(test_none_leaves_the_path_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
