/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is mounted, from /proc/mounts: distributions mount tracefs and control groups in different
 * places, so look for the type of a file system, not for its path.
 */
#ifndef HOST_MOUNTS_H
#define HOST_MOUNTS_H

#include <limits.h>
#include <stdbool.h>

/*
 * Where the first file system of this type is mounted, with this option unless it is NULL; `below`
 * is appended to its path.  False: there is none, and ret_path is unchanged.
 */
bool mounts_find(const char *type, const char *option, const char *below, char ret_path[PATH_MAX]);

#endif
