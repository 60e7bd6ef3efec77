// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/host/cgroup_tree.h"
#include "util/host/mounts.h"

static int open_directory(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int open_group(const char *name, bool (*find)(char ret_path[PATH_MAX]), const char *where,
		      struct error *err)
{
	char mount[PATH_MAX], path[2 * PATH_MAX + 1];
	int fd = -1;

	if (find(mount)) {
		snprintf(path, sizeof(path), "%s/%s", mount, name);
		fd = open_directory(path);
	} else if (*name != '/') {
		return error_set(err, ENODEV, "no control groups: %s mounted", where);
	}
	if (fd < 0 && *name == '/') {
		snprintf(path, sizeof(path), "%s", name);
		fd = open_directory(path);
	}
	return fd < 0 ? error_set_errno(err, errno, "cannot open the control group '%s'", path)
		      : fd;
}

int cgroup_open(const char *name, struct error *err)
{
	return open_group(name, cgroup_mount_find,
			  "neither the unified hierarchy nor one with perf_event is", err);
}

static bool find_unified(char ret_path[PATH_MAX])
{
	return mounts_find("cgroup2", NULL, "", ret_path);
}

int cgroup_open_unified(const char *name, struct error *err)
{
	int fd = open_group(name, find_unified, "the unified hierarchy is not", err);
	struct statfs st;

	if (fd < 0 || (!fstatfs(fd, &st) && st.f_type == CGROUP2_SUPER_MAGIC))
		return fd;
	close(fd);
	return error_set(err, EINVAL, "'%s' is not a control group of version 2", name);
}
