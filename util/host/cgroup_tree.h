/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cgroup_tree: the control groups of this machine, by their ids.
 *
 * It uses the hierarchy of the perf_event controller: version 1 if it is mounted with that
 * controller, else the unified one. An id is the kernel's cgroup_id(), as in samples
 * (PERF_SAMPLE_CGROUP) and BPF events: the inode number of the group's directory, which is also
 * part of its file handle. So an id is looked up by its handle, without reading the tree. If this
 * is not allowed (it needs CAP_DAC_READ_SEARCH) or not possible, the tree is read.
 *
 * Answers are remembered: the kernel never reuses an id while it runs, and a removed group keeps
 * its path here. Paths begin with "/", which alone is the root. The tree owns them.
 */
#ifndef HOST_CGROUP_TREE_H
#define HOST_CGROUP_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/intern.h"
#include "util/base/table.h"

struct cgroup_tree {
	char mount[PATH_MAX];
	int mount_fd;
	bool by_handle;	   /* false: read the tree */
	struct table rows; /* u64 id -> index of its path; unknown ids have none */
	struct intern paths;
};

/* Find the mount point of that hierarchy. */
bool cgroup_mount_find(char ret_path[PATH_MAX]);

/* Errors: -ENODEV if no such hierarchy is mounted. */
int cgroup_tree_init(struct cgroup_tree *t, struct error *err);
/* The same for a mounted hierarchy, or any directory. */
int cgroup_tree_init_at(struct cgroup_tree *t, const char *mount, struct error *err);
void cgroup_tree_deinit(struct cgroup_tree *t);

/* Returns the path of the group, valid until the next call; NULL if there is no group with this id
 * any more, or if out of memory. */
const char *cgroup_tree_path(struct cgroup_tree *t, uint64_t id);

/*
 * Call fn for each existing group, parents first. A negative return stops it and is returned.
 * Groups removed meanwhile are skipped. Errors: -ENOMEM.
 */
typedef int (*cgroup_fn)(void *ctx, uint64_t id, const char *path);
int cgroup_tree_for_each(const struct cgroup_tree *t, cgroup_fn fn, void *ctx);

#endif
