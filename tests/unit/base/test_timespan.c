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

#include "util/base/timespan.h"

static void test_spans(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t start, stop;
	} cases[] = {
		{"1,2", 0, 1000000000, 2000000000},
		{"1.5,", 0, 1500000000, UINT64_MAX},
		{",13", 0, 0, 13000000000},
		{",", 0, 0, UINT64_MAX},
		{"2,2", 0, 2000000000, 2000000000},
		{"0.000000001,0.1234567899", 0, 1, 123456789},
		{"4914.386366123,4914.386366124", 0, 4914386366123, 4914386366124},
		{"2,1", -ERANGE, 0, 0},
		{"1", -EINVAL, 0, 0},
		{"", -EINVAL, 0, 0},
		{"1,2,3", -EINVAL, 0, 0},
		{"1.,.5e", -EINVAL, 0, 0},
		{"1.,2", 0, 1000000000, 2000000000},
		{".5,", 0, 500000000, UINT64_MAX},
		{".,2", -EINVAL, 0, 0},
		{"a,2", -EINVAL, 0, 0},
		{"-1,2", -EINVAL, 0, 0},
		{"1e3,", -EINVAL, 0, 0},
		{" 1,2", -EINVAL, 0, 0},
		{"99999999999,", -ERANGE, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t start = 7, stop = 8;

		assert_int_equal(timespan_parse(cases[i].text, &start, &stop), cases[i].ret);
		/* written only on success */
		assert_true(start == (cases[i].ret ? 7 : cases[i].start));
		assert_true(stop == (cases[i].ret ? 8 : cases[i].stop));
	}
}

static void test_seconds(void **state)
{
	uint64_t ns = 7;

	(void)state;
	assert_int_equal(timespan_parse_length("", &ns), -EINVAL);
	assert_int_equal(timespan_parse_length("1,", &ns), -EINVAL);
	assert_int_equal(ns, 7);
	assert_int_equal(timespan_parse_length("0.25", &ns), 0);
	assert_int_equal(ns, 250000000);
}

static void test_lengths_have_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"3", 3000000000},	{"1s", 1000000000},
		{"1.5s", 1500000000},	{"500ms", 500000000},
		{"2.25us", 2250},	{"7ns", 7},
		{"10m", 600000000000},	{"2h", 7200000000000},
		{"1d", 86400000000000}, {"0", 0},
	};
	static const char *const bad[] = {"s", "1 s", "1x", "ms", "1s2", "-1s", "1.2.3"};
	uint64_t ns = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(timespan_parse_length(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(timespan_parse_length(bad[i], &ns), -EINVAL);
	assert_int_equal(timespan_parse_length("18000000000d", &ns), -ERANGE);
}

static void test_spans_as_text(void **state)
{
	static const struct {
		const char *text, *as;
	} cases[] = {
		{"1.5,2", "1.5,2"},
		{"01.500,2.0", "1.5,2"},
		{",3.000000001", ",3.000000001"},
		{"0.25,", "0.25,"},
		{",", ","},
	};
	uint64_t start, stop;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf sb = STRBUF_INIT;

		assert_int_equal(timespan_parse(cases[i].text, &start, &stop), 0);
		timespan_add(&sb, start, stop);
		assert_string_equal(sb.buf, cases[i].as);
		strbuf_deinit(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_spans_as_text),
		cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_lengths_have_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
