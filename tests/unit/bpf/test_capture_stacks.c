// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel callchains that the programs make themselves are those that the kernel makes: with
 * check_stacks each is compared.  The loads take the ways into the allocator that differ: system
 * calls, page faults, softirqs, kernel threads, tasks that begin and end.
 *
 * Needs BPF and the right to use it, and a kernel whose unwind tables can be used: skipped
 * elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/skip.h"
#include "util/base/clock.h"
#include "util/bpf/capture.h"
#include "util/bpf/unwind.h"

#define PAGES	 (1u << BPF_PAGE_ALLOC | 1u << BPF_PAGE_FREE | 1u << BPF_PAGE_FREE_BATCHED)
#define SLAB	 (1u << BPF_KMALLOC | 1u << BPF_CACHE_ALLOC | 1u << BPF_KFREE | 1u << BPF_CACHE_FREE)
#define NR_LOADS 2
#define RUN_NS	 1500000000ULL

static void touch(size_t bytes)
{
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	for (size_t at = 0; at < bytes; at += 4096)
		memory[at] = 1;
	munmap(memory, bytes);
}

static void use_pipe(void)
{
	char data[5000] = {0};
	int fds[2];

	if (pipe(fds))
		_exit(1);
	if (write(fds[1], data, sizeof(data)) != sizeof(data) ||
	    read(fds[0], data, sizeof(data)) <= 0)
		_exit(1);
	close(fds[0]);
	close(fds[1]);
}

static void use_file(void)
{
	char path[] = "/tmp/perf-kmem-stacks.XXXXXX", data[9000] = {0};
	int fd = mkstemp(path);

	if (fd < 0)
		_exit(1);
	unlink(path);
	if (write(fd, data, sizeof(data)) < 0 || ftruncate(fd, 100))
		_exit(1);
	close(fd);
}

/* To ourselves, which softirqs deliver; where there is no network, nothing. */
static void use_network(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(to);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	char data[100] = {0};

	if (fd < 0)
		return;
	if (!bind(fd, (void *)&to, len) && !getsockname(fd, (void *)&to, &len))
		for (int i = 0; i < 20; i++) {
			ssize_t sent = sendto(fd, data, sizeof(data), 0, (void *)&to, len);
			ssize_t got = recv(fd, data, sizeof(data), 0);

			if (sent < 0 || got < 0)
				break;
		}
	close(fd);
}

