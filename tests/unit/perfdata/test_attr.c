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

#include "util/perfdata/attr.h"

static void put_u32(uint8_t *p, uint32_t v, bool swap)
{
	v = swap ? __builtin_bswap32(v) : v;
	memcpy(p, &v, sizeof(v));
}

static void put_u64(uint8_t *p, uint64_t v, bool swap)
{
	v = swap ? __builtin_bswap64(v) : v;
	memcpy(p, &v, sizeof(v));
}

/* offsets of struct perf_event_attr */
enum { TYPE = 0, SIZE = 4, CONFIG = 8, PERIOD = 16, SAMPLE_TYPE = 24, READ = 32, FLAGS = 40 };
enum { BRANCH = 72, REGS_USER = 80, REGS_INTR = 96 };

static void fill(uint8_t *p, uint32_t size, bool swap)
{
	memset(p, 0, 256);
	put_u32(p + TYPE, 2, swap);
	put_u32(p + SIZE, size, swap);
	put_u64(p + CONFIG, 0x292, swap);
	put_u64(p + PERIOD, 1, swap);
	put_u64(p + SAMPLE_TYPE, 0x10587, swap);
	put_u64(p + READ, 4, swap);
	put_u64(p + BRANCH, 11, swap);
	put_u64(p + REGS_USER, 12, swap);
	put_u64(p + REGS_INTR, 13, swap);
}

static void test_sizes(void **state)
{
	static const uint32_t sizes[] = {0, 64, 72, 80, 96, 104, 112, 120, 128, 136, 200};
	uint8_t data[256];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t real = sizes[i] ? sizes[i] : ATTR_SIZE_VER0;
		struct bytes b = bytes_make(data, sizeof(data), false);
		struct event_attr a;

		fill(data, sizes[i], false);
		assert_int_equal(attr_parse(&b, 0, false, &a, NULL), 0);
		assert_int_equal(b.pos - data, real);
		assert_int_equal(a.type, 2);
		assert_int_equal(a.config, 0x292);
		assert_int_equal(a.sample_type, 0x10587);
		assert_int_equal(a.branch_sample_type, real >= 80 ? 11 : 0);
		assert_int_equal(a.sample_regs_user, real >= 88 ? 12 : 0);
		assert_int_equal(a.sample_regs_intr, real >= 104 ? 13 : 0);
		/* in a table of attrs the stride determines the next one */
		b = bytes_make(data, sizeof(data), false);
		assert_int_equal(attr_parse(&b, 208, false, &a, NULL), 0);
		assert_int_equal(b.pos - data, 208);
	}
}

static void test_byte_order(void **state)
{
	uint8_t data[256];
	struct bytes b = bytes_make(data, sizeof(data), true);
	struct event_attr a;

	(void)state;
	fill(data, 112, true);
	/* a big-endian compiler puts the first bit field first: bit n of ours is bit 63 - n */
	put_u64(data + FLAGS, 1ull << (63 - ATTR_SAMPLE_ID_ALL), true);
	assert_int_equal(attr_parse(&b, 0, true, &a, NULL), 0);
	assert_int_equal(a.config, 0x292);
	assert_int_equal(a.flags, 1u << ATTR_SAMPLE_ID_ALL);
	assert_true(attr_flag(&a, ATTR_SAMPLE_ID_ALL));
}

static void test_bad(void **state)
{
	static const struct {
		uint32_t size;
		uint64_t stride;
		size_t left;
	} cases[] = {
		{63, 0, 256},	{8, 0, 256},	      {112, 104, 256}, {112, 0, 111},
		{64, 128, 127}, {UINT32_MAX, 0, 256}, {0, 0, 63},      {112, 0, 7},
	};
	uint8_t data[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = bytes_make(data, cases[i].left, false);
		struct error err = ERROR_INIT;
		struct event_attr a;

		fill(data, cases[i].size, false);
		assert_int_equal(attr_parse(&b, cases[i].stride, false, &a, &err), -EINVAL);
		assert_int_not_equal(err.msg[0], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_byte_order),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
