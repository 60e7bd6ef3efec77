/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unpacker: the records inside of COMPRESSED ones, which are pieces of one zstd stream.
 *
 * It is given COMPRESSED records in order and passes on what they contain, record by record; one
 * that continues in the next piece waits for that.  Damage in the stream is noted in the recording,
 * and what follows is not understood until a new frame starts.  It owns the unpacked bytes, whose
 * positions start at UNPACKED_START.
 */
#ifndef SESSION_UNPACKER_H
#define SESSION_UNPACKER_H

#include "util/perfdata/format.h"
#include "util/perfdata/record.h"
#include "util/session/perfdata_input.h"
#include "util/source/unpacking.h"

/* Positions from here on are of unpacked bytes. */
#define UNPACKED_START (1ull << (SPAN_POS_BITS - 1))

struct unpack_queue;

/* Where records go. */
struct record_sink {
	/* A negative return stops reading and is passed on. */
	int (*take)(void *ctx, const struct record *record);
	/* Called when more bytes are held than allowed, to release memory. NULL: no limit. */
	int (*relieve)(void *ctx);
	/* Bytes that the sink keeps about records that it still needs. Set if relieve() is. */
	uint64_t (*kept)(void *ctx);
	void *ctx;
};

struct unpacker {
	struct perfdata_input *input;
	const struct record_sink *sink;
	struct spans spans;	    /* what was unpacked */
	struct unpack_queue *queue; /* NULL: nothing was compressed so far */
	bool broken;		    /* the stream cannot be continued until its next frame */
	bool spent;		    /* the limit was reached: nothing more is unpacked */
	uint64_t unpacked_bytes;
	uint64_t pos;	     /* of the next unpacked record */
	uint64_t packed_pos; /* of the COMPRESSED record that was unpacked last */
	uint64_t queued_pos; /* records before this are being or have been unpacked */
};

/* Input and sink must outlive it. */
void unpacker_init(struct unpacker *p, struct perfdata_input *input,
		   const struct record_sink *sink);
void unpacker_deinit(struct unpacker *p);

static inline bool record_is_packed(const struct record *rec)
{
	return rec->type == PERF_RECORD_COMPRESSED || rec->type == PERF_RECORD_COMPRESSED2;
}

/*
 * A COMPRESSED record.  mapped_end: the end of the mapped bytes that it is in, up to which records
 * may be unpacked ahead; 0: it came through a pipe.  Errors: -ENOMEM, those of the sink.
 */
int unpacker_take(struct unpacker *p, const struct record *rec, uint64_t mapped_end);

/* What comes next is of another stream. */
void unpacker_finish_stream(struct unpacker *p);

/* Nothing more will be unpacked; what was stays. */
void unpacker_stop(struct unpacker *p);

/*
 * Do records that may still be needed exceed their share of a memory limit?  The first limit
 * depends on the machine; mapped files do not count.  The second depends on the size of the input;
 * mapped files count, as a large one is an unpacked copy.
 */
static inline bool unpacker_holds_too_much(const struct unpacker *p, unsigned int part)
{
	const struct perfdata_input *in = p->input;
	uint64_t heap = in->spans.heap_bytes + p->spans.heap_bytes;

	return heap > in->options.held_bytes_max / part ||
	       heap + spans_mapped_bytes(&in->spans, in->pos) + p->sink->kept(p->sink->ctx) >
		       unpacked_held_max(perfdata_input_stored(in)) / part;
}

/* Called where more bytes are held than before, but never where a span must not be dropped. */
static inline int unpacker_bound_held(struct unpacker *p)
{
	return p->sink->relieve && unpacker_holds_too_much(p, 1) ? p->sink->relieve(p->sink->ctx)
								 : 0;
}

#endif
