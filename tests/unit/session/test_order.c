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

#include "util/session/order.h"

struct sink {
	struct order_entry v[40000];
	size_t nr;
	int ret;
};

static int take(void *ctx, const struct order_entry *entries, size_t nr)
{
	struct sink *s = ctx;

	memcpy(&s->v[s->nr], entries, nr * sizeof(*entries));
	s->nr += nr;
	return s->ret;
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct sink));
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void test_ties_keep_file_order(void **state)
{
	static const uint64_t times[] = {5, 7, 7, 9, 5, 7, 8, 1, 7, 7};
	static const uint64_t want[] = {7, 0, 4, 1, 2, 5, 8, 9, 6, 3};
	struct sink *s = *state;
	struct order o;

	order_init(&o, 0, take, s);
	for (size_t i = 0; i < 10; i++)
		order_add(&o, times[i], i, 1);
	order_flush(&o);
	assert_int_equal(s->nr, 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(order_entry_pos(&s->v[i]), want[i]);
	order_deinit(&o);
}

/* Entries that only extend a run may be added without order_add(), with the same result. */
static void test_extending_a_run(void **state)
{
	struct sink *quick = calloc(1, sizeof(*quick)), *s = *state;
	struct order a, b;

	assert_non_null(quick);
	order_init(&a, 0, take, s);
	order_init(&b, 0, take, quick);
	srand(7);
	for (uint64_t i = 0, time_ns = 0; i < 30000; i++) {
		struct order_run_end end = order_run_end(&b);

		time_ns =
			rand() % 100 ? time_ns + (uint64_t)(rand() % 5) : (uint64_t)rand() % 60000;
		assert_int_equal(order_add(&a, time_ns, i, 3), 0);
		if (order_extend_run(&end, time_ns, i, 3))
			order_set_run_end(&b, &end);
		else
			assert_int_equal(order_add(&b, time_ns, i, 3), 0);
		if (i % 5000 == 4999) {
			order_round(&a);
			order_round(&b);
		}
	}
	assert_int_equal(a.nr_out_of_order, b.nr_out_of_order);
	assert_true(a.nr_out_of_order);
	order_flush(&a);
	order_flush(&b);
	assert_int_equal(s->nr, 30000);
	assert_int_equal(quick->nr, 30000);
	assert_memory_equal(s->v, quick->v, sizeof(s->v[0]) * s->nr);
	order_deinit(&a);
	order_deinit(&b);
	free(quick);
}

/* From position 2 on; no entry is below. */
static uint64_t min_pos(const struct order *o)
{
	uint64_t below = 98, from = 99;

	order_min_pos(o, 2, &below, &from);
	assert_int_equal(below, 98);
	return from;
}

static void test_rounds(void **state)
{
	struct sink *s = *state;
	struct order o;

	order_init(&o, 0, take, s);
	order_add(&o, 10, 0, 0);
	order_add(&o, 20, 1, 0);
	order_round(&o);
	assert_int_equal(s->nr, 0); /* the next round may have older ones */
	order_add(&o, 15, 2, 0);
	order_add(&o, 30, 3, 0);
	order_round(&o);
	assert_int_equal(s->nr, 3); /* up to 20 */
	assert_int_equal(order_entry_pos(&s->v[1]), 2);
	assert_int_equal(min_pos(&o), 3);
	order_round(&o);
	assert_int_equal(s->nr, 4); /* an empty round advances, too */
	order_add(&o, 12, 4, 0);    /* too late */
	assert_int_equal(o.nr_out_of_order, 1);
	order_flush(&o);
	assert_int_equal(s->nr, 5);
	assert_int_equal(min_pos(&o), 99);
	order_deinit(&o);
}

/* step: distance in time between entries, which determines the number of runs. */
static void put_in_order(struct sink *s, size_t nr, size_t step)
{
	struct order o;

	order_init(&o, 0, take, s);
	for (size_t i = 0; i < nr; i++)
		order_add(&o, 1000000 + i * step % nr / 4, i, (uint16_t)(i % 3));
	order_flush(&o);
	assert_int_equal(s->nr, nr);
	for (size_t i = 1; i < s->nr; i++) {
		assert_true(s->v[i - 1].time_ns <= s->v[i].time_ns);
		if (s->v[i - 1].time_ns == s->v[i].time_ns)
			assert_true(order_entry_pos(&s->v[i - 1]) < order_entry_pos(&s->v[i]));
		assert_int_equal(order_entry_tag(&s->v[i]), order_entry_pos(&s->v[i]) % 3);
	}
	order_deinit(&o);
}

static void test_many_runs(void **state)
{
	put_in_order(*state, 10000, 7919);
}

/* Enough entries for sorting by digits, and the same number of entries that are merged. */
static void test_many_entries_in_many_runs(void **state)
{
	put_in_order(*state, 40000, 7919);
}

static void test_many_entries_in_few_runs(void **state)
{
	put_in_order(*state, 40000, 3);
}

static void test_positions_and_tags_of_any_size(void **state)
{
	const uint64_t pos_max = (1ull << ORDER_POS_BITS) - 1;
	struct sink *s = *state;
	struct order o;

	order_init(&o, 0, take, s);
	order_add(&o, 1, pos_max, 0);
	order_add(&o, 2, 0, UINT16_MAX);
	order_add(&o, 3, pos_max - 1, UINT16_MAX - 1);
	order_flush(&o);
	assert_int_equal(s->nr, 3);
	assert_int_equal(order_entry_pos(&s->v[0]), pos_max);
	assert_int_equal(order_entry_tag(&s->v[0]), 0);
	assert_int_equal(order_entry_pos(&s->v[1]), 0);
	assert_int_equal(order_entry_tag(&s->v[1]), UINT16_MAX);
	assert_int_equal(order_entry_pos(&s->v[2]), pos_max - 1);
	assert_int_equal(order_entry_tag(&s->v[2]), UINT16_MAX - 1);
	order_deinit(&o);
}

static void test_sink_stops(void **state)
{
	struct sink *s = *state;
	struct order o;

	s->ret = -ENOMEM;
	order_init(&o, 0, take, s);
	order_add(&o, 1, 0, 0);
	assert_int_equal(order_flush(&o), -ENOMEM);
	order_deinit(&o);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ties_keep_file_order),
		TEST(test_extending_a_run),
		TEST(test_rounds),
		TEST(test_many_runs),
		TEST(test_many_entries_in_many_runs),
		TEST(test_many_entries_in_few_runs),
		TEST(test_positions_and_tags_of_any_size),
		TEST(test_sink_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
