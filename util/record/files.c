// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *files_name(const char *base, const struct timespec *now)
{
	struct timespec at = *now;

	for (;;) {
		char stamp[32], *path;
		struct tm tm;

		localtime_r(&at.tv_sec, &tm);
		strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
		if (asprintf(&path, "%s.%s%02ld", base, stamp, at.tv_nsec / 10000000) < 0)
			return NULL;
		if (access(path, F_OK))
			return path;
		/* Two in the same hundredth of a second: use the next free name. */
		free(path);
		at.tv_nsec += 10000000;
		if (at.tv_nsec >= 1000000000) {
			at.tv_nsec -= 1000000000;
			at.tv_sec++;
		}
	}
}

static void drop_oldest(struct files *f)
{
	unlink(f->v[0].path);
	free(f->v[0].path);
	f->bytes -= f->v[0].bytes;
	memmove(f->v, f->v + 1, --f->nr * sizeof(*f->v));
}

int files_add(struct files *f, const char *path, uint64_t bytes)
{
	struct file_made *v = reallocarray(f->v, f->nr + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	f->v = v;
	v[f->nr] = (struct file_made){strdup(path), bytes};
	if (!v[f->nr].path)
		return -ENOMEM;
	f->nr++;
	f->bytes += bytes;
	while (f->max && f->nr > f->max)
		drop_oldest(f);
	return 0;
}

void files_deinit(struct files *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->v[i].path);
	free(f->v);
	*f = (struct files){0};
}
