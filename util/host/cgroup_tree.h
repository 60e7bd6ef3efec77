/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cgroup_tree: the control groups of this machine, by their ids.
 *
 * Of the hierarchy that the perf_event controller is in: version 1 if it is mounted with that
 * controller, else the unified one.  An id is what the kernel calls cgroup_id(), in samples
 * (PERF_SAMPLE_CGROUP) and BPF events: the inode number of the group's directory, and part of its
 * file handle.  So an id is looked up by its handle, without reading the tree; where that is not
 * allowed (it takes CAP_DAC_READ_SEARCH) or not possible, the tree is read.  Answers are
 * remembered: no id is ever used again while the kernel runs, and a group that is removed keeps its
 * path here. Paths begin with "/", which by itself is the root.  The tree owns them.
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
	struct table rows; /* u64 id -> number of its path; one that is unknown has none */
	struct intern paths;
};

/* Where that hierarchy is mounted. */
bool cgroup_mount_find(char ret_path[PATH_MAX]);

/* Errors: -ENODEV: no such hierarchy is mounted. */
int cgroup_tree_init(struct cgroup_tree *t, struct error *err);
/* The same for one that is mounted here, or for any directory. */
int cgroup_tree_init_at(struct cgroup_tree *t, const char *mount, struct error *err);
void cgroup_tree_deinit(struct cgroup_tree *t);

/* The path of the group, valid until the next call; NULL: there is none with this id any more, or
 * no memory. */
const char *cgroup_tree_path(struct cgroup_tree *t, uint64_t id);

/*
 * Call fn for each group that exists now, parents first; a negative return ends that and is
 * returned.  One that is removed meanwhile is skipped.  Errors: -ENOMEM.
 */
typedef int (*cgroup_fn)(void *ctx, uint64_t id, const char *path);
int cgroup_tree_for_each(const struct cgroup_tree *t, cgroup_fn fn, void *ctx);

#endif
