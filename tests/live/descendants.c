// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command with descendants of every kind, each of which opens N event descriptors, for
 * tests/live/only_command.
 *
 *	descendants N [HOLD_FIFO]
 *
 * Their names: a "child"; a "vforked" one, which then executes this program; a "thread"; a
 * "sibling", whose parent is our own (CLONE_PARENT); an "orphan", whose parent has ended; an
 * "executed" program. All have ended before the command ends, unless a fifo is given: then an
 * "outliving" process, which opens none, ends when the fifo has been read.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int n;

static void open_all(const char *name)
{
	prctl(PR_SET_NAME, name);
	for (int i = 0; i < n; i++)
		close(eventfd(0, 0));
}

static void *thread(void *arg)
{
	open_all("thread");
	return arg;
}

/* Both ends of a pipe whose reader sees its end when all writers have ended. */
static void wait_for_end(int fds[2])
{
	char byte;

	close(fds[1]);
	while (read(fds[0], &byte, 1) > 0)
		;
}

int main(int argc, char *argv[])
{
	char *spawned[] = {"descendants", "executed", argv[1], "vforked", NULL};
	int fds[2];
	pthread_t t;
	pid_t pid;

	if (argc > 2 && !strcmp(argv[1], "executed")) {
		n = atoi(argv[2]);
		open_all(argc > 3 ? argv[3] : "executed");
		return 0;
	}
	n = argc > 1 ? atoi(argv[1]) : 1;
	if (pipe(fds))
		return 1;
	if (!fork()) {
		open_all("child");
		_exit(0);
	}
	/* which is vfork() and exec */
	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, spawned, environ))
		return 1;
	prctl(PR_SET_NAME, "descendants");
	if (pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL))
		return 1;
	if (!fork()) {
		if (!fork()) {
			usleep(50000);
			open_all("orphan");
		}
		_exit(0);
	}
	if (!syscall(SYS_clone, CLONE_PARENT, 0, 0, 0, 0)) {
		open_all("sibling");
		_exit(0);
	}
	if (!fork()) {
		execl("/proc/self/exe", "descendants", "executed", argv[1], (char *)NULL);
		_exit(1);
	}
	while (wait(NULL) > 0)
		;
	wait_for_end(fds);
	if (argc > 2 && !fork()) {
		char byte;
		int fd = open(argv[2], O_RDONLY);

		prctl(PR_SET_NAME, "outliving");
		return read(fd, &byte, 1) < 0;
	}
	return 0;
}
