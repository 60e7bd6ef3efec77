/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_writer: writes blocks on a thread of its own, so that slow output does not delay
 * events.
 *
 * Output is slow if its reader is, or if the terminal was stopped. At most a megabyte of blocks
 * waits while others are being written. A new file gets its name with the first block, and grows by
 * whole blocks.
 *
 * If blocks replace each other, each becomes a file that replaces the one before, so that a reader
 * finds a whole block. If that fails, the old file stays, a warning is logged, and the next block
 * tries again. It is the same if each block becomes a file of its own in a folder.
 */
#ifndef TOP_WRITER_H
#define TOP_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/base/out_file.h"
#include "util/base/out_folder.h"

struct top_writer {
	struct out_file *file;		 /* NULL if each block becomes a file */
	const struct out_folder *folder; /* of these files; NULL if there is one file */
	const char *name;		 /* of these files */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char *text; /* waiting to be written; NULL: none */
	size_t len;
	bool is_writing, is_ending;
	bool replaces; /* each block replaces the file */
	int error; /* errno of a failed write; of the latest one if the next block tries again */
};

/*
 * Only the writer may use the file until the end. replaces: blocks replace each other, if it is a
 * new file. Errors: -errno.
 */
int top_writer_start(struct top_writer *w, struct out_file *file, bool replaces);

/* For a file of each block: the folder and the file's name must outlive the writer. */
int top_writer_start_files(struct top_writer *w, const struct out_folder *folder, const char *name);

/* Is there room for a block? wait: until there is. */
bool top_writer_has_room(struct top_writer *w, bool wait);

/* Heap memory, which is the writer's from now on. Returns 0, or -errno of an earlier write that
 * cannot be repeated. */
int top_writer_put(struct top_writer *w, char *text, size_t len);

/* Write what waits, and end. Returns 0, or -errno of a write. */
int top_writer_end(struct top_writer *w);

#endif
