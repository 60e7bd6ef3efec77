// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/decode/windows.h"

static const struct source_span recorded = {100, 200};

static void test_none_is_the_whole_time(void **state)
{
	struct source_span s;

	(void)state;
	assert_true(windows_have(NULL, 0, 5));
	assert_false(windows_before(NULL, 0, UINT64_MAX));
	s = windows_clip(NULL, 0, recorded);
	assert_int_equal(s.start_ns, 100);
	assert_int_equal(s.stop_ns, 200);
	assert_int_equal(windows_length_ns(NULL, 0, recorded), 100);
}

static void test_both_ends_are_in(void **state)
{
	static const struct time_window v[] = {{150, 160}, {110, 120}};

	(void)state;
	assert_false(windows_have(v, 2, 109));
	assert_true(windows_have(v, 2, 110));
	assert_true(windows_have(v, 2, 120));
	assert_false(windows_have(v, 2, 121));
	assert_true(windows_have(v, 2, 160));
	assert_false(windows_before(v, 2, 160));
	assert_true(windows_before(v, 2, 161));
}

static void test_length_is_of_what_was_recorded(void **state)
{
	static const struct {
		struct time_window v[3];
		uint64_t start_ns, stop_ns, length_ns;
	} cases[] = {
		{{{150, 160}, {110, 120}, {110, 115}}, 110, 160, 20},
		{{{110, 130}, {120, 140}, {140, 150}}, 110, 150, 40},
		{{{0, 130}, {190, 900}, {300, 400}}, 100, 200, 40},
		{{{0, 50}, {300, 400}, {201, 900}}, 100, 100, 0},
		{{{0, UINT64_MAX}, {0, 0}, {150, UINT64_MAX}}, 100, 200, 100},
		{{{100, 100}, {200, 200}, {150, 150}}, 100, 200, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct source_span s = windows_clip(cases[i].v, 3, recorded);

		assert_int_equal(s.start_ns, cases[i].start_ns);
		assert_int_equal(s.stop_ns, cases[i].stop_ns);
		assert_int_equal(windows_length_ns(cases[i].v, 3, recorded), cases[i].length_ns);
	}
}

static void test_the_end_of_time(void **state)
{
	static const struct time_window all = {0, UINT64_MAX};
	const struct source_span s = {0, UINT64_MAX};

	(void)state;
	assert_int_equal(windows_length_ns(&all, 1, s), UINT64_MAX);
	assert_int_equal(windows_clip(&all, 1, s).stop_ns, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none_is_the_whole_time),
		cmocka_unit_test(test_both_ends_are_in),
		cmocka_unit_test(test_length_is_of_what_was_recorded),
		cmocka_unit_test(test_the_end_of_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
