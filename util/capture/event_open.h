/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening an evlist: a file descriptor for each event, CPU and recorded task.
 *
 * Kernels that lack a requested detail (lost counts before 6.0, ksymbol before 5.1) return EINVAL;
 * the detail is then dropped from all attrs and the open is retried.  Control groups, which are
 * only recorded when they are asked for, are dropped with a warning.  CPUs that went offline and
 * tasks that ended are skipped.  All events are opened disabled; ids are filled in.  Errors name
 * what is missing: permission, file descriptors, kernel support.  The descriptors are the evlist's.
 * Facts: perf_event_open(2), Documentation/admin-guide/perf-security.rst.
 */
#ifndef CAPTURE_EVENT_OPEN_H
#define CAPTURE_EVENT_OPEN_H

#include <sys/types.h>

#include "util/host/cpulist.h"
#include "util/output/evlist.h"

struct open_target {
	const struct cpulist *cpus;
	const pid_t *tids; /* nr_tids of them; none: all tasks of the CPUs */
	size_t nr_tids;
	int cgroup_fd; /* its tasks only, if there are no tids; -1: none */
};

int evlist_open(struct evlist *l, const struct open_target *target, struct error *err);

/* Would the kernel accept this filter? Tries it on an event opened for the purpose. Returns 0 or
 * -errno. */
int evsel_try_filter(const struct evsel *e, const char *filter);

int evlist_enable(struct evlist *l, struct error *err);
void evlist_disable(struct evlist *l);

/* Read the kernel's counts: evsel.count, evsel.lost and each descriptor's lost. */
int evlist_read_counts(struct evlist *l, struct error *err);

#endif
