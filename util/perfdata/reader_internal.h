/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of struct reader, for reader*.c and resync.c only.
 *
 * reader.c opens and knows the forms; reader_pipe.c fills buffers from a pipe,
 * reader_directory.c goes from file to file, reader_unpack.c replaces COMPRESSED
 * records by what they hold (unpack_queue.h), resync.c finds the next record behind
 * damage.  All of them give each record to reader_take(), and return what it returned
 * when that is negative.
 */
#ifndef PERFDATA_READER_INTERNAL_H
#define PERFDATA_READER_INTERNAL_H

#include <sys/stat.h>

#include "util/perfdata/format.h"
#include "util/perfdata/reader.h"

/* The progress function hears of so many bytes of input at once. */
#define READER_TELL_BYTES (1u << 20)

/* All whole records of input that will not grow: [from, to) of the span. */
int reader_take_span(struct reader *r, const struct span *sp, uint64_t from, uint64_t to);

/* Open, check the owner, fstat. *ret_fd is the caller's to close. */
int reader_open_path(const char *path, const struct source_options *options, struct stat *st,
		     int *ret_fd, struct error *err);

/* reader_pipe.c: enough bytes for a header; all records; the whole of it into an unlinked file
 * that replaces r->fd.  The first returns 1, or 0 when the pipe ended before.  When the progress
 * function stops them: -ECANCELED, of the last none, but r->stopped and the beginning is kept. */
int reader_pipe_start(struct reader *r, struct span **ret_span);
int reader_read_pipe(struct reader *r);
int reader_spool_pipe(struct reader *r, struct error *err);

/* reader_directory.c: data.0, data.1, ...; how many bytes they have together. */
int reader_read_directory(struct reader *r, struct error *err);
uint64_t reader_directory_bytes(const char *path);

/* reader_unpack.c: a COMPRESSED record; the end of a file's stream. */
int reader_unpack(struct reader *r, const struct record *record);
void reader_unpack_end(struct reader *r);
/* Nothing more will be unpacked; before the spans go. */
void reader_unpack_close(struct reader *r);

/*
 * resync.c: is a record that can be read also likely to be one?  One of a type that we do not
 * know is when the records behind it make sense.
 */
bool resync_believable(const struct reader *r, const struct record *record, uint64_t left);

/* The record that starts at data; false: none that makes sense, and whole, does. */
static inline bool reader_peek(const struct reader *r, const uint8_t *data, uint64_t left,
			       struct record *ret_record)
{
	return record_peek(data, left, r->recording->swap, ret_record) == RECORD_OK &&
	       (ret_record->type == PERF_RECORD_SAMPLE || resync_believable(r, ret_record, left));
}

/* Where more bytes are held than before: at no place where a span may not go. */
static inline int reader_bound_held(struct reader *r)
{
	if (!r->relieve || reader_held_bytes(r) <= r->options.held_bytes_max)
		return 0;
	return r->relieve(r->ctx);
}

/* A record of the input: to the consumer, or to the unpacker. */
static inline int reader_take(struct reader *r, const struct record *record)
{
	if (record->type == PERF_RECORD_COMPRESSED || record->type == PERF_RECORD_COMPRESSED2)
		return reader_unpack(r, record);
	return r->fn(r->ctx, record);
}

/*
 * Note that no record starts at data (position pos).  *ret_skip: the bytes up to the next place
 * from which records follow one another; all that are left when there is none.  at_end: no bytes
 * will ever follow these.  -ECANCELED: the progress function ended the search.
 */
int resync_step_over(struct reader *r, const uint8_t *data, uint64_t left, uint64_t pos,
		     bool at_end, uint64_t *ret_skip);

#endif
