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
	uint64_t comms;
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
	return 0;
}

static int take_fork(void *ctx, uint32_t parent_tid, uint32_t tid)
{
	(void)ctx, (void)parent_tid, (void)tid;
	return 0;
}

static const struct session_ops ops = {
	.samples = take_samples, .comm = take_comm, .fork = take_fork};

static int add(struct delivery *d, struct delivery_entry entry)
{
	size_t room;

	*delivery_room(d, &room) = entry;
	assert_true(room);
	return delivery_add(d, 1);
}

/* Records of a header and a u64 time. */
struct record16 {
	struct perf_event_header header;
	uint64_t time;
};

static struct record16 *make_samples(size_t nr)
{
	struct record16 *v = calloc(nr, sizeof(*v));

	for (size_t i = 0; i < nr; i++)
		v[i] = (struct record16){{PERF_RECORD_SAMPLE, 0, sizeof(*v)}, i};
	return v;
}

static struct recorded_event *add_event(struct recording *r)
{
	const struct event_attr attr = {.sample_type = PERF_SAMPLE_TIME};

	recording_init(r);
	return recording_add_event(r, &attr);
}

static void deliver_all(bool threaded)
{
	struct record16 *v = make_samples(NR_SAMPLES);
	struct consumer c = {0};
	struct recording r;
	struct recorded_event *ev = add_event(&r);
	struct delivery *d;

	assert_int_equal(delivery_new(&d, &r, &ops, &c, threaded), 0);
	for (size_t i = 0; i < NR_SAMPLES; i++) {
		struct delivery_entry e = {(const uint8_t *)&v[i], ev, i};

		assert_int_equal(add(d, e), 0);
		if (i == 5000)
			assert_int_equal(delivery_drain(d, NULL), 0);
	}
	assert_int_equal(delivery_drain(d, NULL), 0);
	assert_int_equal(c.seen, NR_SAMPLES);
	assert_int_equal(delivery_added(d), NR_SAMPLES);
	assert_int_equal(delivery_done(d), NR_SAMPLES);
	assert_int_equal(r.nr_samples, NR_SAMPLES);
	assert_int_equal(ev->nr_samples, NR_SAMPLES);
	assert_int_equal(r.last_ns, NR_SAMPLES - 1);
	delivery_free(d);
	recording_deinit(&r);
	free(v);
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
	struct record16 *v = make_samples(NR_SAMPLES);

	for (int threaded = 0; threaded < 2; threaded++) {
		struct consumer c = {.fail_at = 3000};
		struct error err = ERROR_INIT;
		struct recording r;
		struct recorded_event *ev = add_event(&r);
		struct delivery *d;
		int ret = 0;

		assert_int_equal(delivery_new(&d, &r, &ops, &c, threaded), 0);
		for (size_t i = 0; i < NR_SAMPLES && !ret; i++) {
			struct delivery_entry e = {(const uint8_t *)&v[i], ev, i};

			ret = add(d, e);
		}
		assert_int_equal(delivery_drain(d, &err), -ENOSPC);
		assert_string_equal(err.msg, "enough");
		assert_int_equal(c.seen, 3000);
		delivery_free(d);
		recording_deinit(&r);
	}
	(void)state;
	free(v);
}

static void test_tasks_and_bad_samples(void **state)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[8];
	} comm = {{PERF_RECORD_COMM, 0, sizeof(comm)}, 7, 7, "name"};
	const struct perf_event_header small = {PERF_RECORD_SAMPLE, 0, 8};
	struct consumer c = {0};
	struct recording r;
	struct recorded_event *ev = add_event(&r);
	struct delivery *d;

	(void)state;
	assert_int_equal(delivery_new(&d, &r, &ops, &c, true), 0);
	add(d, (struct delivery_entry){(const uint8_t *)&comm, NULL, 0});
	add(d, (struct delivery_entry){(const uint8_t *)&small, ev, 64});
	add(d, (struct delivery_entry){(const uint8_t *)&small, ev, 72});
	assert_int_equal(delivery_drain(d, NULL), 0);
	assert_int_equal(c.comms, 1);
	assert_int_equal(delivery_bad(d)->nr, 2);
	assert_int_equal(delivery_bad(d)->bytes, 16);
	assert_int_equal(delivery_bad(d)->first_pos, 64);
	delivery_free(d);
	recording_deinit(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_in_order_at_once),
		cmocka_unit_test(test_all_in_order_on_a_thread),
		cmocka_unit_test(test_an_error_ends_it_and_comes_out),
		cmocka_unit_test(test_tasks_and_bad_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
