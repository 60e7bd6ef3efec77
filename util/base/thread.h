/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads: when to use one, and its start with the right signal mask.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Whether this number of jobs (0: one for each CPU) means more than one thread. */
bool thread_wanted(unsigned int jobs);

/*
 * pthread_create() with all signals blocked except faults: the main thread handles signals. Errors:
 * -errno.
 */
int thread_start(pthread_t *ret_thread, void *(*fn)(void *arg), void *arg);

#endif
