/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct reader: turns a perf.data, whatever its form, into records in file order.
 *
 * Forms: a file, a pipe ("-" or a stream stored in a file), a directory
 * (data, data.0, data.1, ...), each with or without COMPRESSED records, which are
 * replaced by what they hold.  Where no record can start, the reader looks for
 * the next place from which records follow one another, notes the damage in the
 * recording and goes on.  It owns the bytes; a record's position finds them again
 * until they are dropped.
 */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include "util/base/error.h"
#include "util/perfdata/header.h"
#include "util/perfdata/record.h"
#include "util/perfdata/recording.h"
#include "util/perfdata/span.h"

struct unpacker;

/* Positions from here up are of unpacked bytes. */
#define READER_UNPACKED (1ull << (SPAN_POS_BITS - 1))

/* Gets each record; negative stops the reading and is passed on. */
typedef int (*reader_record_fn)(void *ctx, const struct record *record);

struct reader {
	struct recording *recording;
	struct perfdata_layout layout;
	struct spans input;    /* files, or buffers of a pipe */
	struct spans unpacked; /* what COMPRESSED records held */
	struct unpacker *unpacker;
	bool unpack_broken;    /* the zstd stream is lost until its next frame */
	uint64_t unpacked_pos; /* next record to look at among the unpacked bytes */
	uint64_t input_pos;    /* next record to look at in the input */
	int fd;
	bool directory;
	reader_record_fn fn;
	void *ctx;
};

struct reader_options {
	bool force; /* also files that are neither the user's nor root's */
};

/*
 * Open path ("-": standard input) and read the header; for a file also its events.
 * The recording must be initialized.  Errors: one line with the path in it.
 */
int reader_open(struct reader *r, struct recording *recording, const char *path,
		const struct reader_options *options, struct error *err);
void reader_close(struct reader *r);

/* Call fn for each feature of a file (a pipe has them among its records). */
int reader_for_each_feature(struct reader *r,
			    int (*fn)(void *ctx, unsigned int bit, struct bytes bytes), void *ctx);

/* Read all records. Errors: of fn, -ENOMEM, -errno of read(). Damage is no error. */
int reader_read(struct reader *r, reader_record_fn fn, void *ctx, struct error *err);

/* The record at a position that fn saw. */
const uint8_t *reader_at(struct reader *r, uint64_t pos);

/* Of the positions below READER_UNPACKED none before input_pos, of the others none before
 * unpacked_pos is wanted. */
void reader_drop_before(struct reader *r, uint64_t input_pos, uint64_t unpacked_pos);

#endif
