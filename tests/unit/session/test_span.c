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

#include "util/session/span.h"

static void fill(struct span *sp, uint8_t first, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		sp->data[sp->len++] = (uint8_t)(first + i);
}

static uint8_t byte_at(struct spans *s, uint64_t pos)
{
	const struct span *sp = spans_at(s, pos);

	return sp->data[pos - sp->start];
}

static void test_positions(void **state)
{
	struct spans s = {0};
	struct span *sp;
	uint64_t next;

	(void)state;
	assert_int_equal(spans_add_heap(&s, 0, 20, &sp), 0);
	fill(sp, 0, 20);
	next = s.next_start;
	assert_int_equal(next, 24); /* records stay aligned */
	assert_int_equal(spans_add_heap(&s, next, 10, &sp), 0);
	fill(sp, 100, 10);
	assert_int_equal(byte_at(&s, 0), 0);
	assert_int_equal(byte_at(&s, next + 9), 109);
	assert_int_equal(byte_at(&s, 19), 19);
	assert_int_equal(byte_at(&s, next), 100);
	spans_deinit(&s);
}

/* The bytes of the last span from the new start on are copied. */
static void test_take_over(void **state)
{
	struct spans s = {0};
	struct span *sp;

	(void)state;
	spans_add_heap(&s, 0, 16, &sp);
	fill(sp, 0, 16);
	assert_int_equal(spans_add_heap(&s, 10, 32, &sp), 0);
	assert_int_equal(sp->len, 6);
	fill(sp, 16, 4);
	for (uint64_t pos = 0; pos < 20; pos++)
		assert_int_equal(byte_at(&s, pos), pos);
	spans_deinit(&s);
}

/* The same in the caller's memory: the old bytes come right before the new ones. */
static void test_block(void **state)
{
	uint8_t *memory = malloc(8 + 16), *second = malloc(8 + 16), *third = malloc(4 + 16);
	struct spans s = {0};
	struct span *sp;

	(void)state;
	assert_true(memory && second && third);
	assert_int_equal(spans_add_block(&s, 1000, memory, 8, 16, &sp), 0);
	assert_ptr_equal(sp->data, memory + 8);
	fill(sp, 0, 16);
	assert_int_equal(spans_add_block(&s, 1010, second, 8, 16, &sp), 0);
	assert_int_equal(sp->len, 6);
	assert_ptr_equal(sp->data + sp->len, second + 8);
	fill(sp, 16, 16);
	for (uint64_t pos = 0; pos < 32; pos++)
		assert_int_equal(byte_at(&s, 1000 + pos), pos);
	assert_int_equal(s.heap_bytes, 2 * (8 + 16));
	/* more than fits before it */
	assert_int_equal(spans_add_block(&s, 1027, third, 4, 16, &sp), -EINVAL);
	free(third);
	spans_drop_before(&s, 1010);
	assert_int_equal(byte_at(&s, 1031), 31);
	assert_int_equal(s.heap_bytes, 8 + 16);
	spans_deinit(&s);
}

/* A dropped span's block is reused for the next one, unless its size differs. */
static void test_blocks_are_used_again(void **state)
{
	struct spans s = {0};
	struct span *sp;
	uint8_t *first, *second, *other;

	(void)state;
	first = spans_block(&s, 8 + 16);
	second = spans_block(&s, 8 + 16);
	assert_true(first && second && first != second);
	assert_int_equal(spans_add_block(&s, 0, first, 8, 16, &sp), 0);
	fill(sp, 0, 16);
	assert_int_equal(spans_add_block(&s, 16, second, 8, 16, &sp), 0);
	spans_drop_before(&s, 16);
	assert_int_equal(s.heap_bytes, 8 + 16);
	assert_ptr_equal(spans_block(&s, 8 + 16), first);
	free(first);
	assert_int_equal(spans_add_block(&s, 32, spans_block(&s, 8 + 16), 8, 16, &sp), 0);
	spans_drop_before(&s, 32);
	other = spans_block(&s, 4096);
	assert_non_null(other);
	other[4095] = 1;
	free(other);
	spans_deinit(&s);
}

static void test_drop(void **state)
{
	struct spans s = {0};
	struct span *sp;

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		spans_add_heap(&s, i * 16, 16, &sp);
		fill(sp, (uint8_t)(16 * i), 16);
	}
	spans_drop_before(&s, 40);
	assert_int_equal(s.nr, 2);
	for (uint64_t pos = 40; pos < 64; pos++)
		assert_int_equal(byte_at(&s, pos), pos);
	/* the last one may still grow: it stays */
	spans_drop_before(&s, 1000);
	assert_int_equal(s.nr, 1);
	spans_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_positions), cmocka_unit_test(test_take_over),
		cmocka_unit_test(test_block),	  cmocka_unit_test(test_blocks_are_used_again),
		cmocka_unit_test(test_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
