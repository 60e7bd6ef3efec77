// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/base/handoff.h"

#define NR_ITEMS 500000

struct item {
	uint64_t number;
	uint8_t rest[24];
};

/* A taker that checks the order, and that can fail at an item or be slow. */
struct taker {
	uint64_t seen, fail_at;
	unsigned int slow_us;
};

static int take(void *ctx, const void *items, size_t nr)
{
	const struct item *v = items;
	struct taker *t = ctx;

	if (!nr)
		return -EPROTO;
	for (size_t i = 0; i < nr; i++) {
		if (v[i].number != t->seen)
			return -EPROTO;
		if (t->fail_at && t->seen == t->fail_at)
			return -ENOSPC;
		t->seen++;
	}
	if (t->slow_us)
		usleep(t->slow_us);
	return 0;
}

static int add(struct handoff *h, uint64_t number)
{
	struct item *item = handoff_slot(h);

	*item = (struct item){.number = number};
	return handoff_add(h);
}

static void hand_all_over(bool threaded, unsigned int slow_us)
{
	struct taker t = {.slow_us = slow_us};
	struct handoff h;

	assert_int_equal(handoff_init(&h, sizeof(struct item), take, &t, threaded), 0);
	assert_int_equal(handoff_drain(&h), 0); /* nothing yet */
	assert_int_equal(t.seen, 0);
	for (uint64_t i = 0; i < NR_ITEMS; i++) {
		assert_int_equal(add(&h, i), 0);
		if (i == 5000) {
			assert_int_equal(handoff_drain(&h), 0);
			assert_int_equal(t.seen, i + 1);
		}
	}
	assert_int_equal(handoff_drain(&h), 0);
	assert_int_equal(t.seen, NR_ITEMS);
	handoff_deinit(&h);
}

static void test_all_in_order_at_once(void **state)
{
	(void)state;
	hand_all_over(false, 0);
}

static void test_all_in_order_on_a_thread(void **state)
{
	(void)state;
	hand_all_over(true, 0);
}

/* The maker has to wait for room. */
static void test_a_slow_taker(void **state)
{
	(void)state;
	hand_all_over(true, 100);
}

static void test_an_error_ends_it_and_comes_out(void **state)
{
	(void)state;
	for (int threaded = 0; threaded < 2; threaded++) {
		struct taker t = {.fail_at = 3000};
		struct handoff h;
		int ret = 0;

		assert_int_equal(handoff_init(&h, sizeof(struct item), take, &t, threaded), 0);
		for (uint64_t i = 0; i < NR_ITEMS && !ret; i++)
			ret = add(&h, i);
		assert_int_equal(ret, -ENOSPC);
		assert_int_equal(add(&h, 0), 0); /* it may go on, but nothing takes the item */
		assert_int_equal(handoff_drain(&h), -ENOSPC);
		assert_int_equal(t.seen, 3000);
		handoff_deinit(&h);
	}
}

/* An item that is not added does not exist. */
static void test_room_can_be_left(void **state)
{
	struct taker t = {0};
	struct handoff h;

	(void)state;
	assert_int_equal(handoff_init(&h, sizeof(struct item), take, &t, true), 0);
	((struct item *)handoff_slot(&h))->number = 77;
	add(&h, 0);
	((struct item *)handoff_slot(&h))->number = 77;
	assert_int_equal(handoff_drain(&h), 0);
	assert_int_equal(t.seen, 1);
	handoff_deinit(&h);
}

static void test_what_is_not_drained_ends_too(void **state)
{
	struct taker t = {0};
	struct handoff h;

	(void)state;
	assert_int_equal(handoff_init(&h, sizeof(struct item), take, &t, true), 0);
	for (uint64_t i = 0; i < 10000; i++)
		add(&h, i);
	handoff_deinit(&h);
}

/* Checks that truncated items, which have only their number, are in order and without gaps. */
static int take_numbers(void *ctx, const void *items, size_t nr)
{
	const uint64_t *v = items;
	struct taker *t = ctx;

	for (size_t i = 0; i < nr; i++)
		if (v[i] != t->seen++)
			return -EPROTO;
	return 0;
}

/* The maker still writes whole items, also at the last place of a batch. */
static void test_shortened_items(void **state)
{
	(void)state;
	for (int threaded = 0; threaded < 2; threaded++) {
		struct taker t = {0};
		struct handoff h;

		assert_int_equal(handoff_init(&h, sizeof(struct item), take_numbers, &t, threaded),
				 0);
		handoff_shorten(&h, sizeof(uint64_t));
		for (uint64_t i = 0; i < NR_ITEMS; i++) {
			struct item *item = handoff_slot(&h);

			memset(item, 0xff, sizeof(*item));
			item->number = i;
			assert_int_equal(handoff_add(&h), 0);
		}
		assert_int_equal(handoff_drain(&h), 0);
		assert_int_equal(t.seen, NR_ITEMS);
		handoff_deinit(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_in_order_at_once),
		cmocka_unit_test(test_all_in_order_on_a_thread),
		cmocka_unit_test(test_a_slow_taker),
		cmocka_unit_test(test_an_error_ends_it_and_comes_out),
		cmocka_unit_test(test_room_can_be_left),
		cmocka_unit_test(test_what_is_not_drained_ends_too),
		cmocka_unit_test(test_shortened_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
