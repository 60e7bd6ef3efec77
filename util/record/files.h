/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct files: names and sizes of the files of a recording that makes several.
 *
 * A name is BASE.YYYYMMDDhhmmssNN, local time and hundredths, as in stock. If there are more than
 * `max`, the oldest is removed, so the space of a recording of several days is bounded; files of
 * other recordings are never touched. The struct owns the names.
 */
#ifndef RECORD_FILES_H
#define RECORD_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct file_made {
	char *path;
	uint64_t bytes;
};

struct files {
	struct file_made *v; /* kept files, oldest first */
	size_t nr;
	uint64_t max;	/* 0: no limit */
	uint64_t bytes; /* bytes of kept files */
};

/* A name for a file of this moment, not yet in use; the caller frees it. NULL if out of memory. */
char *files_name(const char *base, const struct timespec *now);

/* A file was made; remove the oldest if there are too many. Returns 0, or -ENOMEM. */
int files_add(struct files *f, const char *path, uint64_t bytes);

void files_deinit(struct files *f);

#endif
