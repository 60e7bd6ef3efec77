/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mount points from /proc/mounts, for all users of pseudo file systems.
 *
 * Distributions mount tracefs and control groups in different places, so search for the type of a
 * file system, not for its path.
 */
#ifndef HOST_MOUNTS_H
#define HOST_MOUNTS_H

#include <limits.h>
#include <stdbool.h>

/*
 * Find the mount point of the first file system with this type and, unless it is NULL, this option;
 * `below` is appended to it. Returns false if there is none; ret_path is unchanged then.
 */
bool mounts_find(const char *type, const char *option, const char *below, char ret_path[PATH_MAX]);

#endif
