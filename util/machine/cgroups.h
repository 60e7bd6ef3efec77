/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cgroups: the path of each control group that a recording has named so far.
 *
 * Fed with CGROUP records in time order.  Samples only have ids (inode numbers of the hierarchy
 * that the perf_event controller is in); a control group that is removed and made again has another
 * id, but its path is the same interned string.  The intern is the caller's; paths are cut at
 * PATH_MAX.
 */
#ifndef MACHINE_CGROUPS_H
#define MACHINE_CGROUPS_H

#include <stdint.h>

#include "util/base/intern.h"
#include "util/base/table.h"

struct cgroups {
	struct table rows; /* u64 id -> u32 number of the path */
	struct intern *strings;
	uint64_t last_id; /* the one looked up last: often the next one, too; 0: none */
	uint32_t last_path;
};

void cgroups_init(struct cgroups *c, struct intern *strings);
void cgroups_deinit(struct cgroups *c);

/* Errors: -ENOMEM. */
int cgroups_set_path(struct cgroups *c, uint64_t id, const char *path);

/* The number of the path; of the id in decimal if that has none, of "unknown" for 0. INTERN_NONE:
 * no memory. */
uint32_t cgroups_path(struct cgroups *c, uint64_t id);

#endif
