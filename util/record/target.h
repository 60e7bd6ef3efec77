/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is recorded: which CPUs and which tasks, worked out from the options.
 *
 * With -p and -t the tasks named; else with a command, unless -a or -C is given too,
 * the command; else everything on the CPUs.  A process means all the threads it
 * has now (those they start are inherited).  Arrays are the caller's to free.
 */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include "util/record/recorder.h"

int target_online(struct cpulist *cpus, struct error *err);

/* The online CPUs, or those of them in `wanted` when that is not empty. */
int target_cpus(struct cpulist *cpus, const struct cpulist *wanted, struct error *err);

/* No tasks (*ret_nr 0): all of them. */
int target_tids(const struct recorder_options *options, pid_t command, pid_t **ret_tids,
		size_t *ret_nr, struct error *err);

/* Is one of the threads still there? */
bool target_alive(const pid_t *tids, size_t nr);

#endif
