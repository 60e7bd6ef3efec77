/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct scratch_root: a directory for a made-up /proc and /sys. */
#ifndef TESTS_UNIT_SCRATCH_ROOT_H
#define TESTS_UNIT_SCRATCH_ROOT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* clang-format off: cmocka.h needs those before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

struct scratch_root {
	char dir[64];
};

/* Returns 0, or -1 if it cannot be created. */
static inline int scratch_root_init(struct scratch_root *r)
{
	*r = (struct scratch_root){.dir = "/tmp/scratch_root.XXXXXX"};
	return mkdtemp(r->dir) ? 0 : -1;
}

/* Write a file, and create the directories above it. path: with a slash at the start. */
static inline void scratch_root_put(const struct scratch_root *r, const char *path,
				    const char *text)
{
	char full[256];
	FILE *f;

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(full, sizeof(full), "%s%.*s", r->dir, (int)(slash - path), path);
		mkdir(full, 0700);
	}
	snprintf(full, sizeof(full), "%s%s", r->dir, path);
	f = fopen(full, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Returns 0 if all of it is removed. */
static inline int scratch_root_deinit(const struct scratch_root *r)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -r %s", r->dir);
	return system(command);
}

#endif
