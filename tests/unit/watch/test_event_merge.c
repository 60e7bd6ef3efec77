// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/watch/event_merge.h"

#define LOG_MAX 65536

struct log {
	uint64_t times[LOG_MAX];
	int cpus[LOG_MAX];
	size_t nr;
	size_t stop_after; /* 0: never */
};

/* The contents of the rings: events stay where they are. */
static struct bpf_event ring[LOG_MAX];
static size_t nr_ring;

static void add(struct event_merge *m, unsigned int cpu, uint64_t time_ns)
{
	struct bpf_event *e = &ring[nr_ring++];

	assert_true(nr_ring <= LOG_MAX);
	*e = (struct bpf_event){.time_ns = time_ns, .kind = BPF_KFREE, .ptr = time_ns + 1};
	assert_int_equal(event_queue_add(&m->cpus[cpu].queue, e), 0);
}

static int note(void *ctx, int cpu, const struct bpf_event *e)
{
	struct log *l = ctx;

	assert_true(l->nr < LOG_MAX);
	assert_int_equal(e->ptr, e->time_ns + 1);
	l->times[l->nr] = e->time_ns;
	l->cpus[l->nr++] = cpu;
	return l->nr == l->stop_after ? -ECANCELED : 0;
}

static struct log *merged(struct event_merge *m, uint64_t limit_ns)
{
	struct log *l = calloc(1, sizeof(*l));

	assert_int_equal(event_merge_until(m, limit_ns, note, l), 0);
	return l;
}

static void init(struct event_merge *m, unsigned int nr)
{
	nr_ring = 0;
	assert_int_equal(event_merge_init(m, nr), 0);
	for (unsigned int i = 0; i < nr; i++)
		m->cpus[i].cpu = (int)i * 10;
}

static void test_cpus_are_merged_by_time(void **state)
{
	static const struct {
		unsigned int cpu;
		uint64_t time_ns;
	} events[] = {{0, 1}, {0, 5}, {0, 6}, {1, 2}, {1, 3}, {1, 9}, {2, 4}, {2, 7}, {2, 8}};
	struct event_merge m;
	struct log *l;

	(void)state;
	init(&m, 3);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		add(&m, events[i].cpu, events[i].time_ns);
	l = merged(&m, UINT64_MAX);
	assert_int_equal(l->nr, 9);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(l->times[i], i + 1);
	assert_int_equal(l->cpus[0], 0);
	assert_int_equal(l->cpus[1], 10);
	assert_int_equal(l->cpus[3], 20);
	free(l);
	event_merge_deinit(&m);
}

