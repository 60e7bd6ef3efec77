// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "util/base/units.h"

static void test_u64_takes_whole_numbers_only(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t value;
	} cases[] = {
		{"0", 0, 0},
		{"007", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999999999", -ERANGE, 0},
		{"0xffff", 0, 0xffff},
		{"0XFfffFFFFffffffff", 0, UINT64_MAX},
		{"0x10000000000000000", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"0x", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1.5", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"fe", -EINVAL, 0},
		{"0xg", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t v = 12345;

		assert_int_equal(units_parse_u64(cases[i].text, &v), cases[i].ret);
		assert_true(v == (cases[i].ret ? 12345 : cases[i].value));
	}
}

static void test_bounds_are_inclusive(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_int_equal(units_parse_u64_bounded("5", 5, 9, &v), 0);
	assert_int_equal(units_parse_u64_bounded("9", 5, 9, &v), 0);
	assert_int_equal(v, 9);
	assert_int_equal(units_parse_u64_bounded("4", 5, 9, &v), -ERANGE);
	assert_int_equal(units_parse_u64_bounded("10", 5, 9, &v), -ERANGE);
	assert_int_equal(v, 9);
}

static void test_sizes_have_one_suffix(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_int_equal(units_parse_size("512", &v), 0);
	assert_int_equal(v, 512);
	assert_int_equal(units_parse_size("64K", &v), 0);
	assert_int_equal(v, 65536);
	assert_int_equal(units_parse_size("3m", &v), 0);
	assert_int_equal(v, 3 << 20);
	assert_int_equal(units_parse_size("0x10b", &v), 0);
	assert_int_equal(v, 0x10b); /* here b is a digit */
	assert_int_equal(units_parse_size("10B", &v), 0);
	assert_int_equal(v, 10);
	assert_int_equal(units_parse_size("16777215T", &v), 0);
	assert_true(v == 16777215ull << 40);
	assert_int_equal(units_parse_size("16777216T", &v), -ERANGE);
	assert_int_equal(units_parse_size("K", &v), -EINVAL);
	assert_int_equal(units_parse_size("1KB", &v), 0);
	assert_int_equal(v, 1024);
	assert_int_equal(units_parse_size("2MiB", &v), 0);
	assert_int_equal(v, 2 << 20);
	assert_int_equal(units_parse_size("1BB", &v), -EINVAL);
	assert_int_equal(units_parse_size("1Ki", &v), -EINVAL);
	assert_int_equal(units_parse_size("1iB", &v), -EINVAL);
	assert_int_equal(units_parse_size("1MBs", &v), -EINVAL);
	assert_int_equal(units_parse_size("1q", &v), -EINVAL);
	assert_int_equal(units_parse_size("", &v), -EINVAL);
}

static void test_group(void **state)
{
	char buf[UNITS_BUF];

	(void)state;
	assert_string_equal(units_group(buf, sizeof(buf), 0, ","), "0");
	assert_string_equal(units_group(buf, sizeof(buf), 999, ","), "999");
	assert_string_equal(units_group(buf, sizeof(buf), 1000, ","), "1,000");
	assert_string_equal(units_group(buf, sizeof(buf), 1234567, ","), "1,234,567");
	assert_string_equal(units_group(buf, sizeof(buf), 1234567, ""), "1234567");
	assert_string_equal(units_group(buf, sizeof(buf), UINT64_MAX, "\xe2\x80\xaf"),
			    "18\xe2\x80\xaf"
			    "446\xe2\x80\xaf"
			    "744\xe2\x80\xaf"
			    "073\xe2\x80\xaf"
			    "709\xe2\x80\xaf"
			    "551\xe2\x80\xaf"
			    "615");
	for (size_t n = 1; n < 12; n++) {
		memset(buf, 'x', sizeof(buf));
		units_group(buf, n, 1234567, ",");
		assert_true(strlen(buf) < n);
		assert_int_equal(buf[n], 'x');
	}
}

static void test_bytes_round_to_the_next_unit(void **state)
{
	char buf[UNITS_BUF];

	(void)state;
	assert_string_equal(units_bytes(buf, sizeof(buf), 0), "0 B");
	assert_string_equal(units_bytes(buf, sizeof(buf), 1023), "1023 B");
	assert_string_equal(units_bytes(buf, sizeof(buf), 1024), "1.0 KiB");
	assert_string_equal(units_bytes(buf, sizeof(buf), 1258291), "1.2 MiB");
	assert_string_equal(units_bytes(buf, sizeof(buf), (1 << 20) - 1), "1.0 MiB");
	assert_string_equal(units_bytes(buf, sizeof(buf), 1ull << 30), "1.0 GiB");
	assert_string_equal(units_bytes(buf, sizeof(buf), UINT64_MAX), "16.0 EiB");
}

static void test_times_have_one_suffix(void **state)
{
	static const char *const bad[] = {"", "s", "5", "5x", "5 s", "-5s", "5ss", "5M", "1.5s"};
	uint64_t ns = 1;

	(void)state;
	assert_int_equal(units_parse_time("500ms", 0, &ns), 0);
	assert_true(ns == 500000000);
	assert_int_equal(units_parse_time("2h", 0, &ns), 0);
	assert_true(ns == 7200000000000);
	assert_int_equal(units_parse_time("7", 1000, &ns), 0);
	assert_true(ns == 7000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(units_parse_time(bad[i], 0, &ns), -EINVAL);
	assert_int_equal(units_parse_time("300000d", 0, &ns), -ERANGE);
	assert_true(ns == 7000);
}

static void test_rounding_stays_in_range(void **state)
{
	(void)state;
	assert_true(units_round(0.5) == 1);
	assert_true(units_round(2.4) == 2);
	assert_true(units_round(-7) == 0);
	assert_true(units_round(NAN) == 0);
	assert_true(units_round(0x1p63) == 1ull << 63);
	assert_true(units_round(0x1p64) == UINT64_MAX);
	assert_true(units_round(INFINITY) == UINT64_MAX);
}

static void duration(uint64_t ns, const char *want)
{
	char buf[UNITS_BUF];

	assert_string_equal(units_duration(buf, sizeof(buf), ns), want);
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
	duration(86400ull * 1000000000, "24.0 h");
	duration(119000000000, "119 s");
	duration(120000000000, "2.00 min");
	duration(6900000000000, "115 min");
}

static void test_dates_are_local_time(void **state)
{
	char buf[UNITS_BUF];

	(void)state;
	assert_int_equal(setenv("TZ", "XYZ-1:30", 1), 0);
	tzset();
	assert_string_equal(units_date(buf, sizeof(buf), UINT64_C(1767227400123456789)),
			    "2026-01-01 02:00:00 +0130");
	assert_string_equal(units_date(buf, sizeof(buf), 0), "");
	assert_string_equal(units_date(buf, 8, UINT64_C(1767227400123456789)), "");
	assert_int_equal(strlen(units_date(buf, sizeof(buf), UINT64_MAX)), 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations_have_three_digits_and_a_unit),
		cmocka_unit_test(test_u64_takes_whole_numbers_only),
		cmocka_unit_test(test_bounds_are_inclusive),
		cmocka_unit_test(test_sizes_have_one_suffix),
		cmocka_unit_test(test_times_have_one_suffix),
		cmocka_unit_test(test_rounding_stays_in_range),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_bytes_round_to_the_next_unit),
		cmocka_unit_test(test_dates_are_local_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
