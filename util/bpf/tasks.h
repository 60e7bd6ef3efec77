/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads of processes, into the map of tasks whose events are wanted.
 */
#ifndef BPF_TASKS_H
#define BPF_TASKS_H

#include <stddef.h>
#include <sys/types.h>

#include "util/base/error.h"

/* -ESRCH: there is no such process. A thread that ends meanwhile, or has ended, is no error. */
int bpf_tasks_add_process(int map_fd, pid_t pid, struct error *err);
int bpf_tasks_add(int map_fd, pid_t tid, struct error *err);

#endif
