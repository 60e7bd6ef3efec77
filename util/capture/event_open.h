/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens an evlist: a file descriptor for each event, CPU and recorded task.
 *
 * Kernels without a requested feature (lost counts before 6.0, ksymbol before 5.1) return EINVAL;
 * the feature is then dropped from all attrs and the open is retried. Control groups, which are
 * only recorded on request, are dropped with a warning. Offline CPUs and ended tasks are skipped.
 * All events are opened disabled, and ids are set. Errors name the cause: permission, file
 * descriptors, kernel support. The evlist owns the descriptors. Facts: perf_event_open(2),
 * Documentation/admin-guide/perf-security.rst.
 */
#ifndef CAPTURE_EVENT_OPEN_H
#define CAPTURE_EVENT_OPEN_H

#include <sys/types.h>

#include "util/host/cpulist.h"
#include "util/output/evlist.h"

struct open_target {
	const struct cpulist *cpus;
	const pid_t *tids; /* nr_tids tasks; none: all tasks of the CPUs */
	size_t nr_tids;
	int cgroup_fd; /* only tasks of this control group, if there are no tids; -1: none */
};

int evlist_open(struct evlist *l, const struct open_target *target, struct error *err);

/* Whether the kernel accepts this filter, tested on an event opened for that. Returns 0, or
 * -errno. */
int evsel_try_filter(const struct evsel *e, const char *filter);

int evlist_enable(struct evlist *l, struct error *err);
void evlist_disable(struct evlist *l);

/* Read the kernel's counts: evsel.count, evsel.lost and each descriptor's lost. */
int evlist_read_counts(struct evlist *l, struct error *err);

#endif
