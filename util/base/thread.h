/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads of our own: when to have one, and starting it.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* With so many jobs (0: as many as there are CPUs): is there to be more than one thread? */
bool thread_wanted(unsigned int jobs);

/*
 * pthread_create(), with all signals blocked but those of faults: they are for the main thread.
 * Errors: -errno.
 */
int thread_start(pthread_t *ret_thread, void *(*fn)(void *arg), void *arg);

#endif
