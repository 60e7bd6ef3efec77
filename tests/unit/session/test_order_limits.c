// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/session/order.h"

struct seen {
	uint64_t last_ns, last_pos;
	size_t nr, backwards;
};

static int sink(void *ctx, const struct order_entry *entries, size_t nr)
{
	struct seen *seen = ctx;

	for (size_t i = 0; i < nr; i++) {
		if (entries[i].time_ns < seen->last_ns)
			seen->backwards++;
		else if (entries[i].time_ns == seen->last_ns)
			assert_true(order_entry_pos(&entries[i]) > seen->last_pos);
		seen->last_ns = entries[i].time_ns;
		seen->last_pos = order_entry_pos(&entries[i]);
		seen->nr++;
	}
	return 0;
}

static void test_rounds_overlap(void **state)
{
	struct seen seen = {0};
	struct order o;

	(void)state;
	order_init(&o, 0, sink, &seen);
	for (uint64_t round = 0; round < 50; round++) {
		for (uint64_t cpu = 0; cpu < 4; cpu++)
			for (uint64_t i = 0; i < 20; i++)
				order_add(&o, round * 20 + i + (cpu % 2 ? 10 : 0),
					  1 + round * 1000 + cpu * 100 + i, 0);
		assert_int_equal(order_round(&o), 0);
		assert_true(o.nr <= 160);
	}
	order_flush(&o);
	assert_int_equal(seen.nr, 4000);
	assert_int_equal(seen.backwards, 0);
	assert_int_equal(o.nr_out_of_order, 0);
	order_deinit(&o);
}

/* A window that does not fit loses its order in places, but never an entry. */
static void test_full_sheds_the_older_half(void **state)
{
	struct seen seen = {0};
	struct order o;

	(void)state;
	order_init(&o, 64, sink, &seen);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(order_add(&o, i % 100 * 10 + i / 100, i + 1, 0), 0);
		assert_true(o.nr <= 64);
	}
	order_flush(&o);
	assert_int_equal(seen.nr, 1000);
	assert_true(o.nr_shed > 0);
	assert_true(o.nr_out_of_order > 0);
	order_deinit(&o);
}

static int refuse(void *ctx, const struct order_entry *entries, size_t nr)
{
	(void)ctx, (void)entries, (void)nr;
	return -EPIPE;
}

static void test_sink_stops(void **state)
{
	struct order o;

	(void)state;
	order_init(&o, 0, refuse, NULL);
	assert_int_equal(order_shed(&o), 0);
	order_add(&o, 1, 1, 0);
	assert_int_equal(order_flush(&o), -EPIPE);
	order_deinit(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds_overlap),
		cmocka_unit_test(test_full_sheds_the_older_half),
		cmocka_unit_test(test_sink_stops),
	};

	return cmocka_run_group_tests_name("order_limits", tests, NULL, NULL);
}
