/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct out_file: what a recording is written to: a new file, or what is there already.
 *
 * A new file is made under a name that nobody can foretell, mode 0600, in the directory
 * of its later name, and gets that by out_file_publish(); a file that had it becomes NAME.old.  So
 * a recording that never starts leaves no file and takes none away.  In a directory where only
 * owners may remove files (/tmp) what belongs to others is left alone: it is neither replaced nor
 * written to.  A NAME that is no regular file (/dev/null, a FIFO), or "-" for standard output, is
 * written in place, in order.
 *
 * Where writing would block, on a FIFO or a pipe, `wait` is asked first: a caller that takes
 * signals by itself must be able to end there.  Errors have NAME in quotes.
 */
#ifndef PERFDATA_OUT_FILE_H
#define PERFDATA_OUT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "util/base/error.h"

/*
 * Returns 0 when fd takes bytes or hung up; fd -1: when it is time to look again whether
 * somebody reads.  A negative errno: give up.
 */
typedef int (*out_file_wait_fn)(void *ctx, int fd);

struct out_file_wait {
	out_file_wait_fn fn; /* NULL: block */
	void *ctx;
};

struct out_file {
	int fd;
	int dir_fd;	   /* where the name lies; -1: written in place */
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
 * Write all, at this place of a new file, else behind what was written.  Returns 0 or a negative
 * errno; *ret_len: bytes that were written.
 */
int out_file_write(struct out_file *f, uint64_t pos, const struct iovec *pieces, int nr,
		   uint64_t *ret_len);

/* Is the file still what its name stands for? The error says what became of it. */
int out_file_check(const struct out_file *f, struct error *err);

/* At any time; removes what was not published. */
void out_file_deinit(struct out_file *f);

#endif
