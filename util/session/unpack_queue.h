/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unpack_queue: takes pieces of a zstd stream and returns blocks of unpacked bytes, in
 * order.
 *
 * With a thread, pieces are unpacked ahead of the reader as long as there are blocks. So neither
 * many pieces nor a decompression bomb can take more than UNPACK_BLOCKS blocks beyond the reader's.
 * Without a thread, pieces are unpacked on request. The output is identical, and in the same
 * portions: these end at the end of each piece and of each block. The reader decides about broken
 * streams, and limits how much a piece may unpack to.
 *
 * All functions are called from one thread, the reader's. It also allocates and frees all memory,
 * except libzstd's own.
 */
#ifndef SESSION_UNPACK_QUEUE_H
#define SESSION_UNPACK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/session/span.h"

/* A block starts with room for the start of a record that ends in it; then come the unpacked
 * bytes. */
#define UNPACK_HEAD   (1u << 16)
#define UNPACK_ROOM   ((1u << 20) - UNPACK_HEAD)
#define UNPACK_BLOCKS 16 /* a power of two */

/* Limit for waiting pieces. */
#define UNPACK_PIECES 128 /* a power of two */

struct unpack_queue;

/* Bytes unpacked from a piece. */
struct unpacked {
	uint64_t pos; /* position of the piece, as passed to unpack_queue_add() */
	const uint8_t *data;
	size_t len;
	uint8_t *block; /* not NULL: these bytes are its first, and the caller now owns it */
	bool last;	/* last bytes of this piece */
};

/*
 * spans: blocks are taken from it and return to it. threaded: use a separate thread, if one can be
 * created. Errors: -ENOMEM.
 */
int unpack_queue_new(struct unpack_queue **ret_queue, struct spans *spans, bool threaded);

/* Call it before freeing the last returned block: the thread may still be writing to its end. */
void unpack_queue_free(struct unpack_queue *q);

/* Open a stream, unless one is open. Called before the first piece. Errors: those of
 * unpacking_new(). */
int unpack_queue_open(struct unpack_queue *q, struct error *err);

/* Number of pieces that should be added now; 0 if enough are waiting. */
unsigned int unpack_queue_wants(const struct unpack_queue *q);

/* Add a piece, if unpack_queue_wants() asked for it. Its bytes must stay valid until it is
 * taken. */
void unpack_queue_add(struct unpack_queue *q, uint64_t pos, const uint8_t *in, size_t left);

/*
 * Take the next bytes, waiting for them. They are valid until the block is freed, which must not
 * happen before another block has been taken. Errors: -EINVAL for bad data, or if no piece was
 * added; -ENOMEM. After bad data nothing more is returned until a reset.
 */
int unpack_queue_take(struct unpack_queue *q, struct unpacked *ret_unpacked);

/* Forget the stream and the pieces not completely taken. Further bytes continue in the block taken
 * last, at a multiple of 8 bytes. */
void unpack_queue_reset(struct unpack_queue *q);

#endif
