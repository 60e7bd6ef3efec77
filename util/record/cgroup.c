// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/base/cleanup.h"

/* Version 1's perf_event controller when it is mounted, else version 2. */
static bool find_hierarchy(char *ret_path)
{
	char line[2 * PATH_MAX];
	struct mntent m;
	FILE *f = setmntent("/proc/mounts", "re");
	bool found = false, controller = false;

	while (f && !controller && getmntent_r(f, &m, line, sizeof(line))) {
		controller = !strcmp(m.mnt_type, "cgroup") && hasmntopt(&m, "perf_event");
		if (!controller && (found || strcmp(m.mnt_type, "cgroup2") != 0))
			continue;
		found = snprintf(ret_path, PATH_MAX, "%s", m.mnt_dir) < PATH_MAX;
	}
	if (f)
		endmntent(f);
	return found;
}

int cgroup_open(const char *name, struct error *err)
{
	char mount[PATH_MAX], path[2 * PATH_MAX + 1];
	int fd;

	if (*name == '/') {
		snprintf(path, sizeof(path), "%s", name);
	} else {
		if (!find_hierarchy(mount))
			return error_set(err, ENODEV,
					 "no control groups: neither the unified hierarchy nor "
					 "one with perf_event is mounted");
		snprintf(path, sizeof(path), "%s/%s", mount, name);
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? error_set_errno(err, errno, "cannot open the control group '%s'", path)
		      : fd;
}
