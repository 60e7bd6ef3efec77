// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocates a known number of things in the kernel, for tests/live/run.
 *
 *	known-load pipes|eventfds|sockets|files|timers|pages|fdtables|attributes[,...] N keep|free
 *
 * files: in a tmpfs, without a name.  pages: N pages of 4 KiB, each touched.
 * fdtables: N processes, each with a table of 16384 file descriptors, which
 * is one kvmalloc() of 128 KiB where a pointer has 8 bytes.  attributes: N
 * times a kvmalloc() of 16 KiB, freed at once, after one of 16 bytes from the
 * same call site.  `free` gives all
 * back at once.  `keep` leaves them with a child that holds them until its
 * standard input ends, and exits when they are allocated, so that a recording
 * of this command ends while they live.  Who allocates is called
 * $KNOWN_HOLDER, or known-holder.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define PAGE	    4096u
#define DESCRIPTORS 16384

static int fail(const char *what)
{
	fprintf(stderr, "known-load: %s: %s\n", what, strerror(errno));
	return -1;
}

/* Descriptors and mappings are given back when the process exits, unless it frees them before. */
struct held {
	size_t n;
	int *fds;
	size_t nr_fds;
	timer_t *timers;
	unsigned char *pages;
	bool keep;
};

static int add_fd(struct held *h, int fd)
{
	if (fd >= 0)
		h->fds[h->nr_fds++] = fd;
	return fd < 0;
}

static int open_pipes(struct held *h)
{
	for (size_t i = 0; i < h->n; i++) {
		int fds[2];

		if (pipe(fds))
			return fail("pipe");
		add_fd(h, fds[0]);
		add_fd(h, fds[1]);
	}
	return 0;
}

static int open_eventfds(struct held *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (add_fd(h, eventfd(0, 0)))
			return fail("eventfd");
	return 0;
}

static int open_sockets(struct held *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (add_fd(h, socket(AF_UNIX, SOCK_STREAM, 0)))
			return fail("socket");
	return 0;
}

static int open_files(struct held *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (add_fd(h, memfd_create("known", 0)))
			return fail("memfd_create");
	return 0;
}

static int make_timers(struct held *h)
{
	struct sigevent none = {.sigev_notify = SIGEV_NONE};

	h->timers = calloc(h->n, sizeof(*h->timers));
	if (!h->timers)
		return fail("calloc");
	for (size_t i = 0; i < h->n; i++)
		if (timer_create(CLOCK_MONOTONIC, &none, &h->timers[i]))
			return fail("timer_create");
	return 0;
}

static int touch_pages(struct held *h)
{
	unsigned char *p =
		mmap(NULL, h->n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return fail("mmap");
	/* page by page: what is counted are faults */
	madvise(p, h->n * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < h->n; i++)
		p[i * PAGE] = 1;
	h->pages = p;
	return 0;
}

static void wait_for_the_end(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) > 0)
		;
}

static int open_fdtables(struct held *h)
{
	int up[2];
	char c;

	if (pipe(up))
		return fail("pipe");
	for (size_t i = 0; i < h->n; i++) {
		if (fork())
			continue;
		if (dup2(STDIN_FILENO, DESCRIPTORS - 1) < 0 || write(up[1], "", 1) != 1) {
			fail("dup2");
			_exit(EXIT_FAILURE);
		}
		if (h->keep)
			wait_for_the_end();
		_exit(0);
	}
	close(up[1]);
	for (size_t i = 0; i < h->n; i++)
		if (read(up[0], &c, 1) != 1)
			return -1;
	while (!h->keep && wait(NULL) > 0)
		;
	return close(up[0]);
}

/* The buffer for the value is there before the attribute is looked up. */
static int get_attributes(struct held *h)
{
	static char value[16384];

	getxattr("/", "user.no-such-attribute", value, 16);
	for (size_t i = 0; i < h->n; i++)
		if (getxattr("/", "user.no-such-attribute", value, sizeof(value)) >= 0)
			return fail("getxattr");
	return 0;
}

static const struct kind {
	const char *name;
	int (*allocate)(struct held *h);
} kinds[] = {
	{"pipes", open_pipes},	     {"eventfds", open_eventfds},    {"sockets", open_sockets},
	{"files", open_files},	     {"timers", make_timers},	     {"pages", touch_pages},
	{"fdtables", open_fdtables}, {"attributes", get_attributes},
};

static int allocate(struct held *h, char *names)
{
	char *rest;

	for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
		size_t i = 0, nr = sizeof(kinds) / sizeof(kinds[0]);

		while (i < nr && strcmp(kinds[i].name, name) != 0)
			i++;
		if (i == nr) {
			fprintf(stderr, "known-load: no such kind: %s\n", name);
			return -1;
		}
		if (kinds[i].allocate(h))
			return -1;
	}
	return 0;
}

static void give_back(struct held *h)
{
	for (size_t i = 0; i < h->nr_fds; i++)
		close(h->fds[i]);
	for (size_t i = 0; h->timers && i < h->n; i++)
		timer_delete(h->timers[i]);
	if (h->pages)
		munmap(h->pages, h->n * PAGE);
	free(h->timers);
	free(h->fds);
}

int main(int argc, char **argv)
{
	const struct rlimit files = {65536, 65536};
	const char *name = getenv("KNOWN_HOLDER");
	struct held held = {0};
	int ready[2];
	char c;

	if (argc != 4)
		return 2;
	held.keep = !strcmp(argv[3], "keep");
	held.n = strtoul(argv[2], NULL, 10);
	/* two for a pipe, one for each other kind */
	held.fds = calloc((sizeof(kinds) / sizeof(kinds[0]) + 1) * held.n, sizeof(*held.fds));
	if (!held.n || !held.fds || pipe(ready))
		return 2;
	setrlimit(RLIMIT_NOFILE, &files);
	if (held.keep && fork()) {
		close(ready[1]);
		/* the byte comes when everything is allocated */
		return read(ready[0], &c, 1) != 1;
	}
	/* a name of its own, by which the test recognizes it */
	prctl(PR_SET_NAME, name ? name : "known-holder");
	if (allocate(&held, argv[1]))
		return 1;
	if (held.keep) {
		if (write(ready[1], "", 1) != 1)
			return 1;
		close(ready[1]);
		wait_for_the_end();
	}
	give_back(&held);
	return 0;
}
