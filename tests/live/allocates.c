// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the kernel allocate on known lines, for tests/live/user_stacks.
 *
 *	allocates N [libc|direct|library|dlopen FILE|delete FILE|exec PROGRAM|fork|wait|deep]...
 *
 * In this order.  N eventfds are made: through the C library in an inlined function, directly, in a
 * library that it is linked with or opens; a file, such as itself, is removed; another program
 * takes over; a child goes on; it waits for a byte or the end of its standard input, also at the
 * bottom of a few calls.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocates.h"

static inline __attribute__((always_inline)) int inlined(void)
{
	return eventfd(1, 0); /* LINE inlined */
}

static __attribute__((noinline)) int through_libc(int n)
{
	int sum = 0;

	while (n--) {
		int fd = inlined();

		sum += fd;
		close(fd);
	}
	return sum;
}

static __attribute__((noinline)) long directly(int n)
{
	long sum = 0;

	while (n--) {
		long fd = call_kernel(SYS_eventfd2, 1, 0); /* LINE direct */

		sum += fd;
		close((int)fd);
	}
	return sum;
}

/* Calls itself, with a frame that has another size each time. */
static long wait_deep(int depth);
static long (*volatile next)(int depth) = wait_deep;

static long wait_deep(int depth)
{
	volatile char room[16 * depth + 1];

	room[0] = (char)depth;
	if (!depth)
		return read(STDIN_FILENO, (char *)room, 1);
	return room[0] + next(depth - 1);
}

#ifdef WITH_LIBRARY
#define LIBRARY(n) from_library(n)
#else
#define LIBRARY(n) ((n)*0)
#endif

static int from_file(const char *path, int n)
{
#ifndef WITHOUT_DLOPEN
	void *library = dlopen(path, RTLD_NOW);
	int (*fn)(int n);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&fn = dlsym(library, "from_library");
	return fn(n);
#else
	return path[0] * n;
#endif
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	long sum = 0;

	for (int i = 2; i < argc; i++) {
		const char *what = argv[i], *with = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(what, "libc"))
			sum += through_libc(n);
		else if (!strcmp(what, "direct"))
			sum += directly(n);
		else if (!strcmp(what, "library"))
			sum += LIBRARY(n);
		else if (!strcmp(what, "dlopen"))
			sum += from_file(with, n);
		else if (!strcmp(what, "delete"))
			unlink(with);
		else if (!strcmp(what, "wait"))
			sum += read(STDIN_FILENO, &(char){0}, 1);
		else if (!strcmp(what, "deep"))
			sum += wait_deep(20);
		else if (!strcmp(what, "exec"))
			execl(with, with, argv[1], NULL);
		else if (!strcmp(what, "fork") && fork() > 0) {
			wait(NULL);
			return 0;
		}
	}
	return sum == 1;
}
