// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/mounts.h"

#include <mntent.h>
#include <stdio.h>
#include <string.h>

bool mounts_find(const char *type, const char *option, const char *below, char ret_path[PATH_MAX])
{
	char line[2 * PATH_MAX], path[PATH_MAX];
	FILE *f = setmntent("/proc/mounts", "re");
	bool found = false;
	struct mntent m;

	if (!f)
		return false;
	while (!found && getmntent_r(f, &m, line, sizeof(line)))
		found = !strcmp(m.mnt_type, type) && (!option || hasmntopt(&m, option)) &&
			snprintf(path, sizeof(path), "%s%s", m.mnt_dir, below) < (int)sizeof(path);
	endmntent(f);
	if (found)
		memcpy(ret_path, path, sizeof(path));
	return found;
}
