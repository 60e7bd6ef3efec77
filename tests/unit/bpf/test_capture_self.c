// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Our own events are dropped, but not those of interrupts that happen to come while we run: what
 * they free belonged to others.  Needs BPF, and the right to use it: skipped elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/skip.h"
#include "util/bpf/capture.h"

#define SPIN_NS 600000000
#define WAIT_US 100000 /* for a grace period */
#define WAITS	50

/* Counts of the cache of sockets, whose objects are freed after a grace period, in a softirq. */
struct sockets {
	struct bpf_capture *capture;
	uint64_t allocated, freed, freed_over_us;
};

static int look(void *ctx, int cpu, const struct bpf_event *e, const struct bpf_extra *extra)
{
	struct sockets *s = ctx;
	const struct bpf_cache *c;

	(void)cpu, (void)extra;
	if (e->kind != BPF_CACHE_ALLOC && e->kind != BPF_CACHE_FREE)
		return 0;
	c = bpf_capture_cache(s->capture, e);
	if (!c || !c->name || strcmp(c->name, "sock_inode_cache") != 0)
		return 0;
	s->allocated += e->kind == BPF_CACHE_ALLOC;
	s->freed += e->kind == BPF_CACHE_FREE;
	s->freed_over_us += e->kind == BPF_CACHE_FREE && e->pid == (uint32_t)getpid();
	return 0;
}

static void drain(struct sockets *s)
{
	for (unsigned int i = 0; i < bpf_capture_nr_cpus(s->capture); i++)
		assert_int_equal(
			bpf_capture_drain(s->capture, i, bpf_capture_peek(s->capture, i), look, s),
			0);
}

static void make_sockets(void)
{
	for (;;) {
		int fds[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
			_exit(1);
		close(fds[0]);
		close(fds[1]);
		usleep(100);
	}
}

/* Without system calls: what interrupts it comes from user mode. */
static void spin(uint64_t ns)
{
	const clock_t end = clock() + (clock_t)(ns / 1000 * CLOCKS_PER_SEC / 1000000);

	while (clock() < end)
		for (volatile int i = 0; i < 1000000;)
			i++;
}

static void test_interrupts_over_us_are_delivered(void **state)
{
	struct bpf_capture_options o = {.kinds = 1u << BPF_CACHE_ALLOC | 1u << BPF_CACHE_FREE,
					.cgroup_fd = -1};
	struct error err = ERROR_INIT;
	struct sockets s = {0};
	cpu_set_t all, one;
	pid_t child;
	int cpu = 0;

	(void)state;
	if (bpf_capture_probe(&err)) {
		skip_because(err.msg);
	}
	assert_int_equal(bpf_capture_open(&s.capture, &o, &err), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(bpf_capture_enable(s.capture), 0);
	child = fork();
	if (!child)
		make_sockets();
	spin(SPIN_NS);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	for (int i = 0; i < WAITS && (!i || s.freed < s.allocated - s.allocated / 20); i++) {
		usleep(WAIT_US);
		drain(&s);
	}
	sched_setaffinity(0, sizeof(all), &all);
	printf("# %llu sockets, %llu freed, %llu of them by interrupts over this process\n",
	       (unsigned long long)s.allocated, (unsigned long long)s.freed,
	       (unsigned long long)s.freed_over_us);
	fflush(stdout);
	assert_true(s.allocated >= 100);
	/* other processes have sockets, too */
	assert_in_range(s.freed, s.allocated - s.allocated / 20, s.allocated + s.allocated / 20);
	bpf_capture_disable(s.capture);
	bpf_capture_free(s.capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interrupts_over_us_are_delivered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
