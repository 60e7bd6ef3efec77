/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unpack_queue: pieces of a zstd stream go in, blocks of unpacked bytes come out, in order.
 *
 * With a thread it unpacks ahead of the reader what was added, as far as there are blocks: so
 * neither many pieces nor a bomb takes more than UNPACK_BLOCKS of them beyond what the reader has.
 * Without one it unpacks when it is asked.  What comes out is the same to the byte, and in the same
 * portions: the end of each piece, and the end of each block.  It only unpacks; what a stream that
 * broke means, and how much a piece may hold, is the reader's business.
 *
 * All functions are for one thread, the reader's.  It also allocates and frees all memory, save
 * what libzstd takes.
 */
#ifndef PERFDATA_UNPACK_QUEUE_H
#define PERFDATA_UNPACK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/perfdata/span.h"

/* A block: room in front for the beginning of a record whose end is the first in it, then the
 * unpacked bytes. */
#define UNPACK_HEAD   (1u << 16)
#define UNPACK_ROOM   ((1u << 20) - UNPACK_HEAD)
#define UNPACK_BLOCKS 16 /* a power of two */

/* Pieces that may wait. */
#define UNPACK_PIECES 128 /* a power of two */

struct unpack_queue;

/* Bytes that were unpacked from a piece. */
struct unpacked {
	uint64_t pos; /* of the piece, as it was added */
	const uint8_t *data;
	size_t len;
	uint8_t *block; /* not NULL: they are the first of this block, which is the caller's now */
	bool last;	/* of this piece */
};

/*
 * spans: where the blocks come from and go to.  threaded: on a thread of its own, if one can be
 * had. Errors: -ENOMEM.
 */
int unpack_queue_new(struct unpack_queue **ret_queue, struct spans *spans, bool threaded);

/* Before the blocks that came out of it are freed: it may be writing behind what it gave. */
void unpack_queue_free(struct unpack_queue *q);

/* A stream, unless there is one; before the first piece. Errors: of unpacker_new(). */
int unpack_queue_open(struct unpack_queue *q, struct error *err);

/* How many pieces should be added now: none while it has enough to do. */
unsigned int unpack_queue_wants(const struct unpack_queue *q);

/* Add a piece; unpack_queue_wants() said so.  Its bytes must stay until it is taken. */
void unpack_queue_add(struct unpack_queue *q, uint64_t pos, const uint8_t *in, size_t left);

/*
 * Take what comes next, waiting for it.  The bytes stay until the block is freed, which must not
 * happen before another block has been taken.  Errors: -EINVAL for bad data, or when nothing was
 * added: nothing more will come until a reset; -ENOMEM.
 */
int unpack_queue_take(struct unpack_queue *q, struct unpacked *ret_unpacked);

/* Forget the stream and the pieces that were not taken to their last; what follows goes on in the
 * block taken last, at a multiple of 8 bytes. */
void unpack_queue_reset(struct unpack_queue *q);

#endif
