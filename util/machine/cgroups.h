/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cgroups: the path of each control group named so far in a recording, and its parts.
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
#include "util/machine/cgroup_parts.h"

struct cgroup_row;

struct cgroups {
	struct table rows; /* u64 id -> numbers of its names */
	struct intern *strings;
	const struct cgroup_row *last; /* the latest one found, often repeated */
};

void cgroups_init(struct cgroups *c, struct intern *strings);
void cgroups_deinit(struct cgroups *c);

/* Errors: -ENOMEM. */
int cgroups_set_path(struct cgroups *c, uint64_t id, const char *path);

/*
 * The number of the path or of a part of it: "none" if the path has no such part. If no record
 * named the id: the id in decimal for the path, else "unknown"; "unknown" for 0, too. INTERN_NONE
 * if out of memory.
 */
uint32_t cgroups_name(struct cgroups *c, uint64_t id, enum cgroup_part part);

#endif
