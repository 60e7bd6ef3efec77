// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A load of page events, for tests/bench/record.
 *
 *	touch [LOOPS]
 *
 * Two processes map 64 MiB, touch each page of it, and unmap it, LOOPS (40) times: for every page
 * of 4 KiB an allocation and a free, with the stacks of a page fault and of munmap().  Prints the
 * seconds that it took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES (64UL << 20)

static double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int touch(int loops)
{
	const size_t page = (size_t)getpagesize();

	for (int i = 0; i < loops; i++) {
		volatile char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return EXIT_FAILURE;
		/* page by page, not a huge page at once */
		madvise((void *)p, BYTES, MADV_NOHUGEPAGE);
		for (size_t at = 0; at < BYTES; at += page)
			p[at] = 1;
		munmap((void *)p, BYTES);
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	int loops = argc > 1 ? atoi(argv[1]) : 40, status, failed = 0;
	double start = now_seconds();

	for (int i = 0; i < 2; i++)
		if (!fork())
			_exit(touch(loops));
	while (wait(&status) > 0)
		failed |= status;
	printf("%.3f\n", now_seconds() - start);
	return failed != 0;
}
