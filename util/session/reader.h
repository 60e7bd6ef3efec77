/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct reader: turns a perf.data, of any form, into records in file order.
 *
 * Forms are a file, a pipe ("-" or a stream stored in a file), and a directory (data, data.0,
 * data.1, ...). Each may have COMPRESSED records, which are replaced by their content. Where no
 * record can start, the reader searches the next place from which a sequence of records starts,
 * notes the damage in the recording and continues. A file that comes through a pipe is first stored
 * in an unlinked temporary file. The reader owns the bytes; a record can be found again by its
 * position until it is dropped.
 */
#ifndef SESSION_READER_H
#define SESSION_READER_H

#include "util/base/error.h"
#include "util/perfdata/record.h"
#include "util/session/header.h"
#include "util/session/recording.h"
#include "util/session/unpacker.h"

/* Receives each record. A negative return stops reading and is passed on. */
typedef int (*reader_record_fn)(void *ctx, const struct record *record);

struct reader {
	struct recording *recording;
	struct perfdata_layout layout;
	struct perfdata_input input;
	struct unpacker unpacker;
	struct record_sink sink; /* relieve() is set by the caller, before reading */
	uint64_t mapped_end;	 /* end of the mapped bytes being read; 0 for a pipe */
	bool directory;
};

/*
 * Open path ("-": standard input) and read the header and, for a file, its events. The recording
 * must be initialized. Errors: one line that contains the path.
 */
int reader_open(struct reader *r, struct recording *recording, const char *path,
		const struct source_options *options, struct error *err);
void reader_close(struct reader *r);

/* Call fn for each feature of a file. Does nothing for a pipe, whose features are records. */
int reader_for_each_feature(struct reader *r,
			    int (*fn)(void *ctx, unsigned int bit, struct bytes bytes), void *ctx);

/* Whether the record at this position of the input is still in its file, after
 * perfdata_input_note_cut(). */
bool reader_still_has(struct reader *r, uint64_t pos, uint64_t size);

/* Read all records. Errors: those of fn, -ENOMEM, -errno of read(), -ECANCELED if the progress
 * function stopped it. Damage is not an error. */
int reader_read(struct reader *r, reader_record_fn fn, void *ctx, struct error *err);

/* The span with the record at a position that was passed to fn. */
static inline const struct span *reader_span(struct reader *r, uint64_t pos)
{
	return spans_at(pos >= UNPACKED_START ? &r->unpacker.spans : &r->input.spans, pos);
}

/* The position to show to a user: for unpacked bytes, that of the COMPRESSED record. */
uint64_t reader_where(const struct reader *r, uint64_t pos);

/* Release positions before input_pos and, from UNPACKED_START on, before unpacked_pos. */
void reader_drop_before(struct reader *r, uint64_t input_pos, uint64_t unpacked_pos);

#endif
