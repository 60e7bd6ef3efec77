// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/thread.h"

#include <signal.h>
#include <unistd.h>

bool thread_wanted(unsigned int jobs)
{
	return jobs ? jobs > 1 : sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

int thread_start(pthread_t *ret_thread, void *(*fn)(void *arg), void *arg)
{
	sigset_t all, old;
	int ret;

	/* Faults are delivered to their thread: if they are blocked, the kernel kills the process
	 * (map_guard.h). */
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(ret_thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -ret;
}
