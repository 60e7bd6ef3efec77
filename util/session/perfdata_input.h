/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct perfdata_input: the bytes that a perf.data is read from, mapped files or the buffers of a
 * pipe, by position; how far reading has got; and what becomes of a file that shrinks meanwhile.
 *
 * It owns the bytes and fd, and knows nothing of records.  The recording is told of damage.
 */
#ifndef SESSION_PERFDATA_INPUT_H
#define SESSION_PERFDATA_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/session/recording.h"
#include "util/session/span.h"
#include "util/source/source_options.h"

/* A pipe is read in pieces of this size. */
#define PERFDATA_INPUT_BUFFER (1u << 20)

struct perfdata_input {
	struct recording *recording;
	struct source_options options;
	struct spans spans;	 /* files, or buffers of a pipe */
	uint64_t pos;		 /* of the next record */
	uint64_t bytes_total;	 /* 0: a pipe */
	int fd;			 /* -1: none */
	bool stopped;		 /* by the progress function */
	bool cut;		 /* a mapped file has shrunk meanwhile: see its span's `left` */
	unsigned int lost_pages; /* map_guard_pages() at the last check */
};

void perfdata_input_init(struct perfdata_input *in, struct recording *recording,
			 const struct source_options *options);
void perfdata_input_deinit(struct perfdata_input *in);

/* Bytes of the stored input: the size of the file, even if packed, or the bytes of a pipe so
 * far. */
static inline uint64_t perfdata_input_stored(const struct perfdata_input *in)
{
	return in->options.packed_size ? in->options.packed_size
	       : in->bytes_total       ? in->bytes_total
				       : in->pos;
}

/* Call the progress function. -ECANCELED: it has just asked to stop. */
int perfdata_input_tell(struct perfdata_input *in);

/*
 * Has a file shrunk since it was opened, or can a part of it not be read?  If so, note the damage
 * and return true.  What is beyond its end reads as zeroes.
 */
bool perfdata_input_note_cut(struct perfdata_input *in);

/* Read from the pipe until its last span has `want` bytes from pos on. 1: it has, 0: the pipe ended
 * before. Errors: -ENOMEM, -ECANCELED, -errno of read(). */
int perfdata_input_fill(struct perfdata_input *in, uint64_t pos, uint64_t want,
			struct span **ret_span);

/* Skip bytes of the pipe, from *pos on, without keeping them. 1: skipped, 0: the pipe ended before.
 * Errors: as above. */
int perfdata_input_skip(struct perfdata_input *in, uint64_t *pos, uint64_t bytes);

/*
 * All of a pipe into an unlinked file, which replaces fd.  When the progress function stops that,
 * `stopped` is set, and what came by then is kept.
 */
int perfdata_input_spool(struct perfdata_input *in, struct error *err);

#endif
