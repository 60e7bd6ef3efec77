// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/wide.h"

/* Products computed with Python. */
static const struct {
	uint64_t a, b, high, low;
} products[] = {
	{0, 0, 0, 0},
	{0, UINT64_MAX, 0, 0},
	{3, 5, 0, 15},
	{UINT32_MAX, UINT32_MAX, 0, UINT64_C(0xfffffffe00000001)},
	{UINT64_C(1) << 32, UINT64_C(1) << 32, 1, 0},
	{UINT64_C(1) << 63, 2, 1, 0},
	{UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, 1},
	{UINT64_MAX, UINT32_MAX, UINT64_C(0xfffffffe), UINT64_C(0xffffffff00000001)},
	{UINT64_C(0x123456789abcdef0), UINT64_C(0xfedcba9876543210), UINT64_C(0x121fa00ad77d7422),
	 UINT64_C(0x236d88fe5618cf00)},
};

static void test_product(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		wide p = wide_product(products[i].a, products[i].b);

		assert_int_equal(wide_high(p), products[i].high);
		assert_int_equal(wide_low(p), products[i].low);
	}
}

static void test_sum_carries_and_wraps(void **state)
{
	wide largest = wide_product(UINT64_MAX, UINT64_MAX), x;

	(void)state;
	x = wide_sum(wide_product(UINT64_MAX, 1), wide_product(1, 1));
	assert_int_equal(wide_high(x), 1);
	assert_int_equal(wide_low(x), 0);
	x = wide_sum(wide_sum(largest, largest), wide_product(1, 1));
	assert_int_equal(wide_high(x), UINT64_MAX - 3);
	assert_int_equal(wide_low(x), 3);
}

/* The functions for 32-bit machines and those of this machine give the same numbers. */
static void test_words_equal_the_number(void **state)
{
	uint64_t a = 1, b = UINT64_C(0x9e3779b97f4a7c15);
	wide sum = wide_product(0, 0);
	struct wide_words words = {0};

	(void)state;
	for (int i = 0; i < 100000; i++) {
		sum = wide_sum(sum, wide_product(a, b));
		words = wide_words_sum(words, wide_words_product(a, b));
		assert_int_equal(wide_high(sum), words.high);
		assert_int_equal(wide_low(sum), words.low);
		a = words.low ^ b;
		b = words.high * UINT64_C(0xd1342543de82ef95) + 1;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_product),
		cmocka_unit_test(test_sum_carries_and_wraps),
		cmocka_unit_test(test_words_equal_the_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
