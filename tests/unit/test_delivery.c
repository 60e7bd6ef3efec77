// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/perfdata/delivery.h"
#include "util/perfdata/format.h"

#define NR_SAMPLES 100000

/* A consumer that checks the order, and fails at one sample if told to. */
struct consumer {
	uint64_t seen, fail_at;
	uint64_t comms, seen_at_comm;
};

static int take_samples(void *ctx, const struct sample *samples, size_t nr, struct error *err)
{
	struct consumer *c = ctx;

	assert_in_range(nr, 1, SESSION_SAMPLES_MAX);
	for (size_t i = 0; i < nr; i++) {
		if (c->seen != samples[i].time_ns)
			return error_set(err, EPROTO, "out of order");
		if (c->fail_at && c->seen == c->fail_at)
			return error_set(err, ENOSPC, "enough");
		c->seen++;
	}
	return 0;
}

static int take_comm(void *ctx, uint32_t tid, const char *comm)
{
	struct consumer *c = ctx;

	assert_int_equal(tid, 7);
	assert_string_equal(comm, "name");
	c->comms++;
	c->seen_at_comm = c->seen;
	return 0;
}

static int take_fork(void *ctx, uint32_t parent_tid, uint32_t tid)
{
	(void)ctx, (void)parent_tid, (void)tid;
	return 0;
}

static const struct session_ops ops = {
	.samples = take_samples, .comm = take_comm, .fork = take_fork};

static int add(struct delivery *d, struct sample sample)
{
	size_t room;

	*delivery_room(d, &room) = sample;
	assert_true(room);
	return delivery_add(d, 1);
}

static struct sample make_sample(uint64_t time_ns)
{
	static struct recorded_event event;

	return (struct sample){.event = &event, .time_ns = time_ns};
}

static void deliver_all(bool threaded)
{
	struct consumer c = {0};
	struct delivery *d;

	assert_int_equal(delivery_new(&d, &ops, &c, threaded), 0);
	for (size_t i = 0; i < NR_SAMPLES; i++) {
		assert_int_equal(add(d, make_sample(i)), 0);
		if (i == 5000)
			assert_int_equal(delivery_drain(d, NULL), 0);
	}
	assert_int_equal(delivery_drain(d, NULL), 0);
	assert_int_equal(c.seen, NR_SAMPLES);
	assert_int_equal(delivery_added(d), NR_SAMPLES);
	assert_int_equal(delivery_done(d), NR_SAMPLES);
	delivery_free(d);
}

static void test_all_in_order_at_once(void **state)
{
	(void)state;
	deliver_all(false);
}

static void test_all_in_order_on_a_thread(void **state)
{
	(void)state;
	deliver_all(true);
}

static void test_an_error_ends_it_and_comes_out(void **state)
{
	for (int threaded = 0; threaded < 2; threaded++) {
		struct consumer c = {.fail_at = 3000};
		struct error err = ERROR_INIT;
		struct delivery *d;
		int ret = 0;

		assert_int_equal(delivery_new(&d, &ops, &c, threaded), 0);
		for (size_t i = 0; i < NR_SAMPLES && !ret; i++)
			ret = add(d, make_sample(i));
		assert_int_equal(delivery_drain(d, &err), -ENOSPC);
		assert_string_equal(err.msg, "enough");
		assert_int_equal(c.seen, 3000);
		delivery_free(d);
	}
	(void)state;
}

/* A name between two samples comes between them. */
static void test_tasks(void **state)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[8];
	} comm = {{PERF_RECORD_COMM, 0, sizeof(comm)}, 7, 7, "name"};
	const struct sample task = {.raw = (const uint8_t *)&comm, .raw_size = sizeof(comm)};
	struct consumer c = {0};
	struct delivery *d;

	(void)state;
	assert_int_equal(delivery_new(&d, &ops, &c, true), 0);
	add(d, make_sample(0));
	add(d, make_sample(1));
	add(d, task);
	add(d, task);
	add(d, make_sample(2));
	assert_int_equal(delivery_drain(d, NULL), 0);
	assert_int_equal(c.comms, 2);
	assert_int_equal(c.seen_at_comm, 2);
	assert_int_equal(c.seen, 3);
	delivery_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_in_order_at_once),
		cmocka_unit_test(test_all_in_order_on_a_thread),
		cmocka_unit_test(test_an_error_ends_it_and_comes_out),
		cmocka_unit_test(test_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
