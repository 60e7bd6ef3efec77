// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/live/event_merge.h"

#define LOG_MAX 65536

struct log {
	uint64_t times[LOG_MAX];
	int cpus[LOG_MAX];
	size_t nr;
	size_t stop_after; /* 0: never */
};

static void add(struct event_merge *m, unsigned int cpu, uint64_t time_ns)
{
	const struct bpf_event event = {.time_ns = time_ns, .kind = BPF_KFREE, .ptr = time_ns + 1};
	const struct bpf_extra extra = {.nr_frames = 0};

	assert_int_equal(event_queue_add(&m->cpus[cpu].queue, &event, &extra), 0);
}

static int note(void *ctx, int cpu, const struct queued_event *e)
{
	struct log *l = ctx;

	assert_true(l->nr < LOG_MAX);
	assert_int_equal(e->event.ptr, e->event.time_ns + 1);
	l->times[l->nr] = e->event.time_ns;
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

static int check_chain(void *ctx, int cpu, const struct queued_event *e)
{
	const uint64_t *chain = queued_event_callchain(e);
	uint64_t nr = e->event.kmalloc.bytes_req;

	(void)cpu;
	++*(unsigned int *)ctx;
	assert_int_equal(e->cgroup, 77);
	assert_int_equal(e->event.kmalloc.node, -1);
	assert_int_equal(e->nr_callchain, nr ? nr + 1 : 0);
	if (!nr)
		return 0;
	assert_int_equal(chain[0], (uint64_t)PERF_CONTEXT_KERNEL);
	for (uint64_t i = 0; i < nr; i++)
		assert_int_equal(chain[i + 1], 0xffff0000 + i);
	return 0;
}

/* Through many chunks, which are used again. */
static void test_callchains_have_a_marker(void **state)
{
	uint64_t frames[BPF_STACK_MAX];
	unsigned int nr = 0;
	struct event_merge m;

	(void)state;
	for (size_t i = 0; i < BPF_STACK_MAX; i++)
		frames[i] = 0xffff0000 + i;
	init(&m, 1);
	for (uint64_t i = 0; i < 20000; i++) {
		const struct bpf_extra extra = {77, frames, i % (BPF_STACK_MAX + 1)};
		const struct bpf_event event = {
			.time_ns = i,
			.kind = BPF_KMALLOC,
			.kmalloc = {.bytes_req = extra.nr_frames, .node = -1}};

		assert_int_equal(event_queue_add(&m.cpus[0].queue, &event, &extra), 0);
		if (i % 3000 == 0)
			assert_int_equal(event_merge_until(&m, i - i / 3, check_chain, &nr), 0);
	}
	assert_int_equal(event_merge_until(&m, UINT64_MAX, check_chain, &nr), 0);
	assert_int_equal(nr, 20000);
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
		cmocka_unit_test(test_callchains_have_a_marker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
