/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unpack_queue: pieces of a zstd stream go in, blocks of unpacked bytes come out, in order.
 *
 * With a thread, it unpacks what was added ahead of the reader, as long as there are blocks: so
 * neither many pieces nor a bomb takes more than UNPACK_BLOCKS of them beyond what the reader has.
 * Without one, it unpacks when asked.  The output is the same to the byte, and in the same
 * portions, which end at the end of each piece and of each block.  It only unpacks; what a broken
 * stream means, and how much a piece may unpack to, is up to the reader.
 *
 * All functions are for one thread, the reader's.  It also allocates and frees all memory, except
 * what libzstd uses.
 */
#ifndef SESSION_UNPACK_QUEUE_H
#define SESSION_UNPACK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/session/span.h"

/* A block: room in front for the start of a record whose end comes first in it, then the unpacked
 * bytes. */
#define UNPACK_HEAD   (1u << 16)
#define UNPACK_ROOM   ((1u << 20) - UNPACK_HEAD)
#define UNPACK_BLOCKS 16 /* a power of two */

/* The number of pieces that may wait. */
#define UNPACK_PIECES 128 /* a power of two */

struct unpack_queue;

/* Bytes unpacked from a piece. */
struct unpacked {
	uint64_t pos; /* of the piece, as passed to unpack_queue_add() */
	const uint8_t *data;
	size_t len;
	uint8_t *block; /* not NULL: they are the first of this block, which now belongs to the
			 * caller */
	bool last;	/* the last of this piece */
};

/*
 * spans: where the blocks come from and go to.  threaded: use a separate thread, if one can be
 * created. Errors: -ENOMEM.
 */
int unpack_queue_new(struct unpack_queue **ret_queue, struct spans *spans, bool threaded);

/* Call it before freeing the blocks that it returned: it may still be writing after what it
 * returned. */
void unpack_queue_free(struct unpack_queue *q);

/* Open a stream, unless there is one; before the first piece. Errors: of unpacking_new(). */
int unpack_queue_open(struct unpack_queue *q, struct error *err);

/* How many pieces should be added now: none if it has enough to do. */
unsigned int unpack_queue_wants(const struct unpack_queue *q);

/* Add a piece, if unpack_queue_wants() asked for it.  Its bytes must stay until it is taken. */
void unpack_queue_add(struct unpack_queue *q, uint64_t pos, const uint8_t *in, size_t left);

/*
 * Take what comes next, waiting for it.  The bytes stay valid until the block is freed, which must
 * not happen before another block has been taken.  Errors: -EINVAL for bad data, or if nothing was
 * added: nothing more will come until a reset; -ENOMEM.
 */
int unpack_queue_take(struct unpack_queue *q, struct unpacked *ret_unpacked);

/* Forget the stream and the pieces not completely taken; what follows continues in the block taken
 * last, at a multiple of 8 bytes. */
void unpack_queue_reset(struct unpack_queue *q);

#endif
