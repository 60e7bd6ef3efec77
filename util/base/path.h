/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last part of a path. Unlike basename() of POSIX, it does not change the path. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <string.h>

/* The name after the last slash. A path that ends in a slash is returned whole. */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
