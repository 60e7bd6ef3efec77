// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/usersym/runtimes.h"

static const char *name_of(const char *path)
{
	const size_t i = runtime_of_path(path);

	return i < NR_RUNTIMES ? runtimes[i].name : "";
}

static void test_files(void **state)
{
	(void)state;
	assert_string_equal(name_of("/usr/bin/node"), "Node.js");
	assert_string_equal(name_of("/usr/lib/jvm/java-17/lib/server/libjvm.so"), "Java");
	assert_string_equal(name_of("/usr/bin/python3.12"), "Python");
	assert_string_equal(name_of("/usr/lib/python3.12/lib-dynload/_socket.so"), "Python");
	assert_string_equal(name_of("/usr/lib/x86_64-linux-gnu/libpython3.12.so.1.0"), "Python");
}

static void test_other_files(void **state)
{
	(void)state;
	assert_string_equal(name_of("/usr/bin/nodepad"), "");
	assert_string_equal(name_of("/srv/node/server"), "");
	assert_string_equal(name_of("/srv/venv/lib/site-packages/shop.so"), "");
	assert_string_equal(name_of(""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
