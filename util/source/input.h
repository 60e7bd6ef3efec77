/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct input: the bytes of a path or of standard input, unpacked, for a source to read.
 *
 * event_source_open() opens one, looks at its first unpacked bytes to find the source that knows
 * them, and hands it to the source's open_input().  Data packed with gzip or zstd are unpacked as
 * they are read, in constant memory.  Reading ends in the same way at the end of the input, where
 * packed data are cut or damaged or unpack to more than unpacked_bytes_max(), and when the caller's
 * progress function wants to stop: input_read() returns 0, and the facts that were passed to
 * input_serve() contain the reason.
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

/* What is known about an input before it is read. */
struct source_input {
	const char *path; /* "-": standard input */
	bool is_directory;
	bool reads_once;     /* a file that cannot be sought in, such as tracefs' trace_pipe */
	const uint8_t *head; /* its first bytes, unpacked */
	size_t head_size;    /* 0: it is empty, or cannot be looked at without consuming it */
};

/* How many are looked at. */
#define SOURCE_HEAD_SIZE 4096

/* Does it begin with this text? */
static inline bool source_input_begins(const struct source_input *input, const char *magic)
{
	const size_t len = strlen(magic);

	return input->head_size >= len && !memcmp(input->head, magic, len);
}

struct input;

/*
 * path: "-" for standard input.  Errors: it cannot be opened, or belongs to somebody else and
 * options->force is not set; it is packed and this perf was built without the library.
 */
int input_open(const char *path, const struct source_options *options, struct input **ret_input,
	       struct error *err);

/*
 * The next `size` bytes of another input as an input of their own; read it to its end, or free it,
 * before anything else is read from the outer one, which must outlive it.  Errors: -ENOMEM.
 */
int input_open_part(struct input *outer, const char *path, uint64_t size, struct input **ret_part);

/* What has not been read of a part is skipped. */
void input_free(struct input *in);

/* For probing; valid as long as the input. */
const struct source_input *input_probed(const struct input *in);

const char *input_path(const struct input *in);
enum packing input_packing(const struct input *in);

/*
 * Note damage and where reading was stopped in these facts, whose samples are those that the
 * progress function is told of.  Call it before reading; the facts must outlive the input.
 */
void input_serve(struct input *in, struct source_facts *facts);

/* Returns how many bytes were read, at least 1; 0: there are no more; or -errno. */
ssize_t input_read(struct input *in, void *buf, size_t size);

/* How many bytes, unpacked, have been read. */
uint64_t input_pos(const struct input *in);

/* How many bytes of the file or pipe that took. */
uint64_t input_raw_pos(const struct input *in);

/* Size of the file; 0: unknown, as of a pipe. */
uint64_t input_raw_size(const struct input *in);

/* Is it a pipe, a socket or the like? */
bool input_is_stream(const struct input *in);

/* A descriptor of what was opened, whose position is not to be relied on; -1: a part. */
int input_fd(const struct input *in);

/*
 * Open path for reading and fstat() it.  A FIFO does not block here, where no signal would be
 * noticed.  The caller closes *ret_fd.  Errors: also that it belongs neither to the user nor to
 * root, unless `force`.
 */
int input_open_path(const char *path, bool force, struct stat *ret_stat, int *ret_fd,
		    struct error *err);

/*
 * Copy the rest of the input into an unlinked temporary file in $TMPDIR (or /tmp), which the caller
 * closes.  Errors: those of creating and writing the file.
 */
int input_to_file(struct input *in, int *ret_fd, struct error *err);

#endif
