/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tasks of this machine and their names, from /proc.
 *
 * Tasks that end meanwhile are skipped.
 */
#ifndef HOST_TASKS_H
#define HOST_TASKS_H

#include <stdint.h>

/* A non-zero return stops the walk, and is returned. */
typedef int (*task_fn)(void *ctx, uint32_t pid, uint32_t tid, const char *comm);
typedef int (*process_fn)(void *ctx, uint32_t pid);

/* Call fn for each process; each thread of one; each thread of each process. */
int processes_for_each(process_fn fn, void *ctx);
int threads_for_each(uint32_t pid, task_fn fn, void *ctx);
int tasks_for_each(task_fn fn, void *ctx);

#endif
