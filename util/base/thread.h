/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our threads: when to use one, and how to start it.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* With this many jobs (0: as many as there are CPUs): should there be more than one thread? */
bool thread_wanted(unsigned int jobs);

/*
 * pthread_create(), with all signals blocked except those of faults: the main thread handles them.
 * Errors: -errno.
 */
int thread_start(pthread_t *ret_thread, void *(*fn)(void *arg), void *arg);

#endif
