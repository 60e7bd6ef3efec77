// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frees objects in bulk, and lets another cache have their memory, for tests/live/bulk.
 *
 *	bulk COUNT
 *
 * Closes COUNT timerfds, whose memory the kernel frees in bulk some seconds later (kfree_rcu()),
 * and has the empty slabs given back.  Then io_uring allocates requests, in bulk as well, and frees
 * them one by one.  Only the first allocations and the last frees have a tracepoint.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define REQUESTS 1024
#define SLAB	 "/sys/kernel/slab/kmalloc-256/shrink"

static int fail(const char *what)
{
	fprintf(stderr, "bulk: %s: %s\n", what, strerror(errno));
	return 1;
}

static int close_timerfds(int count)
{
	int *fds = calloc((size_t)count, sizeof(int)), failed = !fds;

	for (int i = 0; !failed && i < count; i++) {
		fds[i] = timerfd_create(CLOCK_MONOTONIC, 0);
		failed = fds[i] < 0;
	}
	for (int i = 0; !failed && i < count; i++)
		failed = close(fds[i]);
	free(fds);
	return failed;
}

static int give_slabs_back(void)
{
	int fd = open(SLAB, O_WRONLY | O_CLOEXEC), failed;

	if (fd < 0)
		return 1;
	failed = write(fd, "1", 1) != 1;
	return close(fd) || failed;
}

static void *map(int fd, size_t bytes, off_t what)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, what);
}

/* Each waits for an empty pipe, until the ring is closed. */
static int make_requests(void)
{
	struct io_uring_params p = {0};
	int ring = (int)syscall(SYS_io_uring_setup, REQUESTS, &p), empty[2];
	struct io_uring_sqe *entries;
	uint32_t *index;
	char *queue, byte;
	long nr;

	if (ring < 0 || pipe(empty))
		return 1;
	queue = map(ring, p.sq_off.array + REQUESTS * sizeof(uint32_t), IORING_OFF_SQ_RING);
	entries = map(ring, REQUESTS * sizeof(*entries), (off_t)IORING_OFF_SQES);
	if (queue == MAP_FAILED || (void *)entries == MAP_FAILED)
		return 1;
	index = (uint32_t *)(void *)(queue + p.sq_off.array);
	for (uint32_t i = 0; i < REQUESTS; i++) {
		entries[i] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
						   .fd = empty[0],
						   .addr = (uintptr_t)&byte,
						   .len = 1};
		index[i] = i;
	}
	__atomic_store_n((uint32_t *)(void *)(queue + p.sq_off.tail), REQUESTS, __ATOMIC_RELEASE);
	nr = syscall(SYS_io_uring_enter, ring, REQUESTS, 0, 0, NULL, 0);
	close(empty[1]);
	close(empty[0]);
	close(ring);
	return nr != REQUESTS;
}

int main(int argc, char **argv)
{
	const struct rlimit files = {65536, 65536};
	int count = argc == 2 ? atoi(argv[1]) : 0;
	cpu_set_t first;

	if (!count)
		return 2;
	/* pages are given to the CPU that gave them back */
	CPU_ZERO(&first);
	CPU_SET(sched_getcpu(), &first);
	sched_setaffinity(0, sizeof(first), &first);
	setrlimit(RLIMIT_NOFILE, &files);
	if (close_timerfds(count))
		return fail("timerfds");
	sleep(7);
	if (give_slabs_back())
		return fail(SLAB);
	if (make_requests())
		return fail("io_uring");
	sleep(1);
	return 0;
}
