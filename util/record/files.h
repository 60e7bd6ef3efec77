/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct files: names and sizes of the files of a recording that makes several.
 *
 * Each is BASE.YYYYMMDDhhmmssNN, local time and hundredths, as stock names them.  If there are more
 * than `max` the oldest is removed, so that a recording of several days takes bounded space; files
 * of other recordings are never touched.  Owns the names.
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
	struct file_made *v; /* those being kept, oldest first */
	size_t nr;
	uint64_t max;	/* 0: no limit */
	uint64_t bytes; /* of those being kept */
};

/* A name for a file of this moment, not yet in use; the caller frees it. NULL: no memory. */
char *files_name(const char *base, const struct timespec *now);

/* A file was made; remove the oldest if there are too many. Returns 0 or -ENOMEM. */
int files_add(struct files *f, const char *path, uint64_t bytes);

void files_deinit(struct files *f);

#endif
