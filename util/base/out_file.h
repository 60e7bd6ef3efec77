/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct out_file: the output file of a command, new or existing.
 *
 * A new file has mode 0600, or that of the umask if it is shared, and no name until
 * out_file_publish() replaces the old file with it. If the file system does not support files
 * without a name, it gets an unpredictable one in the same directory. A writer that fails or is
 * killed before that leaves the old file unchanged. A symbolic link to a file is replaced, not
 * followed. In a directory where only owners may remove files
 * (/tmp), files of other users are neither replaced nor written to.
 *
 * Names that are not regular files (/dev/null, a FIFO), and our own file descriptors, are written
 * in place, from start to end. The latter are "-" and /dev/stdout, /dev/stderr, /dev/fd/N, as in
 * >(COMMAND) of a shell. They are not opened again, so a file that a shell opened for appending is
 * appended to.
 *
 * `wait` is called before a write to a FIFO or pipe that would block, so that a caller that handles
 * signals can stop there. Errors quote NAME.
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
 * reader. Returns 0, or -errno to give up.
 */
typedef int (*out_file_wait_fn)(void *ctx, int fd);

struct out_file_wait {
	out_file_wait_fn fn; /* NULL: block */
	void *ctx;
};

struct out_file_how {
	bool keep_old;	/* an existing file becomes NAME.old */
	bool has_check; /* out_file_check() will be called */
	bool is_shared; /* other users may read it, if the umask allows it */
	struct out_file_wait wait;
};

struct out_file {
	int fd;
	int dir_fd;	   /* directory of the name; -1: written in place */
	char *path;	   /* for messages */
	const char *name;  /* last part of the path */
	char tmp_name[32]; /* empty: no name, published, or written in place */
	bool regular;	   /* a new file: seekable and mappable */
	bool is_pending;   /* a new file without its final name */
	bool stream;	   /* a pipe, FIFO or socket */
	bool inherited;	   /* one of our own file descriptors */
	FILE *out;	   /* owns fd; NULL: no stream was requested */
	uint64_t len;	   /* bytes appended */
	struct out_file_how how;
};

#define OUT_FILE_INIT                                                                              \
	{                                                                                          \
		.fd = -1, .dir_fd = -1                                                             \
	}

/* how: copied; NULL: keep no old file, and block. */
int out_file_open(struct out_file *f, const char *path, const struct out_file_how *how,
		  struct error *err);

/* Whether the path names our standard output. */
bool out_file_is_stdout(const char *path);

/*
 * Returns a buffered stream that writes to the file; it replaces the functions below. The file owns
 * it. Errors are kept until out_file_publish(), which flushes it.
 */
int out_file_stream(struct out_file *f, FILE **ret_out, struct error *err);

/* Write the stream's buffer. */
int out_file_flush(struct out_file *f, struct error *err);

/* Give a new file its name, unless it has it already. */
int out_file_publish(struct out_file *f, struct error *err);

/* Append to the file; a new file gets all bytes or none. Returns 0 or -errno. */
int out_file_append(struct out_file *f, const void *data, size_t len);

/*
 * Write all bytes: in a new file at this position, otherwise after earlier writes. Returns 0 or
 * -errno. *ret_len: number of bytes written.
 */
int out_file_write(struct out_file *f, uint64_t pos, const struct iovec *pieces, int nr,
		   uint64_t *ret_len);

/* Check that the name still refers to this file. If not, the error describes what happened to it.
 * Only with has_check. */
int out_file_check(const struct out_file *f, struct error *err);

/* May be called at any time. Removes the file if it was not published. */
void out_file_deinit(struct out_file *f);

#endif
