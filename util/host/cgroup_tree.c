// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/cgroup_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/host/mounts.h"

/* The handle of a directory of cgroupfs is its id (since 5.5, "kernfs: use 64bit inos if ino_t is
 * 64bit"). */
#define HANDLE_KERNFS 0xfe /* FILEID_KERNFS */

struct cgroup_handle {
	struct file_handle handle;
	uint64_t id;
};

_Static_assert(offsetof(struct cgroup_handle, id) == sizeof(struct file_handle), "its bytes");

struct cgroup_row {
	uint64_t id;
	uint32_t path; /* INTERN_NONE: no path */
};

bool cgroup_mount_find(char ret_path[PATH_MAX])
{
	return mounts_find("cgroup", "perf_event", "", ret_path) ||
	       mounts_find("cgroup2", NULL, "", ret_path);
}

/* Read the id from the file system's handle, or else from the inode. */
static bool id_of(int dir_fd, const char *path, uint64_t *ret_id, bool *ret_by_handle)
{
	struct cgroup_handle h = {.handle = {.handle_bytes = sizeof(h.id)}};
	struct stat st;
	int mount_id;

	*ret_by_handle =
		!name_to_handle_at(dir_fd, path, &h.handle, &mount_id, *path ? 0 : AT_EMPTY_PATH) &&
		h.handle.handle_type == HANDLE_KERNFS && h.handle.handle_bytes == sizeof(h.id);
	if (*ret_by_handle) {
		*ret_id = h.id;
		return true;
	}
	if (fstatat(dir_fd, path, &st, *path ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH))
		return false;
	*ret_id = st.st_ino;
	return true;
}

/* Whether directories may be opened by their handles. */
static bool can_open_handles(const struct cgroup_tree *t)
{
	struct cgroup_handle h = {
		.handle = {.handle_bytes = sizeof(h.id), .handle_type = HANDLE_KERNFS}};
	bool by_handle;
	_cleanup_close_ int fd = -1;

	if (!id_of(t->mount_fd, "", &h.id, &by_handle) || !by_handle)
		return false;
	fd = open_by_handle_at(t->mount_fd, &h.handle, O_PATH | O_CLOEXEC);
	return fd >= 0;
}

