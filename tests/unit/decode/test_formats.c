// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/fixture/fixture.h"
#include "util/decode/formats.h"

static void test_events_that_need_none(void **state)
{
	const struct source_facts facts = {
		.page_size = 65536, .big_endian = true, .arch = (char *)"armv7l"};
	struct tracing_data formats;

	(void)state;
	assert_int_equal(formats_find(&formats, &facts, "/nonexistent", NULL), 0);
	assert_int_equal(formats.nr_formats, 0);
	assert_int_equal(formats.page_size, 65536);
	assert_int_equal(formats.long_size, 4);
	assert_true(formats.big_endian);
	tracing_data_deinit(&formats);
}

static void test_of_a_tracefs_that_is_named(void **state)
{
	static const struct fixture_options le64 = {.long_size = 8};
	const struct source_facts facts = {.osrelease = (char *)"0.1"};
	char dir[] = "/tmp/test_formats.XXXXXX", command[64];
	struct tracing_data formats;
	struct error err = ERROR_INIT;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(formats_find(&formats, &facts, dir, &err), -ENOENT);
	assert_non_null(strstr(err.msg, dir));
	assert_int_equal(fixture_write_tracefs(&le64, dir), 0);
	assert_int_equal(formats_find(&formats, &facts, dir, &err), 0);
	assert_true(formats.nr_formats > 0);
	tracing_data_deinit(&formats);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void test_another_kernel_s_are_not_at_hand(void **state)
{
	struct source_facts facts = {.path = (char *)"old.data",
				     .osrelease = (char *)"0.1",
				     .no_formats = "it has no feature 1"};
	struct tracing_data formats;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(formats_find(&formats, &facts, NULL, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "'old.data' holds no tracing data"));
	assert_non_null(strstr(err.msg, "it has no feature 1"));
	assert_non_null(strstr(err.msg, "--tracefs"));
	/* what is damaged is the better reason */
	err = (struct error)ERROR_INIT;
	strcpy(facts.damage.what, "it was never finished");
	facts.damage.first_pos = 0x1f8;
	assert_int_equal(formats_find(&formats, &facts, NULL, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "it was never finished at offset 0x1f8"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_that_need_none),
		cmocka_unit_test(test_of_a_tracefs_that_is_named),
		cmocka_unit_test(test_another_kernel_s_are_not_at_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
