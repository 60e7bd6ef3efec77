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

#include "util/report/cell.h"

static struct strbuf sb;

static int setup(void **state)
{
	(void)state;
	strbuf_init(&sb);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	strbuf_deinit(&sb);
	return 0;
}

static void duration(uint64_t ns, const char *want)
{
	strbuf_reset(&sb);
	cell_add_duration(&sb, ns);
	assert_string_equal(sb.buf, want);
}

static void test_durations_have_three_digits_and_a_unit(void **state)
{
	(void)state;
	duration(0, "0 ns");
	duration(999, "999 ns");
	duration(1000, "1.00 us");
	duration(12345, "12.3 us");
	duration(123456, "123 us");
	duration(1000000, "1.00 ms");
	duration(49999999, "50.0 ms");
	duration(1500000000, "1.50 s");
	duration(86400ull * 1000000000, "86400 s");
}

static void test_digits_are_grouped_as_the_options_say(void **state)
{
	struct report_options o = {.thousands_sep = ","};

	(void)state;
	cell_add_grouped(&sb, &o, 1234567);
	assert_string_equal(sb.buf, "1,234,567");
	strbuf_reset(&sb);
	o.thousands_sep = "";
	cell_add_bytes(&sb, &o, 1234567);
	assert_string_equal(sb.buf, "1234567");
	strbuf_reset(&sb);
	o.human = true;
	cell_add_bytes(&sb, &o, 1234567);
	assert_string_equal(sb.buf, "1.2 MiB");
}

/* The plain and the readable cell of a column. */
static void check(const char *column, const struct row_view *row, const char *text,
		  const char *plain)
{
	const struct report_options o = {.thousands_sep = ",", .human = true};
	const struct kmem_analysis *a = NULL;

	strbuf_reset(&sb);
	cell_text(&sb, a, &o, column_find(column, strlen(column)), row);
	assert_string_equal(sb.buf, text);
	strbuf_reset(&sb);
	cell_plain(&sb, a, column_find(column, strlen(column)), row);
	assert_string_equal(sb.buf, plain);
}

static void test_programs_get_plain_numbers(void **state)
{
	const struct stat_counts counts = {.hits = 12345,
					   .bytes_alloc = 1048576,
					   .bytes_req = 786432,
					   .lifetime_ns = 3000000,
					   .freed_hits = 2};
	const struct row_view row = {.counts = &counts};

	(void)state;
	check("hit", &row, "12,345", "12345");
	check("bytes", &row, "1.0 MiB", "1048576");
	check("frag", &row, "25.000%", "25.000");
	check("lifetime", &row, "1.50 ms", "1500000");
	check("p50", &row, "0 ns", "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_durations_have_three_digits_and_a_unit, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_digits_are_grouped_as_the_options_say, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_programs_get_plain_numbers, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