int cgroup_tree_init_at(struct cgroup_tree *t, const char *mount, struct error *err)
{
	*t = (struct cgroup_tree){.mount_fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	table_init(&t->rows, sizeof(struct cgroup_row), sizeof(uint64_t));
	intern_init(&t->paths);
	if (t->mount_fd < 0) {
		int code = errno;

		cgroup_tree_deinit(t);
		return error_set_errno(err, code, "cannot read the control groups in '%s'", mount);
	}
	snprintf(t->mount, sizeof(t->mount), "%s", mount);
	t->by_handle = can_open_handles(t);
	return 0;
}

int cgroup_tree_init(struct cgroup_tree *t, struct error *err)
{
	char mount[PATH_MAX];

	if (cgroup_mount_find(mount))
		return cgroup_tree_init_at(t, mount, err);
	*t = (struct cgroup_tree){.mount_fd = -1};
	return error_set(err, ENODEV,
			 "no control groups: neither the unified hierarchy nor one with "
			 "perf_event is mounted");
}

void cgroup_tree_deinit(struct cgroup_tree *t)
{
	if (t->mount_fd >= 0)
		close(t->mount_fd);
	table_deinit(&t->rows);
	intern_deinit(&t->paths);
	*t = (struct cgroup_tree){.mount_fd = -1};
}

/* ---- reading the tree ---- */

/* Paths that are still to be read, each ended by a NUL and without the first slash. */
static int add_children(struct strbuf *queue, const struct cgroup_tree *t, const char *path)
{
	int fd = openat(t->mount_fd, *path ? path : ".",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((e = readdir(d))) {
		if (e->d_type != DT_DIR || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		strbuf_addf(queue, "%s%s%s", path, *path ? "/" : "", e->d_name);
		strbuf_addch(queue, '\0');
	}
	closedir(d);
	return queue->failed ? -ENOMEM : 0;
}

int cgroup_tree_for_each(const struct cgroup_tree *t, cgroup_fn fn, void *ctx)
{
	_cleanup_(strbuf_deinit) struct strbuf queue = STRBUF_INIT;
	int ret = strbuf_addch(&queue, '\0'); /* the root */

	for (size_t at = 0; !ret && at < queue.len;) {
		_cleanup_free_ char *path = NULL;
		uint64_t id;
		bool by_handle;

		if (asprintf(&path, "/%s", queue.buf + at) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		at += strlen(path); /* the NUL is at the place of the slash */
		if (id_of(t->mount_fd, path + 1, &id, &by_handle))
			ret = fn(ctx, id, path);
		if (!ret)
			ret = add_children(&queue, t, path + 1);
	}
	return ret;
}

/* ---- one group ---- */

static int remember(struct cgroup_tree *t, uint64_t id, const char *path)
{
	uint32_t number = path ? intern_add_str(&t->paths, path) : INTERN_NONE;
	struct cgroup_row *row;

	if (path && number == INTERN_NONE)
		return -ENOMEM;
	row = table_insert(&t->rows, &id);
	if (!row)
		return -ENOMEM;
	row->path = number;
	return 0;
}

static int remember_path(void *ctx, uint64_t id, const char *path)
{
	return remember(ctx, id, path);
}

/* Remember the path below the mount, from the kernel's name of the open directory. */
static int remember_open(struct cgroup_tree *t, uint64_t id, int fd)
{
	static const char deleted[] = " (deleted)";
	const size_t root = strcmp(t->mount, "/") ? strlen(t->mount) : 0;
	char link[40], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return remember(t, id, NULL);
	path[len] = '\0';
	/* removed between the two calls */
	if ((size_t)len > strlen(deleted) && !strcmp(path + len - strlen(deleted), deleted))
		path[(size_t)len - strlen(deleted)] = '\0';
	if (strncmp(path, t->mount, root) || (path[root] && path[root] != '/'))
		return remember(t, id, NULL); /* it is not below this mount */
	return remember(t, id, path[root] ? path + root : "/");
}

static int look_up(struct cgroup_tree *t, uint64_t id)
{
	struct cgroup_handle h = {
		.handle = {.handle_bytes = sizeof(h.id), .handle_type = HANDLE_KERNFS}, .id = id};
	_cleanup_close_ int fd = -1;
	int ret;

	if (t->by_handle) {
		fd = open_by_handle_at(t->mount_fd, &h.handle, O_PATH | O_CLOEXEC);
		return fd < 0 ? remember(t, id, NULL) : remember_open(t, id, fd);
	}
	ret = cgroup_tree_for_each(t, remember_path, t);
	if (!ret && !table_find(&t->rows, &id))
		ret = remember(t, id, NULL);
	return ret;
}

const char *cgroup_tree_path(struct cgroup_tree *t, uint64_t id)
{
	const struct cgroup_row *row = table_find(&t->rows, &id);

	if (!row && !look_up(t, id))
		row = table_find(&t->rows, &id);
	return row && row->path != INTERN_NONE ? intern_get(&t->paths, row->path, NULL) : NULL;
}

int cgroup_news_init(struct cgroup_news *n, struct error *err)
{
	*n = (struct cgroup_news){.last_id = 0};
	table_init(&n->known, sizeof(uint64_t), sizeof(uint64_t));
	return cgroup_tree_init(&n->tree, err);
}

void cgroup_news_deinit(struct cgroup_news *n)
{
	table_deinit(&n->known);
	cgroup_tree_deinit(&n->tree);
}

void cgroup_news_forget(struct cgroup_news *n)
{
	table_deinit(&n->known);
	table_init(&n->known, sizeof(uint64_t), sizeof(uint64_t));
	n->last_id = 0;
}

int cgroup_news_look_up(struct cgroup_news *n, uint64_t id, const char **ret_path)
{
	n->last_id = id;
	if (table_find(&n->known, &id))
		return 0;
	if (!table_insert(&n->known, &id))
		return -ENOMEM;
	*ret_path = cgroup_tree_path(&n->tree, id);
	return 0;
}
