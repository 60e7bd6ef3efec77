/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct input: the bytes of a path or of standard input, unpacked, for a source to read.
 *
 * event_source_open() opens one, examines its first unpacked bytes to find the source that reads
 * them, and passes it to the source's open_input(). Data packed with gzip or zstd are unpacked as
 * they are read, in constant memory. input_read() returns 0 at the end of the input, and if the
 * caller's progress function wants to stop. It also returns 0 if packed data are truncated,
 * damaged, or unpack to more than unpacked_bytes_max(). The facts passed to input_serve() contain
 * the reason.
 */
#ifndef SOURCE_INPUT_H
#define SOURCE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "util/base/error.h"
#include "util/source/facts.h"
#include "util/source/source_options.h"
#include "util/source/unpacking.h"

/* Properties of an input before it is read. */
struct source_input {
	const char *path; /* "-": standard input */
	bool is_directory;
	bool reads_once;     /* a file without seeking, such as tracefs' trace_pipe */
	const uint8_t *head; /* its first bytes, unpacked */
	size_t head_size;    /* 0: it is empty, or cannot be examined without consuming it */
};

/* Size of the head. */
#define SOURCE_HEAD_SIZE 4096

/* Whether it begins with this text. */
static inline bool source_input_begins(const struct source_input *input, const char *magic)
{
	const size_t len = strlen(magic);

	return input->head_size >= len && !memcmp(input->head, magic, len);
}

struct input;

/*
 * path: "-" for standard input. Errors: it cannot be opened; it belongs to somebody else and
 * options->force is not set; it is packed and this perf was built without the library.
 */
int input_open(const char *path, const struct source_options *options, struct input **ret_input,
	       struct error *err);

/*
 * Open the next `size` bytes of another input as a separate input. Read it to its end, or free it,
 * before reading from the outer one, which must outlive it. Errors: -ENOMEM.
 */
int input_open_part(struct input *outer, const char *path, uint64_t size, struct input **ret_part);

/* Unread bytes of a part are skipped. */
void input_free(struct input *in);

/* For probing; valid as long as the input. */
const struct source_input *input_probed(const struct input *in);

const char *input_path(const struct input *in);
enum packing input_packing(const struct input *in);

/*
 * Note damage and stops in these facts, whose samples are reported to the progress function. Called
 * before reading; the facts must outlive the input.
 */
void input_serve(struct input *in, struct source_facts *facts);

/* Returns the number of bytes read, at least 1; 0 at the end; or -errno. */
ssize_t input_read(struct input *in, void *buf, size_t size);

/* Number of unpacked bytes read so far. */
uint64_t input_pos(const struct input *in);

/* Number of bytes of the file or pipe used for them. */
uint64_t input_raw_pos(const struct input *in);

/* Size of the file; 0 if unknown, as for a pipe. */
uint64_t input_raw_size(const struct input *in);

/* Whether it is a pipe, a socket or the like. */
bool input_is_stream(const struct input *in);

/* A descriptor of the opened file, whose position is undefined; -1 for a part. */
int input_fd(const struct input *in);

/*
 * Open path for reading and fstat() it. Does not block on a FIFO, where it could not be stopped by
 * signals. The caller closes *ret_fd. Errors: also that it belongs neither to the user nor to root,
 * unless `force`.
 */
int input_open_path(const char *path, bool force, struct stat *ret_stat, int *ret_fd,
		    struct error *err);

/*
 * Copy the rest of the input into an unlinked temporary file in $TMPDIR (or /tmp). The caller
 * closes it. Errors: those of creating and writing the file.
 */
int input_to_file(struct input *in, int *ret_fd, struct error *err);

#endif
