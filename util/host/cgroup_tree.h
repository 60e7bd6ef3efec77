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

/*
 * struct cgroup_news: control groups that appear in events, for readers of BPF events, to whom the
 * kernel does not report new groups.
 *
 * Each new id is looked up once. A group that was removed before its events were read has no path:
 * reports show its number. Memory: a few bytes for each id.
 */
struct cgroup_news {
	struct cgroup_tree tree;
	struct table known; /* u64 ids */
	uint64_t last_id;
};

/* Errors: -ENODEV if no hierarchy is mounted. */
int cgroup_news_init(struct cgroup_news *n, struct error *err);
void cgroup_news_deinit(struct cgroup_news *n);

/* All ids are new again. */
void cgroup_news_forget(struct cgroup_news *n);

/* For cgroup_news_path(). */
int cgroup_news_look_up(struct cgroup_news *n, uint64_t id, const char **ret_path);

/* An event has this id, or 0 if it has none. *ret_path: the group's path if the id is new and has
 * one, otherwise NULL. Valid until the next call. Returns 0, or -ENOMEM. */
static inline int cgroup_news_path(struct cgroup_news *n, uint64_t id, const char **ret_path)
{
	*ret_path = NULL;
	return !id || id == n->last_id ? 0 : cgroup_news_look_up(n, id, ret_path);
}

#endif
