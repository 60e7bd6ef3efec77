/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the directory of a control group to record.
 *
 * A name is a path in the hierarchy of the perf_event controller (version 1) or in the unified one
 * (version 2), as in reports, with or without the leading slash; or the path of a directory there.
 * Facts: Documentation/admin-guide/cgroup-v2.rst, perf_event_open(2) PERF_FLAG_PID_CGROUP.
 */
#ifndef CAPTURE_CGROUP_H
#define CAPTURE_CGROUP_H

#include "util/base/error.h"

/* Returns a descriptor, which the caller closes, or a negative errno. */
int cgroup_open(const char *name, struct error *err);

/* The same in version 2 only, which BPF programs use. */
int cgroup_open_unified(const char *name, struct error *err);

#endif
