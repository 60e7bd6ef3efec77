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

#include "util/table/lifetime.h"

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

/* 64 lifetimes of 200 ms used to have a 99th percentile of 193 ms, the middle of their bucket. */
static void test_percentiles_stay_within_what_was_seen(void **state)
{
	(void)state;
	for (int i = 0; i < 64; i++)
		lifetime_histogram_add(&h, 200000000);
	assert_int_equal(lifetime_histogram_percentile(&h, 50), 200000000);
	assert_int_equal(lifetime_histogram_percentile(&h, 99), 200000000);
	lifetime_histogram_add(&h, 15);
	assert_int_equal(lifetime_histogram_percentile(&h, 1), 15);
	within(lifetime_histogram_percentile(&h, 99), 200000000);
	for (uint64_t ns = 1; ns < 1ull << 44; ns = ns * 9 / 8 + 1)
		for (int i = 0; i <= 100; i++) {
			uint64_t v;

			setup(NULL);
			lifetime_histogram_add(&h, ns);
			lifetime_histogram_add(&h, ns + ns / 16);
			v = lifetime_histogram_percentile(&h, i);
			assert_true(v >= ns && v <= ns + ns / 16);
		}
}

/* Half a bucket, as stated in the manual. */
static void test_the_error_is_what_the_manual_says(void **state)
{
	(void)state;
	for (uint64_t ns = 1; ns < 1ull << 41; ns = ns * 33 / 32 + 1) {
		double v, error;

		setup(NULL);
		lifetime_histogram_add(&h, 0);
		for (int i = 0; i < 9; i++)
			lifetime_histogram_add(&h, ns);
		lifetime_histogram_add(&h, UINT64_MAX);
		v = (double)lifetime_histogram_percentile(&h, 50);
		error = (v - (double)ns) / (double)ns;
		assert_true(error <= 0.0625 && error >= -0.0625);
	}
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
	assert_true(lifetime_histogram_percentile(&h, 100) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_percentile_is_right_within_a_step, setup),
		cmocka_unit_test_setup(test_percentiles_part_the_objects, setup),
		cmocka_unit_test_setup(test_percentiles_stay_within_what_was_seen, setup),
		cmocka_unit_test_setup(test_the_error_is_what_the_manual_says, setup),
		cmocka_unit_test_setup(test_an_empty_histogram_has_none, setup),
		cmocka_unit_test_setup(test_each_object_is_in_the_octave_of_its_age, setup),
		cmocka_unit_test_setup(test_octaves_add_up_with_the_longest_lives, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
