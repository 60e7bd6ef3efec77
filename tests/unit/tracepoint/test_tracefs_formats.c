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
#include "util/tracepoint/event_format.h"
#include "util/tracepoint/tracefs_formats.h"

/* what: a command, and the file below dir that it is for. */
static void run(const char *what, const char *dir, const char *file)
{
	char command[128];

	snprintf(command, sizeof(command), "%s %s%s", what, dir, file);
	assert_int_equal(system(command), 0);
}

static void test_formats_and_sizes(void **state)
{
	static const struct fixture_options be32 = {
		.long_size = 4, .big_endian = true, .page_size = 65536};
	char dir[] = "/tmp/test_tracefs.XXXXXX";
	struct tracing_data td = {.long_size = 8, .page_size = 4096};
	struct error err = ERROR_INIT;
	struct tracefs fs;
	struct trace t;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(tracefs_at(&fs, dir, NULL), 0);
	assert_int_equal(tracefs_formats_read(&td, &fs, "kmem", &err), -ENOENT);
	assert_non_null(strstr(err.msg, dir));
	assert_int_equal(fixture_write_tracefs(&be32, dir), 0);
	assert_int_equal(tracefs_formats_read(&td, &fs, "kmem", &err), 0);
	assert_int_equal(td.long_size, 4);
	assert_int_equal(td.page_size, 65536);
	assert_int_equal(trace_init(&t, &td, &err), 0);
	tracing_data_deinit(&td);
	assert_string_equal(trace_event_name(trace_event(&t, 400)), "kmalloc");
	trace_deinit(&t);

	/* without header_page the caller's count */
	run("rm", dir, "/events/header_page");
	td = (struct tracing_data){.long_size = 8, .page_size = 4096};
	assert_int_equal(tracefs_formats_read(&td, &fs, "kmem", &err), 0);
	assert_int_equal(td.long_size, 8);
	assert_int_equal(td.page_size, 4096);
	tracing_data_deinit(&td);
	assert_int_equal(tracefs_formats_read(&td, &fs, "sched", &err), -ENOENT);
	run("rm -r", dir, "/events/kmem/*");
	assert_int_equal(tracefs_formats_read(&td, &fs, "kmem", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no event"));
	run("rm -r", dir, "");
}

static void test_header_page_has_the_size_of_a_long(void **state)
{
	(void)state;
	assert_int_equal(long_size_of_header_page(
				 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				 "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"),
			 4);
	assert_int_equal(long_size_of_header_page(
				 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"),
			 8);
	assert_int_equal(long_size_of_header_page(
				 "\tfield: local_t commit;\toffset:8;\tsize:3;\tsigned:1;\n"),
			 0);
	assert_int_equal(long_size_of_header_page(""), 0);
}

static void test_a_format_that_is_no_format(void **state)
{
	char dir[] = "/tmp/test_tracefs.XXXXXX";
	struct tracing_data td = {.long_size = 8, .page_size = 4096};
	struct error err = ERROR_INIT;
	struct tracefs fs;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(tracefs_at(&fs, dir, NULL), 0);
	run("mkdir -p", dir, "/events/kmem/kmalloc");
	assert_int_equal(tracefs_formats_read(&td, &fs, "kmem", &err), -ENOENT);
	run("truncate -s 2M", dir, "/events/kmem/kmalloc/format");
	assert_int_equal(tracefs_formats_read(&td, &fs, "kmem", &err), -EFBIG);
	run("rm -r", dir, "");
}

static void test_the_machines_name_tells_the_size_of_a_long(void **state)
{
	(void)state;
	assert_int_equal(long_size_of_arch("armv7l"), 4);
	assert_int_equal(long_size_of_arch("i686"), 4);
	assert_int_equal(long_size_of_arch("s390"), 4);
	assert_int_equal(long_size_of_arch("s390x"), 8);
	assert_int_equal(long_size_of_arch("riscv64"), 8);
	assert_int_equal(long_size_of_arch(NULL), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats_and_sizes),
		cmocka_unit_test(test_header_page_has_the_size_of_a_long),
		cmocka_unit_test(test_a_format_that_is_no_format),
		cmocka_unit_test(test_the_machines_name_tells_the_size_of_a_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
