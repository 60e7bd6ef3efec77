// SPDX-License-Identifier: GPL-2.0-or-later
/* Trends of made series: what is a leak, and what only goes up and down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/series/trend.h"

#define NR	  64
#define MINUTE_NS UINT64_C(60000000000)

/* A repeatable number in [0, most). */
static int64_t noise(uint64_t i, int64_t most)
{
	uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 32;
	return (int64_t)(x % (uint64_t)most);
}

static int64_t leak(uint64_t i)
{
	return 1000000 + (int64_t)i * 60000;
}

static int64_t leak_amid_bursts(uint64_t i)
{
	return leak(i) + (noise(i, 3) ? noise(i, 5000000) : 0);
}

static int64_t only_noise(uint64_t i)
{
	return 1000000 + noise(i, 5000000);
}

static int64_t sawtooth(uint64_t i)
{
	return 1000000 + (int64_t)(i % 20) * 100000;
}

static int64_t step(uint64_t i)
{
	return i < 30 ? 1000000 : 9000000;
}

static int64_t plateau(uint64_t i)
{
	return (i < 12 ? (int64_t)i * 500000 : 6000000) + noise(i, 100000);
}

static int64_t decreasing(uint64_t i)
{
	return 9000000 - (int64_t)i * 60000;
}

static int64_t constant(uint64_t i)
{
	(void)i;
	return 4096;
}

static int64_t extremes(uint64_t i)
{
	return i < NR / 2 ? INT64_MIN : INT64_MAX;
}

static struct trend trend_of(int64_t (*fn)(uint64_t i), size_t nr)
{
	int64_t values[NR];
	uint64_t times[NR];
	struct trend t;

	for (size_t i = 0; i < nr; i++) {
		values[i] = fn(i);
		times[i] = 5 * MINUTE_NS + i * MINUTE_NS;
	}
	trend_init(&t, values, times, nr);
	return t;
}

static void test_a_leak_is_steady(void **state)
{
	struct trend t = trend_of(leak, NR);

	(void)state;
	assert_int_equal(t.nr, TREND_SPANS);
	assert_int_equal(t.rises, TREND_SPANS - 1);
	assert_true(trend_steadiness(&t) > 99.9);
	assert_true(trend_is_steady(&t));
	assert_true(t.per_hour > 3599999 && t.per_hour < 3600001);
	assert_int_equal(t.first, 1000000);
	assert_int_equal(t.last, leak(NR - 1));
	assert_int_equal(t.risen, 60 * 60000);
}

static void test_a_leak_is_steady_below_bursts(void **state)
{
	struct trend t = trend_of(leak_amid_bursts, NR), pure = trend_of(leak, NR);

	(void)state;
	assert_true(trend_is_steady(&t));
	assert_true(t.per_hour > 2500000 && t.per_hour < 5000000);
	assert_true(trend_correlation(&t, &pure) > 0.7);
}

static void test_others_are_not(void **state)
{
	static const struct {
		int64_t (*fn)(uint64_t i);
		unsigned int most_rises;
	} others[] = {{only_noise, 6}, {sawtooth, 6}, {step, 1},    {plateau, 8},
		      {decreasing, 0}, {constant, 0}, {extremes, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct trend t = trend_of(others[i].fn, NR);

		assert_false(trend_is_steady(&t));
		assert_true(t.rises <= others[i].most_rises);
	}
	assert_true(trend_of(decreasing, NR).per_hour < -3599999);
	assert_int_equal(trend_of(extremes, NR).risen, INT64_MAX);
}

static void test_few_values(void **state)
{
	(void)state;
	for (size_t nr = 1; nr < 2 * TREND_SPANS_MIN; nr++) {
		struct trend t = trend_of(leak, nr);

		assert_int_equal(t.nr, nr / 2);
		assert_false(trend_is_steady(&t));
		assert_int_equal(t.last, leak(nr - 1));
	}
	assert_true(trend_of(leak, 2).per_hour == 0);
	assert_true(trend_steadiness(&(struct trend){.nr = 1}) == 0);
}

static void test_a_gap_is_no_span(void **state)
{
	const int64_t values[] = {10, 20, 30, 40, 50, 60, 70, 80};
	const uint64_t times[] = {0, 1, 2, 3, 1000, 1001, 1002, 1003};
	struct trend t;

	(void)state;
	trend_init(&t, values, times, 8);
	assert_int_equal(t.nr, 2);
	assert_int_equal(t.lowest[0], 10);
	assert_int_equal(t.lowest[1], 50);
	assert_int_equal(t.rises, 1);
}

static void test_correlation(void **state)
{
	struct trend up = trend_of(leak, NR), down = trend_of(decreasing, NR);
	struct trend flat = trend_of(constant, NR);

	(void)state;
	assert_true(trend_correlation(&up, &up) > 0.999);
	assert_true(trend_correlation(&up, &down) < -0.999);
	assert_true(trend_correlation(&up, &flat) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_leak_is_steady),
		cmocka_unit_test(test_a_leak_is_steady_below_bursts),
		cmocka_unit_test(test_others_are_not),
		cmocka_unit_test(test_few_values),
		cmocka_unit_test(test_a_gap_is_no_span),
		cmocka_unit_test(test_correlation),
	};

	return cmocka_run_group_tests_name("trend", tests, NULL, NULL);
}
