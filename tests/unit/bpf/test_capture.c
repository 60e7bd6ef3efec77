// SPDX-License-Identifier: GPL-2.0-or-later
/* Needs BPF, and the right to use it: skipped elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/skip.h"
#include "util/bpf/capture.h"

#define SLAB (1u << BPF_KMALLOC | 1u << BPF_CACHE_ALLOC | 1u << BPF_KFREE | 1u << BPF_CACHE_FREE)

/* cmocka's TAP output shows the reason if it comes before the skip. */
static void need_bpf(void)
{
	struct error err = ERROR_INIT;

	if (!bpf_capture_probe(&err))
		return;
	skip_because(err.msg);
}

struct seen {
	struct bpf_capture *capture;
	uint64_t by_kind[BPF_KINDS];
	uint64_t own, own_allocations, own_pipes;
	uint64_t last_ns; /* of the CPU that is drained */
};

static int look(void *ctx, int cpu, const struct bpf_event *e, const struct bpf_extra *extra)
{
	struct seen *s = ctx;

	(void)cpu;
	assert_true(e->kind < BPF_KINDS);
	assert_int_equal(extra->nr_frames, 0);
	/* interrupts write inside what they interrupt, and in their turn all the same */
	assert_true(e->time_ns >= s->last_ns);
	s->last_ns = e->time_ns;
	s->by_kind[e->kind]++;
	if (e->pid == (uint32_t)getpid()) {
		s->own++;
		s->own_allocations += e->kind == BPF_KMALLOC || e->kind == BPF_CACHE_ALLOC;
	}
	if (e->kind == BPF_CACHE_ALLOC) {
		const struct bpf_cache *c = bpf_capture_cache(s->capture, e);

		assert_non_null(c);
		assert_int_equal(e->cache_alloc.bytes_req, c->object_size);
		assert_int_equal(e->cache_alloc.bytes_alloc, c->size);
	}
	return 0;
}

static void drain(struct seen *s)
{
	for (unsigned int i = 0; i < bpf_capture_nr_cpus(s->capture); i++) {
		s->last_ns = 0;
		assert_int_equal(
			bpf_capture_drain(s->capture, i, bpf_capture_peek(s->capture, i), look, s),
			0);
	}
}

/* Allocates and frees in the kernel. */
static void load(void)
{
	for (int i = 0; i < 100; i++) {
		int fds[2];

		assert_int_equal(pipe(fds), 0);
		close(fds[0]);
		close(fds[1]);
	}
}

static void test_captures_when_enabled(void **state)
{
	struct bpf_capture_options o = {.kinds = SLAB, .cgroup_fd = -1, .with_self = true};
	struct error err = ERROR_INIT;
	struct bpf_counts counts[BPF_KINDS];
	struct seen s = {0};
	int ret;

	(void)state;
	need_bpf();
	ret = bpf_capture_open(&s.capture, &o, &err);
	if (ret)
		fail_msg("%s", err.msg);
	load();
	drain(&s);
	assert_int_equal(s.own, 0);
	assert_int_equal(bpf_capture_enable(s.capture), 0);
	load();
	assert_int_equal(bpf_capture_disable(s.capture), 0);
	drain(&s);
	/* pipe() allocates at least two files, and what belongs to a pipe */
	assert_true(s.own >= 400);
	assert_true(s.by_kind[BPF_KMALLOC] >= 100);
	assert_true(s.by_kind[BPF_CACHE_ALLOC] >= 200);
	assert_int_equal(bpf_capture_counts(s.capture, counts, &err), 0);
	for (int k = 0; k < BPF_KINDS; k++)
		assert_int_equal(counts[k].delivered, s.by_kind[k]);
	bpf_capture_free(s.capture);
}

static void test_drops_own_events(void **state)
{
	struct bpf_capture_options o = {.kinds = SLAB, .cgroup_fd = -1};
	struct error err = ERROR_INIT;
	struct seen s = {0};

	(void)state;
	need_bpf();
	assert_int_equal(bpf_capture_open(&s.capture, &o, &err), 0);
	bpf_capture_enable(s.capture);
	for (int i = 0; i < 10; i++)
		load();
	bpf_capture_disable(s.capture);
	drain(&s);
	/* Those of interrupts, which mostly free, come anyway; load() makes thousands. */
	assert_in_range(s.own_allocations, 0, 200);
	bpf_capture_free(s.capture);
}

