/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct out_file: where a recording is written to: a new file, or something that exists already.
 *
 * A new file is created under an unpredictable name, mode 0600, in the directory of its final name,
 * which out_file_publish() gives it; a file that had that name becomes NAME.old.  So a recording
 * that never starts neither leaves nor removes a file.  In a directory where only owners may remove
 * files (/tmp), files of other users are left alone: they are neither replaced nor written to.  A
 * NAME that is not a regular file (/dev/null, a FIFO), or "-" for standard output, is written in
 * place, sequentially.
 *
 * Before a write to a FIFO or a pipe that would block, `wait` is called: a caller that handles
 * signals itself must be able to stop there.  Errors have NAME in quotes.
 */
#ifndef BASE_OUT_FILE_H
#define BASE_OUT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "util/base/error.h"

/*
 * Returns 0 when fd can be written or was hung up; fd -1: when it is time to check again for a
 * reader.  A negative errno: give up.
 */
typedef int (*out_file_wait_fn)(void *ctx, int fd);

struct out_file_wait {
	out_file_wait_fn fn; /* NULL: block */
	void *ctx;
};

struct out_file {
	int fd;
	int dir_fd;	   /* the directory of the name; -1: written in place */
	char *path;	   /* for messages */
	const char *name;  /* its last part */
	char tmp_name[32]; /* empty: published, or written in place */
	bool regular;	   /* a new file: seekable and mappable */
	bool stream;	   /* a pipe, FIFO or socket */
	struct out_file_wait wait;
};

#define OUT_FILE_INIT                                                                              \
	{                                                                                          \
		.fd = -1, .dir_fd = -1                                                             \
	}

/* wait: copied; NULL: block. */
int out_file_open(struct out_file *f, const char *path, const struct out_file_wait *wait,
		  struct error *err);

/* Give the file its name. */
int out_file_publish(struct out_file *f, struct error *err);

/*
 * Write everything, at this position of a new file, else after what was written.  Returns 0 or a
 * negative errno; *ret_len: bytes written.
 */
int out_file_write(struct out_file *f, uint64_t pos, const struct iovec *pieces, int nr,
		   uint64_t *ret_len);

/* Does the name still refer to this file? If not, the error says what happened to it. */
int out_file_check(const struct out_file *f, struct error *err);

/* May be called at any time; removes the file if it was not published. */
void out_file_deinit(struct out_file *f);

#endif
