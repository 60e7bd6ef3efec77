/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct spans: the bytes of a recording, by position.
 *
 * A position has 48 bits and grows in reading order. For a plain file it is the file offset. Every
 * further piece (another file of a directory, a buffer filled from a pipe, an unpacked buffer)
 * takes the positions after the last one. A record never extends from one span into the next. Spans
 * own their memory (heap or map) and are dropped from the front once it is no longer needed.
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
	uint64_t len;	/* number of bytes filled */
	uint64_t cap;	/* number of positions covered; at least len */
	uint64_t heap;	/* bytes of heap memory used */
	uint8_t *data;
	uint8_t *memory;  /* heap memory that contains data */
	uint64_t dropped; /* maps: bytes at the front that were returned to the system */
	uint64_t left;	  /* maps: bytes that the file still has, see spans_note_cuts() */
	int fd;		  /* maps: the file; -1 if its length cannot be determined */
	bool mapped;
	bool block; /* memory is a block, see spans_block() */
};

struct spans {
	struct span *v;
	size_t nr;
	size_t cap;
	uint32_t recent[SPAN_RECENT]; /* recent look-ups, by the position's megabyte */
	uint64_t next_start;
	uint64_t heap_bytes;	      /* sum over all heap spans */
	uint8_t *spares[SPAN_SPARES]; /* blocks of dropped spans */
	size_t nr_spares;
	size_t block_size;
};

void spans_deinit(struct spans *s);

/*
 * Map a file of `size` bytes (> 0) read-only. The caller keeps and closes fd. If the file shrinks,
 * the missing bytes read as zeroes (map_guard.h). Errors: -errno of mmap.
 */
int spans_add_map(struct spans *s, int fd, uint64_t size, struct span **ret_span);

/*
 * Add a heap span with room for cap bytes, starting at position `start`, which must not precede the
 * start of the last span. If `start` lies inside the last span, the bytes of that span from there
 * on are copied. The pointer is valid until the next spans_add_*().
 */
int spans_add_heap(struct spans *s, uint64_t start, size_t cap, struct span **ret_span);

/*
 * Memory for spans_add_block(); all blocks have the same size. Reuses the block of a dropped span
 * if there is one, because new memory costs a page fault for each 4 KiB. Freed by the caller,
 * unless added. NULL if out of memory.
 */
uint8_t *spans_block(struct spans *s, size_t size);

/*
 * Like spans_add_heap(), with a block from the caller: head + room bytes. New bytes start at
 * `memory + head`. The bytes of the last span from `start` on, at most `head`, are copied right
 * before them. On success the spans own the memory.
 */
int spans_add_block(struct spans *s, uint64_t start, uint8_t *memory, size_t head, size_t room,
		    struct span **ret_span);

/* Whether a mapped file has shrunk since the last call. Updates `left` of each such span; *ret_span
 * is the first of them. */
bool spans_note_cuts(struct spans *s, const struct span **ret_span);

/* spans_at() for a span that was not looked up recently. */
const struct span *spans_find(struct spans *s, uint64_t pos);

/* The span that contains pos, which must not have been dropped. */
static inline const struct span *spans_at(struct spans *s, uint64_t pos)
{
	uint32_t recent = s->recent[(pos >> SPAN_RECENT_SHIFT) % SPAN_RECENT];
	const struct span *sp = &s->v[recent];

	if (recent >= s->nr || pos - sp->start >= sp->cap)
		sp = spans_find(s, pos);
	return sp;
}

/* Number of bytes of mapped files, before pos, that may be in memory. */
static inline uint64_t spans_mapped_bytes(const struct spans *s, uint64_t pos)
{
	const struct span *sp = s->nr ? &s->v[0] : NULL;

	return sp && sp->mapped && pos > sp->start + sp->dropped ? pos - sp->start - sp->dropped
								 : 0;
}

/* Return the memory of these bytes to the system if they are part of a mapped file; they can still
 * be read. */
void spans_forget(struct spans *s, const uint8_t *data, uint64_t size);

/* Release the memory of all positions before pos. */
void spans_drop_before(struct spans *s, uint64_t pos);

#endif
