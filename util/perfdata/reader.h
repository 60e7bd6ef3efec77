/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct reader: turns a perf.data, whatever its form, into records in file order.
 *
 * Forms: a file, a pipe ("-" or a stream stored in a file), a directory
 * (data, data.0, data.1, ...), each with or without COMPRESSED records, which are
 * replaced by what they hold.  Where no record can start, the reader looks for
 * the next place from which records follow one another, notes the damage in the
 * recording and goes on.  A file that comes through a pipe is first kept in an unlinked
 * temporary file.  The reader owns the bytes; a record's position finds them again until
 * they are dropped.
 */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include "util/base/error.h"
#include "util/perfdata/header.h"
#include "util/perfdata/record.h"
#include "util/perfdata/recording.h"
#include "util/perfdata/span.h"
#include "util/source/event_source.h"

struct unpack_queue;

/* Positions from here up are of unpacked bytes. */
#define READER_UNPACKED (1ull << (SPAN_POS_BITS - 1))

/* Gets each record; negative stops the reading and is passed on. */
typedef int (*reader_record_fn)(void *ctx, const struct record *record);

struct reader {
	struct recording *recording;
	struct perfdata_layout layout;
	struct spans input;	     /* files, or buffers of a pipe */
	struct spans unpacked;	     /* what COMPRESSED records held */
	struct unpack_queue *unpack; /* NULL: nothing was packed so far */
	bool unpack_broken;	     /* the zstd stream is lost until its next frame */
	uint64_t unpacked_pos;	     /* next record to look at among the unpacked bytes */
	uint64_t input_pos;	     /* next record to look at in the input */
	uint64_t compressed_pos;     /* of the COMPRESSED record unpacked last */
	uint64_t queued_pos;	     /* COMPRESSED records before it are being unpacked, or were */
	uint64_t mapped_end;	     /* of the mapped bytes that are being read; 0: it is a pipe */
	uint64_t bytes_total;	     /* of the input; 0: a pipe */
	int fd;
	bool directory;
	bool stopped;		 /* by the progress function */
	bool cut;		 /* a mapped file became shorter meanwhile: see its span's `left` */
	unsigned int lost_pages; /* map_guard_pages() when it was asked last */
	struct source_options options;
	reader_record_fn fn;
	/* more than held_bytes_max are held: give back what can be; NULL: no bound. Of the ctx of
	 * fn */
	int (*relieve)(void *ctx);
	void *ctx;
};

/*
 * Open path ("-": standard input) and read the header; for a file also its events.
 * The recording must be initialized.  Errors: one line with the path in it.
 */
int reader_open(struct reader *r, struct recording *recording, const char *path,
		const struct source_options *options, struct error *err);
void reader_close(struct reader *r);

/* Call fn for each feature of a file (a pipe has them among its records). */
int reader_for_each_feature(struct reader *r,
			    int (*fn)(void *ctx, unsigned int bit, struct bytes bytes), void *ctx);

/*
 * Has a file become shorter since it was opened, or can a part of it not be read?  That is damage,
 * and true.  What lies behind the end of it reads as zeroes.
 */
bool reader_note_cut(struct reader *r);

/* After reader_note_cut(): is the record at this position, of the input, still in its file? */
bool reader_still_has(struct reader *r, uint64_t pos, uint64_t size);

/* Tell the progress function. -ECANCELED: it has just said that this is enough. */
int reader_tell(struct reader *r);

/* Read all records. Errors: of fn, -ENOMEM, -errno of read(), -ECANCELED when the progress function
 * ended it. Damage is no error. */
int reader_read(struct reader *r, reader_record_fn fn, void *ctx, struct error *err);

/* The record at a position that fn saw. */
static inline const uint8_t *reader_at(struct reader *r, uint64_t pos)
{
	return spans_at(pos >= READER_UNPACKED ? &r->unpacked : &r->input, pos);
}

/* The position as a person can find it: of unpacked bytes that of the COMPRESSED record. */
uint64_t reader_where(const struct reader *r, uint64_t pos);

/* Memory that holds records which may still be wanted, bytes; files are mapped and do not count. */
static inline uint64_t reader_held_bytes(const struct reader *r)
{
	return r->input.heap_bytes + r->unpacked.heap_bytes;
}

/* Of the positions below READER_UNPACKED none before input_pos, of the others none before
 * unpacked_pos is wanted. */
void reader_drop_before(struct reader *r, uint64_t input_pos, uint64_t unpacked_pos);

#endif
