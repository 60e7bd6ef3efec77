// SPDX-License-Identifier: GPL-2.0-or-later
/* Needs BPF, and the right to use it: skipped elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "util/bpf/capture.h"

#define SLAB (1u << BPF_KMALLOC | 1u << BPF_CACHE_ALLOC | 1u << BPF_KFREE | 1u << BPF_CACHE_FREE)

/* cmocka's TAP output shows the reason if it comes before the skip. */
static void need_bpf(void)
{
	struct error err = ERROR_INIT;

	if (!bpf_capture_probe(&err))
		return;
	printf("# %s\n", err.msg);
	fflush(stdout);
	skip();
}

struct seen {
	struct bpf_capture *capture;
	uint64_t by_kind[BPF_KINDS];
	uint64_t own, own_pipes;
	uint64_t nr, nr_backwards, last_ns, last_run_ns;
};

static int look(void *ctx, int cpu, const struct bpf_event *e, const struct bpf_extra *extra)
{
	struct seen *s = ctx;

	(void)cpu;
	assert_true(e->kind < BPF_KINDS);
	assert_int_equal(extra->nr_frames, 0);
	s->by_kind[e->kind]++;
	s->own += e->pid == (uint32_t)getpid();
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
	for (unsigned int i = 0; i < bpf_capture_nr_cpus(s->capture); i++)
		assert_int_equal(bpf_capture_drain(s->capture, i, look, s), 0);
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
	assert_in_range(s.own, 0, 200); /* of interrupts; load() makes thousands */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captures_when_enabled),
		cmocka_unit_test(test_drops_own_events),
		cmocka_unit_test(test_full_ring_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
