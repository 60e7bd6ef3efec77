// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/record/pace.h"

#define LARGE (64ULL << 20)
#define SMALL (1ULL << 20)

static void test_a_level_that_keeps_up_stays(void **state)
{
	struct pace p = {22, 22};

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct pace_step step = pace_next(&p, LARGE / 4, LARGE, false);

		assert_int_equal(step.level, 22);
		assert_false(step.urgent);
	}
}

static void test_one_that_does_not_goes_down_and_stays_there(void **state)
{
	static const int levels[] = {11, 5, 2, 1, 1};
	struct pace p = {22, 22};

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		assert_int_equal(pace_next(&p, LARGE / 3, LARGE, false).level, levels[i]);
	assert_int_equal(pace_next(&p, 0, LARGE, false).level, 1);
	assert_int_equal(p.asked, 22);
}

/* Only level 1 is ever urgent, whatever was requested. */
static void test_urgent_when_a_buffer_is_half_full(void **state)
{
	struct pace p = {22, 22};
	struct pace_step step = pace_next(&p, LARGE * 2 / 3, LARGE, false);

	(void)state;
	assert_int_equal(step.level, 1);
	assert_true(step.urgent);
	assert_false(pace_next(&p, 0, LARGE, false).urgent);
	p = (struct pace){3, 3};
	assert_false(pace_next(&p, 0, SMALL, false).urgent);
	p = (struct pace){1, 1};
	assert_true(pace_next(&p, 0, SMALL, false).urgent);
}

static void test_a_signal_hurries_but_is_no_fault_of_the_level(void **state)
{
	struct pace p = {19, 19};

	(void)state;
	assert_int_equal(pace_next(&p, 0, LARGE, true).level, 1);
	assert_int_equal(p.level, 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_level_that_keeps_up_stays),
		cmocka_unit_test(test_one_that_does_not_goes_down_and_stays_there),
		cmocka_unit_test(test_urgent_when_a_buffer_is_half_full),
		cmocka_unit_test(test_a_signal_hurries_but_is_no_fault_of_the_level),
	};

	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
