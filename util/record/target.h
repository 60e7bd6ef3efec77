/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs and tasks to record, derived from the options.
 *
 * With -p and -t, the named tasks; otherwise, if there is a command and neither -a nor -C, or
 * with --only-command, the command; otherwise everything on the CPUs. A process stands for all
 * threads that it has now (later ones are inherited). The caller frees the arrays.
 */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include "util/capture/recorder_options.h"

int target_online(struct cpulist *cpus, struct error *err);

/* The online CPUs, or those in `wanted` if that is not empty. -ENODEV: one of those is not
 * online. */
int target_cpus(struct cpulist *cpus, const struct cpulist *wanted, struct error *err);

/* *ret_nr 0: all tasks. -ESRCH: one of the named tasks does not exist. */
int target_tids(const struct recorder_options *options, pid_t command, pid_t **ret_tids,
		size_t *ret_nr, struct error *err);

/* Whether one of the threads still exists. */
bool target_alive(const pid_t *tids, size_t nr);

#endif
