/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unpacker: the records inside of COMPRESSED records, which are pieces of one zstd stream.
 *
 * It takes COMPRESSED records in order and passes on their contents, record by record. A record
 * that continues in the next piece waits for it. Damage in the stream is noted in the recording,
 * and the following pieces are skipped until a new frame starts. It owns the unpacked bytes, whose
 * positions start at UNPACKED_START.
 */
#ifndef SESSION_UNPACKER_H
#define SESSION_UNPACKER_H

#include "util/perfdata/format.h"
#include "util/perfdata/record.h"
#include "util/session/perfdata_input.h"
#include "util/source/unpacking.h"

/* Positions of unpacked bytes start here. */
#define UNPACKED_START (1ull << (SPAN_POS_BITS - 1))

struct unpack_queue;

/* Receiver of the records. */
struct record_sink {
	/* A negative return stops reading and is passed on. */
	int (*take)(void *ctx, const struct record *record);
	/*
	 * Takes the samples at the start of these records, as many as it can take quickly, and
	 * returns the number of bytes taken; the next record goes to take(). The records are in
	 * [data, data + size), at position pos; those that start at `until` or later are not taken.
	 */
	uint64_t (*take_samples)(void *ctx, const uint8_t *data, uint64_t pos, uint64_t until,
				 uint64_t size);
	/* Called to release memory when more bytes are held than allowed. NULL: no limit. */
	int (*relieve)(void *ctx);
	/* Bytes that the sink keeps for records that it still needs. Set if relieve() is set. */
	uint64_t (*kept)(void *ctx);
	void *ctx;
};

struct unpacker {
	struct perfdata_input *input;
	const struct record_sink *sink;
	struct spans spans;	    /* the unpacked bytes */
	struct unpack_queue *queue; /* NULL: no COMPRESSED record so far */
	bool broken;		    /* the stream is unusable until its next frame */
	bool spent;		    /* the limit was reached: nothing more is unpacked */
	uint64_t unpacked_bytes;
	uint64_t pos;	     /* position of the next unpacked record */
	uint64_t packed_pos; /* position of the last unpacked COMPRESSED record */
	uint64_t queued_pos; /* records before this position were queued */
};

/* input and sink must outlive the unpacker. */
void unpacker_init(struct unpacker *p, struct perfdata_input *input,
		   const struct record_sink *sink);
void unpacker_deinit(struct unpacker *p);

static inline bool record_is_packed(const struct record *rec)
{
	return rec->type == PERF_RECORD_COMPRESSED || rec->type == PERF_RECORD_COMPRESSED2;
}

/*
 * Take a COMPRESSED record. mapped_end: end of the mapped bytes that contain it, up to which
 * records may be unpacked ahead; 0 for a pipe. Errors: -ENOMEM, those of the sink.
 */
int unpacker_take(struct unpacker *p, const struct record *rec, uint64_t mapped_end);

/* The next records are of another stream. */
void unpacker_finish_stream(struct unpacker *p);

/* Unpack nothing more; unpacked bytes stay valid. */
void unpacker_stop(struct unpacker *p);

/*
 * Whether the records that may still be needed exceed their share of a memory limit. The first
 * limit depends on the machine; mapped files do not count. The second depends on the size of the
 * input; mapped files count, because a large one is an unpacked copy.
 */
static inline bool unpacker_holds_too_much(const struct unpacker *p, unsigned int part)
{
	const struct perfdata_input *in = p->input;
	uint64_t heap = in->spans.heap_bytes + p->spans.heap_bytes;

	return heap > in->options.held_bytes_max / part ||
	       heap + spans_mapped_bytes(&in->spans, in->pos) + p->sink->kept(p->sink->ctx) >
		       unpacked_held_max(perfdata_input_stored(in)) / part;
}

/* Called where the number of held bytes may have grown, but not where a span must not be
 * dropped. */
static inline int unpacker_bound_held(struct unpacker *p)
{
	return p->sink->relieve && unpacker_holds_too_much(p, 1) ? p->sink->relieve(p->sink->ctx)
								 : 0;
}

#endif
