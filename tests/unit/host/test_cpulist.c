// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/host/cpulist.h"

static void test_lists(void **state)
{
	struct cpulist l = CPULIST_INIT;

	(void)state;
	assert_int_equal(cpulist_parse(&l, "8,0-3,2-4\n", NULL), 0);
	assert_int_equal(l.nr, 6);
	for (int i = 0; i < 5; i++)
		assert_int_equal(l.cpus[i], i);
	assert_int_equal(l.cpus[5], 8);
	assert_true(cpulist_has(&l, 8));
	assert_false(cpulist_has(&l, 5));
	cpulist_deinit(&l);

	assert_int_equal(cpulist_parse(&l, "\n", NULL), 0);
	assert_int_equal(l.nr, 0);
	cpulist_deinit(&l);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {"x",	 "1-",	  "-1",		 "3-1",	    "1,,2", "1,x",
					  "1;2", "70000", "99999999999", "0-70000", "1,"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cpulist l = CPULIST_INIT;

		assert_int_equal(cpulist_parse(&l, bad[i], NULL), -EINVAL);
		cpulist_deinit(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests_name("cpulist", tests, NULL, NULL);
}