static void test_full_ring_is_counted(void **state)
{
	struct bpf_capture_options o = {
		.kinds = SLAB, .cgroup_fd = -1, .with_self = true, .ring_bytes = 4096};
	struct error err = ERROR_INIT;
	struct bpf_counts counts[BPF_KINDS];
	struct seen s = {0};
	uint64_t lost = 0;

	(void)state;
	need_bpf();
	assert_int_equal(bpf_capture_open(&s.capture, &o, &err), 0);
	bpf_capture_enable(s.capture);
	load();
	bpf_capture_disable(s.capture);
	for (unsigned int i = 0; i < bpf_capture_nr_cpus(s.capture); i++)
		assert_true(bpf_capture_unread(s.capture, i) <= bpf_capture_ring_bytes(s.capture));
	drain(&s);
	for (unsigned int i = 0; i < bpf_capture_nr_cpus(s.capture); i++)
		assert_int_equal(bpf_capture_unread(s.capture, i), 0);
	assert_int_equal(bpf_capture_counts(s.capture, counts, &err), 0);
	for (int k = 0; k < BPF_KINDS; k++)
		lost += counts[k].lost_full;
	assert_true(lost >= 200);
	bpf_capture_free(s.capture);
}

/* Pipes of a child's child, which exists only after the capture began, and callchains of them. */
struct follow {
	pid_t child;
	uint64_t others, of_child, of_grandchild, new_tasks, exits, with_stack;
};

static int look_at_family(void *ctx, int cpu, const struct bpf_event *e,
			  const struct bpf_extra *extra)
{
	struct follow *f = ctx;

	(void)cpu;
	if (e->pid == (uint32_t)f->child)
		f->of_child++;
	else if (e->kind == BPF_KMALLOC || e->kind == BPF_KFREE)
		f->of_grandchild++;
	f->new_tasks += e->kind == BPF_TASK_NEW && e->pid == (uint32_t)f->child;
	f->exits += e->kind == BPF_TASK_EXIT;
	if (e->kind == BPF_KMALLOC) {
		assert_in_range(extra->nr_frames, 1, 6);
		for (size_t i = 0; i < extra->nr_frames; i++)
			f->with_stack += extra->frames[i] == e->call_site;
	} else {
		assert_int_equal(extra->nr_frames, 0);
	}
	f->others += e->pid == (uint32_t)getpid();
	return 0;
}

static void test_follows_children(void **state)
{
	struct bpf_capture_options o = {
		.kinds = BPF_BIT(BPF_KMALLOC) | BPF_BIT(BPF_KFREE) | BPF_BIT(BPF_TASK_NEW) |
			 BPF_BIT(BPF_TASK_EXIT),
		.max_stack = {[BPF_KMALLOC] = 6},
		.cgroup_fd = -1,
		.nr_pids = 1,
	};
	struct error err = ERROR_INIT;
	struct bpf_capture *c;
	struct follow f = {0};
	int go[2];
	char byte;

	(void)state;
	need_bpf();
	assert_int_equal(pipe(go), 0);
	f.child = fork();
	if (!f.child) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 0 && !fork())
			load();
		wait(NULL);
		_exit(0);
	}
	o.pids = &f.child;
	if (bpf_capture_open(&c, &o, &err))
		fail_msg("%s", err.msg);
	bpf_capture_enable(c);
	load();
	close(go[1]);
	waitpid(f.child, NULL, 0);
	bpf_capture_disable(c);
	close(go[0]);
	for (unsigned int i = 0; i < bpf_capture_nr_cpus(c); i++)
		assert_int_equal(
			bpf_capture_drain(c, i, bpf_capture_peek(c, i), look_at_family, &f), 0);
	assert_int_equal(f.others, 0);
	assert_true(f.of_child > 0);
	assert_true(f.of_grandchild >= 200); /* two allocations, at least, for each pipe */
	assert_int_equal(f.new_tasks, 1);
	assert_int_equal(f.exits, 2);
	assert_true(f.with_stack >= 100);
	bpf_capture_free(c);
}

static void test_no_such_process(void **state)
{
	const pid_t nobody = 4194303;
	struct bpf_capture_options o = {
		.kinds = SLAB, .cgroup_fd = -1, .pids = &nobody, .nr_pids = 1};
	struct error err = ERROR_INIT;
	struct bpf_capture *c = NULL;

	(void)state;
	need_bpf();
	assert_int_equal(bpf_capture_open(&c, &o, &err), -ESRCH);
	assert_null(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captures_when_enabled),
		cmocka_unit_test(test_drops_own_events),
		cmocka_unit_test(test_full_ring_is_counted),
		cmocka_unit_test(test_follows_children),
		cmocka_unit_test(test_no_such_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
