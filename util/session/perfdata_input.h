/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct perfdata_input: the bytes of a perf.data by position, from mapped files or the buffers of
 * a pipe.
 *
 * It also keeps the current position for the progress, and handles files that shrink while they are
 * read. It owns the bytes and fd, and does not interpret records. Damage is noted in the recording.
 */
#ifndef SESSION_PERFDATA_INPUT_H
#define SESSION_PERFDATA_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/session/recording.h"
#include "util/session/span.h"
#include "util/source/source_options.h"

/* Size of the pieces in which a pipe is read. */
#define PERFDATA_INPUT_BUFFER (1u << 20)

struct perfdata_input {
	struct recording *recording;
	struct source_options options;
	struct spans spans;	 /* files, or buffers of a pipe */
	uint64_t pos;		 /* position of the next record */
	uint64_t bytes_total;	 /* 0 for a pipe */
	int fd;			 /* -1: none */
	bool stopped;		 /* stopped by the progress function */
	bool cut;		 /* a mapped file has shrunk: see its span's `left` */
	unsigned int lost_pages; /* map_guard_pages() at the last check */
};

void perfdata_input_init(struct perfdata_input *in, struct recording *recording,
			 const struct source_options *options);
void perfdata_input_deinit(struct perfdata_input *in);

/* Stored size of the input in bytes: the size of the file, even if packed, or the bytes received
 * from a pipe. */
static inline uint64_t perfdata_input_stored(const struct perfdata_input *in)
{
	return in->options.packed_size ? in->options.packed_size
	       : in->bytes_total       ? in->bytes_total
				       : in->pos;
}

/* Call the progress function. Returns -ECANCELED if it asked to stop. */
int perfdata_input_tell(struct perfdata_input *in);

/*
 * Whether a file has shrunk since it was opened, or a part of it cannot be read. Notes the damage
 * if so. Bytes beyond the file's end read as zeroes.
 */
bool perfdata_input_note_cut(struct perfdata_input *in);

/* Read from the pipe until its last span has `want` bytes from pos on. Returns 1 if it has, 0 if
 * the pipe ended before. Errors: -ENOMEM, -ECANCELED, -errno of read(). */
int perfdata_input_fill(struct perfdata_input *in, uint64_t pos, uint64_t want,
			struct span **ret_span);

/* Skip bytes of the pipe, from *pos on, without keeping them. Returns 1, or 0 if the pipe ended
 * before. Errors: as above. */
int perfdata_input_skip(struct perfdata_input *in, uint64_t *pos, uint64_t bytes);

/*
 * Store the whole pipe in an unlinked file, which replaces fd. If the progress function stops it,
 * `stopped` is set and the bytes received so far are kept.
 */
int perfdata_input_spool(struct perfdata_input *in, struct error *err);

#endif
