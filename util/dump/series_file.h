/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct series_file: a file of snapshots, one after the other, that grows.
 *
 * Each snapshot is appended as a whole, and the file never has a part of one: an append that fails
 * is undone. A writer that is killed in the middle leaves a beginning of a snapshot at the end of
 * the file. Readers ignore it, and series_file_open() removes it. One writer at a time holds a lock
 * on the file.
 */
#ifndef DUMP_SERIES_FILE_H
#define DUMP_SERIES_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"

struct series_file {
	int fd;
	const char *path; /* borrowed */
	uint64_t len;	  /* bytes of whole snapshots */
	uint64_t cut;	  /* bytes that series_file_open() removed */
};

/*
 * Create a file, or continue an existing series. Errors: the file is not a series; it belongs to
 * another user; another process is writing to it; without zstd, it exists.
 */
int series_file_open(struct series_file *f, const char *path, struct error *err);

/* Returns 0 or -errno. */
int series_file_append(struct series_file *f, const void *data, size_t len);

void series_file_close(struct series_file *f);

#endif