static void test_of_equal_times_the_lower_cpu_is_first(void **state)
{
	struct event_merge m;
	struct log *l;

	(void)state;
	init(&m, 3);
	for (unsigned int cpu = 3; cpu-- > 0;)
		for (int i = 0; i < 2; i++)
			add(&m, cpu, 7);
	l = merged(&m, 8);
	assert_int_equal(l->nr, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(l->cpus[i], i / 2 * 10);
	free(l);
	event_merge_deinit(&m);
}

/* That of an interrupt stands before the event that it interrupted. */
static void test_events_of_a_cpu_need_not_be_in_order(void **state)
{
	static const uint64_t times[] = {10, 12, 11, 20, 40, 30, 50};
	static const uint64_t sorted[] = {10, 11, 12, 20, 30, 40, 50};
	struct event_merge m;
	struct log *l;

	(void)state;
	init(&m, 1);
	for (size_t i = 0; i < 7; i++)
		add(&m, 0, times[i]);
	l = merged(&m, UINT64_MAX);
	assert_int_equal(l->nr, 7);
	assert_memory_equal(l->times, sorted, sizeof(sorted));
	free(l);
	event_merge_deinit(&m);
}

static void test_what_is_not_older_than_the_limit_waits(void **state)
{
	struct event_merge m;
	struct log *l;

	(void)state;
	init(&m, 2);
	for (uint64_t t = 1; t <= 10; t++)
		add(&m, t % 2, t);
	l = merged(&m, 6);
	assert_int_equal(l->nr, 5);
	free(l);
	/* older than what waits, as far as the queue is concerned */
	add(&m, 0, 5);
	l = merged(&m, 8);
	assert_int_equal(l->nr, 3);
	assert_int_equal(l->times[0], 5);
	assert_int_equal(l->times[2], 7);
	free(l);
	l = merged(&m, 8);
	assert_int_equal(l->nr, 0);
	free(l);
	l = merged(&m, UINT64_MAX);
	assert_int_equal(l->nr, 3);
	free(l);
	event_merge_deinit(&m);
}

static void test_an_error_ends_it(void **state)
{
	struct event_merge m;
	struct log *l = calloc(1, sizeof(*l));

	(void)state;
	init(&m, 2);
	for (uint64_t t = 1; t <= 6; t++)
		add(&m, t % 2, t);
	l->stop_after = 2;
	assert_int_equal(event_merge_until(&m, UINT64_MAX, note, l), -ECANCELED);
	assert_int_equal(l->nr, 2);
	event_merge_deinit(&m); /* with events left */
	free(l);
}

/* As many as are drained in rounds, against a sort. */
static void test_rounds(void **state)
{
	enum { CPUS = 7, EVENTS = 50000 };
	struct event_merge m;
	struct log *all = calloc(1, sizeof(*all));
	uint64_t now[CPUS] = {0}, seed = 1, last = 0;

	(void)state;
	init(&m, CPUS);
	for (int i = 0; i < EVENTS; i++) {
		unsigned int cpu;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		cpu = (seed >> 33) % CPUS;
		now[cpu] += seed >> 60;
		add(&m, cpu, now[cpu] - (seed >> 50 & 1 && now[cpu]));
		if (i % 1000 == 999) {
			uint64_t limit = UINT64_MAX;

			for (int c = 0; c < CPUS; c++)
				limit = now[c] < limit ? now[c] : limit;
			/* an event may still come one tick late */
			assert_int_equal(event_merge_until(&m, limit ? limit - 1 : 0, note, all),
					 0);
		}
	}
	assert_int_equal(event_merge_until(&m, UINT64_MAX, note, all), 0);
	assert_int_equal(all->nr, EVENTS);
	for (size_t i = 0; i < all->nr; i++) {
		assert_true(all->times[i] >= last);
		last = all->times[i];
	}
	free(all);
	event_merge_deinit(&m);
}

/* The ring is given back up to the end of a round when its last event has been taken. */
static void test_how_much_of_the_ring_has_been_taken(void **state)
{
	struct event_merge m;
	struct event_queue *q;

	(void)state;
	init(&m, 2);
	q = &m.cpus[1].queue;
	event_queue_init(q, 1000);
	assert_int_equal(event_queue_added(q), 1000);
	add(&m, 1, 10);
	add(&m, 1, 30);
	add(&m, 1, 20);
	event_queue_end_round(q, 1300);
	assert_int_equal(event_queue_added(q), 1300);
	free(merged(&m, 30));
	assert_int_equal(event_queue_taken(q, 30), 1000);
	free(merged(&m, 31));
	assert_int_equal(event_queue_taken(q, 31), 1300);
	/* nothing new */
	event_queue_end_round(q, 1300);
	assert_int_equal(event_queue_taken(q, 31), 1300);
	/* more rounds than are kept apart */
	for (uint64_t i = 0; i < 10; i++) {
		add(&m, 1, 100 + i);
		event_queue_end_round(q, 2000 + i);
	}
	assert_int_equal(event_queue_added(q), 2009);
	free(merged(&m, 102));
	assert_int_equal(event_queue_taken(q, 102), 2001);
	free(merged(&m, 105));
	assert_int_equal(event_queue_taken(q, 105), 2002);
	free(merged(&m, 110));
	assert_int_equal(event_queue_taken(q, 110), 2009);
	event_merge_deinit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_are_merged_by_time),
		cmocka_unit_test(test_of_equal_times_the_lower_cpu_is_first),
		cmocka_unit_test(test_events_of_a_cpu_need_not_be_in_order),
		cmocka_unit_test(test_what_is_not_older_than_the_limit_waits),
		cmocka_unit_test(test_an_error_ends_it),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_how_much_of_the_ring_has_been_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
