/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is recorded: which CPUs and which tasks, derived from the options.
 *
 * With -p and -t, the tasks named; else, if there is a command and neither -a nor -C, the command;
 * else everything on the CPUs.  A process means all threads that it has now (those that they start
 * are inherited).  The caller frees the arrays.
 */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include "util/capture/recorder_options.h"

int target_online(struct cpulist *cpus, struct error *err);

/* The online CPUs, or those of them that are in `wanted` if that is not empty. -ENODEV: one of
 * those is not online. */
int target_cpus(struct cpulist *cpus, const struct cpulist *wanted, struct error *err);

/* No tasks (*ret_nr 0): all of them. -ESRCH: one of the options does not exist. */
int target_tids(const struct recorder_options *options, pid_t command, pid_t **ret_tids,
		size_t *ret_nr, struct error *err);

/* Does one of the threads still exist? */
bool target_alive(const pid_t *tids, size_t nr);

#endif