static void busy(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		pid_t pid;

		touch(1 << 20);
		for (int i = 0; i < 10; i++)
			use_pipe();
		use_file();
		use_network();
		pid = fork();
		if (!pid) {
			touch(1 << 16);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

struct seen {
	uint64_t events, without, deepest;
};

static int look(void *ctx, int cpu, const struct bpf_event *e, const struct bpf_extra *extra)
{
	struct seen *s = ctx;

	(void)cpu;
	(void)e;
	s->events++;
	s->without += !extra->nr_frames;
	s->deepest = extra->nr_frames > s->deepest ? extra->nr_frames : s->deepest;
	return 0;
}

static void drain(struct bpf_capture *c, struct seen *s)
{
	for (unsigned int i = 0; i < bpf_capture_nr_cpus(c); i++)
		assert_int_equal(bpf_capture_drain(c, i, bpf_capture_peek(c, i), look, s), 0);
}

static struct bpf_stack_counts run(uint32_t kinds, uint8_t max_stack, bool check)
{
	struct bpf_capture_options o = {.kinds = kinds, .cgroup_fd = -1, .check_stacks = check};
	const struct timespec pause = {.tv_nsec = 10000000};
	struct error err = ERROR_INIT;
	struct bpf_stack_counts n;
	struct bpf_capture *c;
	struct seen s = {0};
	pid_t loads[NR_LOADS];
	uint64_t end;

	if (bpf_capture_probe(&err))
		skip_because(err.msg);
	for (int kind = 0; kind < BPF_KINDS; kind++)
		o.max_stack[kind] = max_stack;
	o.may_address_pages = true;
	if (bpf_capture_open(&c, &o, &err))
		fail_msg("%s", err.msg);
	for (int i = 0; i < NR_LOADS; i++) {
		loads[i] = fork();
		assert_true(loads[i] >= 0);
		if (!loads[i])
			busy();
	}
	assert_int_equal(bpf_capture_enable(c), 0);
	for (end = now_ns() + RUN_NS; now_ns() < end; nanosleep(&pause, NULL))
		drain(c, &s);
	bpf_capture_disable(c);
	drain(c, &s);
	for (int i = 0; i < NR_LOADS; i++) {
		kill(loads[i], SIGKILL);
		waitpid(loads[i], NULL, 0);
	}
	n = bpf_capture_stacks(c);
	bpf_capture_free(c);
	printf("# %" PRIu64 " events, at most %" PRIu64 " frames; %" PRIu64 " walked, %" PRIu64
	       " not, %" PRIu64 " wrong\n",
	       s.events, s.deepest, n.walked, n.not_walked, n.wrong);
	fflush(stdout);
	assert_true(s.events > 1000);
	assert_in_range(s.deepest, 1, max_stack);
	assert_int_equal(n.wrong, 0);
	if (!n.walked)
		skip_because("the kernel's unwinder makes all callchains here");
	return n;
}

static void expect_most_walked(uint32_t kinds, uint8_t max_stack, bool check)
{
	struct bpf_stack_counts n = run(kinds, max_stack, check);

	/* those in interrupts are the kernel's, and how many there are depends on the machine */
	assert_true(n.walked > n.not_walked);
}

static void test_pages(void **state)
{
	(void)state;
	expect_most_walked(PAGES, 12, true);
}

static void test_whole_stacks(void **state)
{
	(void)state;
	expect_most_walked(PAGES | SLAB, BPF_STACK_MAX, true);
}

static void test_without_checks(void **state)
{
	(void)state;
	expect_most_walked(PAGES | SLAB, 8, false);
}

/* ---- what the kernel's symbols may be -------------------------------------------------------- */

static const struct bpf_unwind usual = {
	.text_begin = 0xffffffff81000000,
	.orc_addresses = 0xffffffff83000000,
	.orc_entries = 0xffffffff83001000,
};

static void test_symbols(void **state)
{
	struct bpf_unwind u = usual;

	(void)state;
	assert_null(bpf_unwind_check(&u, u.text_begin + 0x1000, u.orc_addresses + 400, 6));
	assert_int_equal(u.text_bytes, 0x1000);
	assert_int_equal(u.orc_nr, 100);
}

static void test_unusable_symbols(void **state)
{
	const uint64_t text_end = usual.text_begin + 0x1000, orc_end = usual.orc_addresses + 400;
	struct bpf_unwind u = usual;

	(void)state;
	assert_non_null(bpf_unwind_check(&u, 0, orc_end, 6));
	assert_non_null(bpf_unwind_check(&u, text_end, 0, 6));
	assert_non_null(bpf_unwind_check(&u, text_end, orc_end, 8));
	assert_non_null(bpf_unwind_check(&u, u.text_begin, orc_end, 6));
	assert_non_null(bpf_unwind_check(&u, u.text_begin + (1ull << 32), orc_end, 6));
	assert_non_null(bpf_unwind_check(&u, text_end, u.orc_addresses - 4, 6));
	assert_non_null(bpf_unwind_check(&u, text_end, u.orc_addresses + 3, 6));
	assert_non_null(bpf_unwind_check(&u, text_end, u.orc_addresses + (4ull << 24), 6));
	u.orc_entries = 0;
	assert_non_null(bpf_unwind_check(&u, text_end, orc_end, 6));
	u = usual;
	u.text_begin = 0;
	assert_non_null(bpf_unwind_check(&u, text_end, orc_end, 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_whole_stacks),
		cmocka_unit_test(test_without_checks),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_unusable_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
