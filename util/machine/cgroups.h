/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cgroups: the path of each control group named so far in a recording.
 *
 * Fed with CGROUP records in time order. Samples have ids only (inode numbers of the hierarchy that
 * the perf_event controller is in). A control group that is removed and created again gets a new
 * id, but the same interned path. The caller owns the intern; paths are truncated to PATH_MAX.
 */
#ifndef MACHINE_CGROUPS_H
#define MACHINE_CGROUPS_H

#include <stdint.h>

#include "util/base/intern.h"
#include "util/base/table.h"

struct cgroups {
	struct table rows; /* u64 id -> u32 number of the path */
	struct intern *strings;
	uint64_t last_id; /* the latest lookup, often repeated; 0: none */
	uint32_t last_path;
};

void cgroups_init(struct cgroups *c, struct intern *strings);
void cgroups_deinit(struct cgroups *c);

/* Errors: -ENOMEM. */
int cgroups_set_path(struct cgroups *c, uint64_t id, const char *path);

/* The number of the id's path; without one, of the id in decimal, or of "unknown" for 0.
 * INTERN_NONE if out of memory. */
uint32_t cgroups_path(struct cgroups *c, uint64_t id);

#endif
