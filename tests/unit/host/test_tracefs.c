// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/host/tracefs.h"

static const char format[] =
	"name: kmalloc\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n"
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"call_site=%pS field:call_site2;\", (void *)REC->call_site\n";

static void test_field(void **state)
{
	uint32_t offset = 1, size = 2;

	(void)state;
	assert_true(tracefs_format_field(format, "call_site", &offset, &size));
	assert_int_equal(offset, 8);
	assert_int_equal(size, 8);
	assert_true(tracefs_format_field(format, "ptr", &offset, &size));
	assert_int_equal(offset, 16);
	assert_true(tracefs_format_field(format, "name", &offset, &size));
	assert_int_equal(size, 4);
	assert_false(tracefs_format_field(format, "site", &offset, &size));
	assert_false(tracefs_format_field(format, "call", &offset, &size));
	assert_false(tracefs_format_field("", "call_site", &offset, &size));
	assert_false(tracefs_format_field("\tfield:", "x", &offset, &size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
