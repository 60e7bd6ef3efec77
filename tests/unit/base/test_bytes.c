// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/bytes.h"

static const bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

/* The same bytes as a little-endian and as a big-endian recording. */
static void test_reads_in_the_byte_order_of_the_recording(void **state)
{
	static const uint8_t data[] = {1, 1, 2, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8};
	struct bytes le = bytes_make(data, sizeof(data), big_endian);
	struct bytes be = bytes_make(data, sizeof(data), !big_endian);

	(void)state;
	assert_int_equal(bytes_u8(&le), 1);
	assert_int_equal(bytes_u16(&le), 0x0201);
	assert_int_equal(bytes_u32(&le), 0x04030201);
	assert_true(bytes_u64(&le) == 0x0807060504030201);
	assert_int_equal(bytes_u8(&be), 1);
	assert_int_equal(bytes_u16(&be), 0x0102);
	assert_int_equal(bytes_u32(&be), 0x01020304);
	assert_true(bytes_u64(&be) == 0x0102030405060708);
	assert_int_equal(bytes_left(&le), 0);
	assert_false(le.failed || be.failed);
}

/* At every length, exactly those reads that fit succeed. */
static void test_a_read_that_does_not_fit_moves_nothing(void **state)
{
	static const uint8_t data[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	(void)state;
	for (size_t len = 0; len <= sizeof(data); len++) {
		struct bytes b = bytes_make(data, len, false);
		struct bytes c = b, d = b, e = b;

		assert_int_equal(bytes_u8(&b), len >= 1 ? 0xff : 0);
		assert_int_equal(b.failed, len < 1);
		assert_int_equal(bytes_u16(&c), len >= 2 ? 0xffff : 0);
		assert_int_equal(c.failed, len < 2);
		assert_int_equal(bytes_u32(&d), len >= 4 ? 0xffffffff : 0);
		assert_int_equal(d.failed, len < 4);
		assert_true(bytes_u64(&e) == (len >= 8 ? UINT64_MAX : 0));
		assert_int_equal(e.failed, len < 8);
		if (len < 8)
			assert_ptr_equal(e.pos, data);
	}
}

static void test_failure_sticks(void **state)
{
	static const uint8_t data[4] = {1, 2, 3, 4};
	struct bytes b = bytes_make(data, sizeof(data), false);

	(void)state;
	assert_int_equal(bytes_u64(&b), 0);
	assert_int_equal(bytes_u8(&b), 0);
	assert_null(bytes_take(&b, 0));
	assert_null(bytes_cstr(&b));
	assert_true(b.failed);
	assert_int_equal(bytes_left(&b), 4);
}

/* A length field of a hostile file must not make the pointer wrap. */
static void test_take_of_huge_lengths(void **state)
{
	static const uint8_t data[4];
	static const uint64_t lengths[] = {5, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct bytes b = bytes_make(data, sizeof(data), false);

		assert_null(bytes_take(&b, lengths[i]));
		assert_true(b.failed);
	}
}

static void test_sub_is_bounded_and_independent(void **state)
{
	static const uint8_t data[4] = {1, 2, 3, 4};
	struct bytes b = bytes_make(data, sizeof(data), !big_endian);
	struct bytes sub = bytes_sub(&b, 2);

	(void)state;
	assert_int_equal(bytes_u16(&sub), 0x0102);
	assert_int_equal(bytes_u8(&sub), 0);
	assert_true(sub.failed);
	assert_false(b.failed);
	assert_int_equal(bytes_u16(&b), 0x0304);

	sub = bytes_sub(&b, 1);
	assert_true(sub.failed && b.failed);
	assert_int_equal(bytes_left(&sub), 0);
}

static void test_strings_end_inside(void **state)
{
	static const char data[] = {'a', 'b', 0, 0, 'c', 'd'};
	struct bytes b = bytes_make(data, sizeof(data), false);

	(void)state;
	assert_string_equal(bytes_cstr(&b), "ab");
	assert_string_equal(bytes_cstr(&b), "");
	assert_null(bytes_cstr(&b));
	assert_true(b.failed);
}

static void test_no_bytes_at_all(void **state)
{
	struct bytes b = bytes_make(NULL, 100, false);

	(void)state;
	assert_int_equal(bytes_left(&b), 0);
	assert_null(bytes_cstr(&b));
	b = bytes_make("", 0, false);
	assert_non_null(bytes_take(&b, 0));
	assert_false(b.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_in_the_byte_order_of_the_recording),
		cmocka_unit_test(test_a_read_that_does_not_fit_moves_nothing),
		cmocka_unit_test(test_failure_sticks),
		cmocka_unit_test(test_take_of_huge_lengths),
		cmocka_unit_test(test_sub_is_bounded_and_independent),
		cmocka_unit_test(test_strings_end_inside),
		cmocka_unit_test(test_no_bytes_at_all),
	};

	return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
