// SPDX-License-Identifier: GPL-2.0-or-later
/* Needs BPF, and the right to use it: skipped elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/skip.h"
#include "util/counting/count.h"

#define NR_PIPES 500

static void need_bpf(void)
{
	struct error err = ERROR_INIT;

	if (!bpf_capture_probe(&err))
		return;
	skip_because(err.msg);
}

/* Each pipe is, among others, an array of 16 buffers of 40 bytes, charged to the memory cgroup. */
static void make_pipes(void)
{
	for (int i = 0; i < NR_PIPES; i++) {
		int fds[2];

		assert_int_equal(pipe(fds), 0);
		close(fds[0]);
		close(fds[1]);
	}
}

struct sums {
	uint64_t pipe_arrays; /* allocations of 640 bytes, from one site */
	uint64_t hits[BPF_KINDS];
};

static int add(void *ctx, const struct bpf_count_row *row)
{
	struct sums *s = ctx;

	assert_true(row->kind < BPF_KINDS);
	assert_true(row->call_site);
	assert_true(row->bytes_req <= row->bytes_alloc);
	assert_int_equal(row->bytes_alloc, row->hits * row->object_bytes);
	if (row->kind == BPF_CACHE_ALLOC)
		assert_non_null(row->cache);
	if (row->kind == BPF_KMALLOC && row->bytes_req == row->hits * 640)
		s->pipe_arrays += row->hits;
	s->hits[row->kind] += row->hits;
	return 0;
}

static void count(const struct bpf_capture_options *o, uint32_t max_rows, struct sums *sums,
		  struct bpf_counts counts[BPF_KINDS])
{
	struct error err = ERROR_INIT;
	struct bpf_counting *c;

	if (bpf_counting_open(&c, o, max_rows, &err))
		fail_msg("%s", err.msg);
	make_pipes();
	assert_int_equal(bpf_counting_enable(c), 0);
	make_pipes();
	assert_int_equal(bpf_counting_disable(c), 0);
	make_pipes();
	assert_int_equal(bpf_counting_read(c, add, sums), 0);
	assert_int_equal(bpf_counting_counts(c, counts, &err), 0);
	bpf_counting_free(c);
}

static void test_counts_what_happened_meanwhile(void **state)
{
	const pid_t self = getpid();
	struct bpf_capture_options o = {
		.kinds = ~0u, .cgroup_fd = -1, .with_self = true, .pids = &self, .nr_pids = 1};
	struct bpf_counts counts[BPF_KINDS];
	struct sums sums = {0};

	(void)state;
	need_bpf();
	count(&o, 0, &sums, counts);
	assert_int_equal(sums.pipe_arrays, NR_PIPES);
	assert_true(sums.hits[BPF_KFREE] + counts[BPF_KFREE].lost_missed >= NR_PIPES);
	for (int k = 0; k < BPF_KINDS; k++) {
		assert_int_equal(counts[k].delivered, sums.hits[k]);
		assert_int_equal(counts[k].lost_full, 0);
	}
}

static void test_own_events_are_dropped(void **state)
{
	const pid_t self = getpid();
	struct bpf_capture_options o = {.kinds = ~0u, .cgroup_fd = -1, .pids = &self, .nr_pids = 1};
	struct bpf_counts counts[BPF_KINDS];
	struct sums sums = {0};

	(void)state;
	need_bpf();
	count(&o, 0, &sums, counts);
	assert_int_equal(sums.pipe_arrays, 0);
}

static void test_what_finds_no_row_is_counted(void **state)
{
	struct bpf_capture_options o = {.kinds = ~0u, .cgroup_fd = -1, .with_self = true};
	struct bpf_counts counts[BPF_KINDS];
	struct sums sums = {0};
	uint64_t full = 0;

	(void)state;
	need_bpf();
	count(&o, 1, &sums, counts);
	for (int k = 0; k < BPF_KINDS; k++)
		full += counts[k].lost_full;
	assert_true(full >= 2 * NR_PIPES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_what_happened_meanwhile),
		cmocka_unit_test(test_own_events_are_dropped),
		cmocka_unit_test(test_what_finds_no_row_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
