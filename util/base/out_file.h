/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct out_file: the file that a command writes: a new one, or something that exists already.
 *
 * A new file has mode 0600 and no name until out_file_publish() replaces the old file with it.  If
 * the file system does not support files without a name, it gets an unpredictable one in the same
 * directory.  A writer that fails or is killed before that leaves the old file as it was.  A
 * symbolic link to a file is replaced, not followed.  In a directory where only owners may remove
 * files (/tmp), files of other users are left alone: they are neither replaced nor written to.
 *
 * Written in place, from start to end: a name that is not a regular file (/dev/null, a FIFO), and
 * our own file descriptors: "-" and /dev/stdout, /dev/stderr, /dev/fd/N, which a shell makes of
 * >(COMMAND).  These are not opened again: what a shell opened for appending is appended to.
 *
 * Before a write to a FIFO or a pipe that would block, `wait` is called: a caller that handles
 * signals itself must be able to stop there.  Errors quote NAME.
 */
#ifndef BASE_OUT_FILE_H
#define BASE_OUT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>

#include "util/base/error.h"

/*
 * Wait until fd can be written or was hung up; if fd is -1, until it is time to check again for a
 * reader.  Returns 0, or a negative errno to give up.
 */
typedef int (*out_file_wait_fn)(void *ctx, int fd);

struct out_file_wait {
	out_file_wait_fn fn; /* NULL: block */
	void *ctx;
};

struct out_file_how {
	bool keep_old;	/* an existing file becomes NAME.old */
	bool has_check; /* out_file_check() will be called */
	struct out_file_wait wait;
};

struct out_file {
	int fd;
	int dir_fd;	   /* the directory of the name; -1: written in place */
	char *path;	   /* for messages */
	const char *name;  /* its last part */
	char tmp_name[32]; /* empty: none, published, or written in place */
	bool regular;	   /* a new file: seekable and mappable */
	bool is_pending;   /* a new file that does not have its name yet */
	bool stream;	   /* a pipe, FIFO or socket */
	bool inherited;	   /* a file descriptor of ours */
	FILE *out;	   /* owns fd; NULL: no stream was requested */
	uint64_t len;	   /* bytes appended */
	struct out_file_how how;
};

#define OUT_FILE_INIT                                                                              \
	{                                                                                          \
		.fd = -1, .dir_fd = -1                                                             \
	}

/* how: copied; NULL: keep no old file, block. */
int out_file_open(struct out_file *f, const char *path, const struct out_file_how *how,
		  struct error *err);

/* Does the path name our standard output? */
bool out_file_is_stdout(const char *path);

/*
 * A buffered stream that writes to the file, instead of the functions below.  Owned by the file;
 * its errors are left in it until out_file_publish(), which flushes it.
 */
int out_file_stream(struct out_file *f, FILE **ret_out, struct error *err);

/* Write what the stream has buffered. */
int out_file_flush(struct out_file *f, struct error *err);

/* Give a new file its name, if it does not have it yet. */
int out_file_publish(struct out_file *f, struct error *err);

/* Append to the file: a new file gets all of it or nothing. Returns 0 or a negative errno. */
int out_file_append(struct out_file *f, const void *data, size_t len);

/*
 * Write everything: in a new file at this position, otherwise after earlier writes.  Returns 0 or a
 * negative errno; *ret_len: bytes written.
 */
int out_file_write(struct out_file *f, uint64_t pos, const struct iovec *pieces, int nr,
		   uint64_t *ret_len);

/* Does the name still refer to this file? If not, the error says what happened to it. Only with
 * has_check. */
int out_file_check(const struct out_file *f, struct error *err);

/* May be called at any time; removes the file if it was not published. */
void out_file_deinit(struct out_file *f);

#endif
