/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct workload: the command being recorded, from fork to exit status.
 *
 * workload_fork() creates the process, which waits; events can be opened on its pid.
 * workload_start() lets it exec and returns when that has succeeded or failed, so that a missing
 * command is noticed before any file is written. A workload that is forked but never started ends
 * in workload_deinit(). Errors: that of exec; status is then 127 (no such command) or 126, as in a
 * shell.
 */
#ifndef RECORD_WORKLOAD_H
#define RECORD_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "util/base/error.h"

struct workload {
	pid_t pid; /* 0 if there is none, or it has ended */
	int go_fd;
	int result_fd;
	int status; /* exit status as in a shell, once ended */
	const char *name;
};

/* mask: signal mask for the command; stdout_fd: its standard output, -1: ours. */
int workload_fork(struct workload *w, char *const argv[], const sigset_t *mask, int stdout_fd,
		  struct error *err);
int workload_start(struct workload *w, struct error *err);

/* Whether it has ended. Never blocks; sets status. */
bool workload_ended(struct workload *w);

void workload_deinit(struct workload *w);

#endif
