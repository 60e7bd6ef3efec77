/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct spans: the bytes of a recording, by position.
 *
 * A position is 48 bits wide and grows in the order of reading: for a plain file it is the file
 * offset; every further piece (another file of a directory, a buffer filled from
 * a pipe, an unpacked buffer) takes the positions behind the last one.  A record
 * never runs from one span into the next.  Spans own their memory (heap or map) and
 * are dropped from the front when nothing there is wanted any more.
 */
#ifndef PERFDATA_SPAN_H
#define PERFDATA_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"

#define SPAN_POS_BITS	  48
#define SPAN_RECENT	  64 /* a power of two */
#define SPAN_RECENT_SHIFT 20
#define SPAN_SPARES	  16 /* blocks that are kept for the next one who wants one */

struct span {
	uint64_t start; /* position of data[0] */
	uint64_t len;	/* bytes filled */
	uint64_t cap;	/* positions that it covers; at least len */
	uint64_t heap;	/* bytes of heap memory */
	uint8_t *data;
	uint8_t *memory;  /* the heap's; data lies in it */
	uint64_t dropped; /* bytes at the front that were given back to the system (maps) */
	uint64_t left;	  /* of a map's len: what its file still has, see spans_note_cuts() */
	int fd;		  /* of a map; -1: its length cannot be asked for */
	bool mapped;
	bool block; /* its memory is a block, see spans_block() */
};

struct spans {
	struct span *v;
	size_t nr;
	size_t cap;
	uint32_t recent[SPAN_RECENT]; /* where look-ups ended, by the position's megabyte */
	uint64_t next_start;
	uint64_t heap_bytes;	      /* of all heap spans */
	uint8_t *spares[SPAN_SPARES]; /* blocks of dropped spans */
	size_t nr_spares;
	size_t block_size;
};

void spans_deinit(struct spans *s);

/*
 * Map a file of `size` bytes (> 0) read-only; fd remains the caller's.  Should the file become
 * shorter, what is missing reads as zeroes (map_guard.h). Errors: -errno of mmap.
 */
int spans_add_map(struct spans *s, int fd, uint64_t size, struct span **ret_span);

/*
 * A heap span with room for cap bytes that takes over from position `start`, which
 * must not be below the start of the last span: what the last one holds from there
 * on (`start` may lie inside it) is copied.  The pointer holds until the next spans_add_*().
 */
int spans_add_heap(struct spans *s, uint64_t start, size_t cap, struct span **ret_span);

/*
 * Memory for spans_add_block(), all of the same size: a dropped span's, if there is one, as new
 * memory costs a page fault for each 4 KiB.  Whoever does not add it free()s it.  NULL: no memory.
 */
uint8_t *spans_block(struct spans *s, size_t size);

/*
 * The same as spans_add_heap() with a block of the caller's: head + room bytes.  New bytes go to
 * `memory + head` and on; what the last span holds from `start` on is copied right before them, and
 * is at most `head` bytes.  On success the memory is the spans'.
 */
int spans_add_block(struct spans *s, uint64_t start, uint8_t *memory, size_t head, size_t room,
		    struct span **ret_span);

/* Has a mapped file become shorter than it was when this was asked last? Its `left` says how long
 * it is now; *ret_span is the first one. */
bool spans_note_cuts(struct spans *s, const struct span **ret_span);

/* The span of pos, by search. */
const struct span *spans_find(struct spans *s, uint64_t pos);

/* The byte at pos, which must be in a span that was not dropped. */
static inline const uint8_t *spans_at(struct spans *s, uint64_t pos)
{
	uint32_t recent = s->recent[(pos >> SPAN_RECENT_SHIFT) % SPAN_RECENT];
	const struct span *sp = &s->v[recent];

	if (recent >= s->nr || pos - sp->start >= sp->cap)
		sp = spans_find(s, pos);
	return sp->data + (pos - sp->start);
}

/* Nothing before pos is wanted any more: give its memory back. */
void spans_drop_before(struct spans *s, uint64_t pos);

#endif
