/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct spans: the bytes of a recording, by position.
 *
 * A position is 48 bits wide and grows in reading order: for a plain file it is the file offset;
 * every further piece (another file of a directory, a buffer filled from a pipe, an unpacked
 * buffer) takes the positions after the last one.  A record never extends from one span into the
 * next.  Spans own their memory (heap or map) and are dropped from the front once nothing there is
 * needed any more.
 */
#ifndef SESSION_SPAN_H
#define SESSION_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"

#define SPAN_POS_BITS	  48
#define SPAN_RECENT	  64 /* a power of two */
#define SPAN_RECENT_SHIFT 20
#define SPAN_SPARES	  16 /* blocks kept for reuse */

struct span {
	uint64_t start; /* position of data[0] */
	uint64_t len;	/* bytes filled */
	uint64_t cap;	/* positions covered; at least len */
	uint64_t heap;	/* bytes of heap memory */
	uint8_t *data;
	uint8_t *memory;  /* the heap memory that data is in */
	uint64_t dropped; /* bytes at the front that were returned to the system (maps) */
	uint64_t left;	  /* of a map's len: how much its file still has, see spans_note_cuts() */
	int fd;		  /* of a map; -1: its length cannot be determined */
	bool mapped;
	bool block; /* its memory is a block, see spans_block() */
};

struct spans {
	struct span *v;
	size_t nr;
	size_t cap;
	uint32_t recent[SPAN_RECENT]; /* results of recent look-ups, by the position's megabyte */
	uint64_t next_start;
	uint64_t heap_bytes;	      /* of all heap spans */
	uint8_t *spares[SPAN_SPARES]; /* blocks of dropped spans */
	size_t nr_spares;
	size_t block_size;
};

void spans_deinit(struct spans *s);

/*
 * Map a file of `size` bytes (> 0) read-only; fd remains the caller's.  If the file shrinks, what
 * is missing reads as zeroes (map_guard.h). Errors: -errno of mmap.
 */
int spans_add_map(struct spans *s, int fd, uint64_t size, struct span **ret_span);

/*
 * A heap span with room for cap bytes that takes over from position `start`, which must not be
 * before the start of the last span: the bytes of the last span from there on (`start` may lie
 * inside it) are copied.  The pointer is valid until the next spans_add_*().
 */
int spans_add_heap(struct spans *s, uint64_t start, size_t cap, struct span **ret_span);

/*
 * Memory for spans_add_block(), all of the same size: that of a dropped span, if there is one,
 * because new memory costs a page fault for each 4 KiB.  A caller that does not add it must free()
 * it.  NULL: no memory.
 */
uint8_t *spans_block(struct spans *s, size_t size);

/*
 * The same as spans_add_heap() with a block from the caller: head + room bytes.  New bytes go to
 * `memory + head` and on; the bytes of the last span from `start` on are copied right before them,
 * and must be at most `head` bytes.  On success the memory is the spans'.
 */
int spans_add_block(struct spans *s, uint64_t start, uint8_t *memory, size_t head, size_t room,
		    struct span **ret_span);

/* Has a mapped file shrunk since the last call? Its `left` is its current length; *ret_span is the
 * first such span. */
bool spans_note_cuts(struct spans *s, const struct span **ret_span);

/* The span of pos, by search. */
const struct span *spans_find(struct spans *s, uint64_t pos);

/* The byte at pos, which must be in a span that has not been dropped. */
static inline const uint8_t *spans_at(struct spans *s, uint64_t pos)
{
	uint32_t recent = s->recent[(pos >> SPAN_RECENT_SHIFT) % SPAN_RECENT];
	const struct span *sp = &s->v[recent];

	if (recent >= s->nr || pos - sp->start >= sp->cap)
		sp = spans_find(s, pos);
	return sp->data + (pos - sp->start);
}

/* Bytes of a mapped file before pos that may be in memory. */
static inline uint64_t spans_mapped_bytes(const struct spans *s, uint64_t pos)
{
	const struct span *sp = s->nr ? &s->v[0] : NULL;

	return sp && sp->mapped && pos > sp->start + sp->dropped ? pos - sp->start - sp->dropped
								 : 0;
}

/* Return the memory of these bytes to the system if they are of a mapped file, where they can still
 * be read. */
void spans_forget(struct spans *s, const uint8_t *data, uint64_t size);

/* Nothing before pos is needed any more: release its memory. */
void spans_drop_before(struct spans *s, uint64_t pos);

#endif
