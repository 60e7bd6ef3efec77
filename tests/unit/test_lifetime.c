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

#include "util/kmem/lifetime.h"

static struct lifetime_histogram h;

static int setup(void **state)
{
	(void)state;
	memset(&h, 0, sizeof(h));
	return 0;
}

static void within(uint64_t got, uint64_t want)
{
	assert_true(got >= want - want / LIFETIME_STEPS && got <= want + want / LIFETIME_STEPS);
}

static void test_a_percentile_is_right_within_a_step(void **state)
{
	(void)state;
	for (uint64_t ns = 1; ns < 1ull << 40; ns = ns * 5 / 4 + 1) {
		setup(NULL);
		lifetime_histogram_add(&h, ns);
		within(lifetime_histogram_percentile(&h, 50), ns);
		within(lifetime_histogram_percentile(&h, 99), ns);
	}
}

static void test_percentiles_part_the_objects(void **state)
{
	(void)state;
	for (int i = 0; i < 90; i++)
		lifetime_histogram_add(&h, 1000);
	for (int i = 0; i < 9; i++)
		lifetime_histogram_add(&h, 1000000);
	lifetime_histogram_add(&h, 1000000000);
	within(lifetime_histogram_percentile(&h, 50), 1000);
	within(lifetime_histogram_percentile(&h, 90), 1000);
	within(lifetime_histogram_percentile(&h, 91), 1000000);
	within(lifetime_histogram_percentile(&h, 99), 1000000);
	within(lifetime_histogram_percentile(&h, 99.5), 1000000000);
}

static void test_an_empty_histogram_has_none(void **state)
{
	(void)state;
	assert_int_equal(lifetime_histogram_percentile(&h, 50), 0);
	for (unsigned int octave = 0; octave < 64; octave++)
		assert_int_equal(lifetime_histogram_octave(&h, octave), 0);
}

static void test_each_object_is_in_the_octave_of_its_age(void **state)
{
	(void)state;
	for (unsigned int octave = 0; octave < LIFETIME_OCTAVES; octave++) {
		setup(NULL);
		lifetime_histogram_add(&h, 1ull << octave);
		lifetime_histogram_add(&h, (2ull << octave) - 1);
		assert_int_equal(lifetime_histogram_octave(&h, octave), 2);
		if (octave)
			assert_int_equal(lifetime_histogram_octave(&h, octave - 1), 0);
		assert_int_equal(lifetime_histogram_octave(&h, octave + 1), 0);
	}
}

static void test_octaves_add_up_with_the_longest_lives(void **state)
{
	uint64_t sum = 0;

	(void)state;
	lifetime_histogram_add(&h, 0);
	lifetime_histogram_add(&h, 1);
	lifetime_histogram_add(&h, 12345);
	lifetime_histogram_add(&h, UINT64_MAX);
	for (unsigned int octave = 0; octave < 64; octave++)
		sum += lifetime_histogram_octave(&h, octave);
	assert_int_equal(sum, 4);
	assert_true(lifetime_histogram_percentile(&h, 100) >= 1ull << 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_percentile_is_right_within_a_step, setup),
		cmocka_unit_test_setup(test_percentiles_part_the_objects, setup),
		cmocka_unit_test_setup(test_an_empty_histogram_has_none, setup),
		cmocka_unit_test_setup(test_each_object_is_in_the_octave_of_its_age, setup),
		cmocka_unit_test_setup(test_octaves_add_up_with_the_longest_lives, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
