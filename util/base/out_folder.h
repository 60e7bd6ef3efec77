/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct out_folder: a folder that gets a file for each report, and loses the oldest.
 *
 * A file is named after its time, "20261129T091500.123456Z-leak.jsonl.zst" (UTC), so that names are
 * in the order of time. It is compressed, in builds with libzstd, and gets its name when it is
 * whole (util/base/out_file.h). Then the oldest files with such names are removed until the folder
 * is within its bounds, whoever wrote them; files with other names are never touched. The newest
 * stays even if it is larger than the bound.
 */
#ifndef BASE_OUT_FOLDER_H
#define BASE_OUT_FOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "util/base/error.h"

#define OUT_FOLDER_BYTES (100 << 20) /* a bound that fits most disks */

struct out_folder {
	const char *path;   /* NULL: none. */
	uint64_t max_bytes; /* of all files */
	uint64_t max_files; /* 0: no limit */
};

/* Make the folder if it does not exist, and check that files can be made in it. */
int out_folder_check(const struct out_folder *f, struct error *err);

/*
 * Write a file. now: its time; NULL: the present. name: "leak.jsonl". Errors: -ENOMEM, or that of
 * the file system, with PATH quoted.
 */
int out_folder_put(const struct out_folder *f, const struct timespec *now, const char *name,
		   const void *data, size_t len, struct error *err);

#endif
