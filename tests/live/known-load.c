// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocates a known number of things in the kernel, for tests/live/run.
 *
 *	known-load pipes|eventfds|pages|fdtables N keep|free
 *
 * pages: N pages of 4 KiB, each touched.  fdtables: N processes, each with a table of 16384 file
 * descriptors, which is one kvmalloc() of 128 KiB where a pointer has 8 bytes.  `free` gives all
 *back at once.  `keep` leaves them with a child that holds them until its standard input ends, and
 *exits when they are allocated, so that a recording of this command ends while they live.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	    4096u
#define DESCRIPTORS 16384

static int fail(const char *what)
{
	fprintf(stderr, "known-load: %s: %s\n", what, strerror(errno));
	return -1;
}

static int open_pipes(size_t n, int *fds)
{
	for (size_t i = 0; i < n; i++)
		if (pipe(&fds[2 * i]))
			return fail("pipe");
	return 0;
}

static int open_eventfds(size_t n, int *fds)
{
	for (size_t i = 0; i < n; i++) {
		fds[i] = eventfd(0, 0);
		if (fds[i] < 0)
			return fail("eventfd");
	}
	return 0;
}

static int touch_pages(size_t n, unsigned char **ret_pages)
{
	unsigned char *p =
		mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return fail("mmap");
	/* page by page: what is counted are faults */
	madvise(p, n * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		p[i * PAGE] = 1;
	*ret_pages = p;
	return 0;
}

static void wait_for_the_end(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) > 0)
		;
}

static int open_fdtables(size_t n, int keep)
{
	int up[2];
	char c;

	if (pipe(up))
		return fail("pipe");
	for (size_t i = 0; i < n; i++) {
		if (fork())
			continue;
		if (dup2(STDIN_FILENO, DESCRIPTORS - 1) < 0 || write(up[1], "", 1) != 1) {
			fail("dup2");
			_exit(EXIT_FAILURE);
		}
		if (keep)
			wait_for_the_end();
		_exit(0);
	}
	close(up[1]);
	for (size_t i = 0; i < n; i++)
		if (read(up[0], &c, 1) != 1)
			return -1;
	while (!keep && wait(NULL) > 0)
		;
	return close(up[0]);
}

int main(int argc, char **argv)
{
	const struct rlimit files = {65536, 65536};
	unsigned char *pages = NULL;
	int ready[2], *fds, ret;
	size_t n;
	char c;

	if (argc != 4)
		return 2;
	n = strtoul(argv[2], NULL, 10);
	fds = calloc(2 * n + 1, sizeof(*fds));
	if (!n || !fds || pipe(ready))
		return 2;
	for (size_t i = 0; i < 2 * n; i++)
		fds[i] = -1;
	setrlimit(RLIMIT_NOFILE, &files);
	if (!strcmp(argv[3], "keep") && fork()) {
		close(ready[1]);
		/* the byte comes when everything is allocated */
		return read(ready[0], &c, 1) != 1;
	}
	/* a name of its own, by which the test recognizes it */
	prctl(PR_SET_NAME, "known-holder");
	if (!strcmp(argv[1], "pipes"))
		ret = open_pipes(n, fds);
	else if (!strcmp(argv[1], "eventfds"))
		ret = open_eventfds(n, fds);
	else if (!strcmp(argv[1], "fdtables"))
		ret = open_fdtables(n, !strcmp(argv[3], "keep"));
	else
		ret = touch_pages(n, &pages);
	if (ret)
		return 1;
	if (!strcmp(argv[3], "keep")) {
		if (write(ready[1], "", 1) != 1)
			return 1;
		close(ready[1]);
		wait_for_the_end();
	}
	for (size_t i = 0; i < 2 * n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (pages)
		munmap(pages, n * PAGE);
	free(fds);
	return 0;
}
