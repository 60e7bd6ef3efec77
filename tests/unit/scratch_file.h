/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct scratch_file: a path in a directory of its own, and the path with ".old"; a test may make
 * a directory of it. */
#ifndef TESTS_UNIT_SCRATCH_FILE_H
#define TESTS_UNIT_SCRATCH_FILE_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* clang-format off: cmocka.h needs those before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

struct scratch_file {
	char dir[64];
	char path[128];
	char old[136];
};

static inline void scratch_file_init(struct scratch_file *f)
{
	*f = (struct scratch_file){.dir = "/tmp/scratch_file.XXXXXX"};
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/out", f->dir);
	snprintf(f->old, sizeof(f->old), "%s.old", f->path);
}

/* Remove a directory of files, and return how many there were. */
static inline int scratch_remove_all(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int nr = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		nr += !unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	assert_int_equal(rmdir(path), 0);
	return nr;
}

static inline void scratch_file_deinit(const struct scratch_file *f)
{
	unlink(f->path);
	unlink(f->old);
	assert_int_equal(rmdir(f->dir), 0); /* nothing else was left */
}

#endif
