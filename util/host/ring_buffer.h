/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct ring_buffer: the reader's side of one perf_event_open buffer.
 *
 * The kernel writes records and moves data_head; the reader reads them and moves data_tail. Both
 * only grow. `size` is a power of two of bytes, and the kernel stops at a full buffer, so head -
 * tail never exceeds it. The head is loaded with acquire before the data is read, and the tail is
 * stored with release after it. Unread data is in one or two pieces, because it may wrap. It
 * consists of whole records, but one may be split between the two pieces.
 *
 * An overwritten buffer (write_backward) is filled downwards for ever: data_head falls, the newest
 * record is at the head, and the tail does not move. It is read only while output is paused. The
 * ring buffer owns the mapping, the evlist the descriptor. Facts: perf_event_open(2), "MMAP
 * layout"; kernel/events/ring_buffer.c.
 */
#ifndef HOST_RING_BUFFER_H
#define HOST_RING_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <linux/perf_event.h>

struct ring_buffer {
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size;	/* bytes of data */
	uint64_t taken; /* bytes taken with ring_buffer_take() and not yet released */
};

/* Map the buffer of fd with `size` bytes of data, a power of two of pages. Returns 0 or -errno. */
int ring_buffer_init(struct ring_buffer *rb, int fd, uint64_t size, bool overwrite);
void ring_buffer_deinit(struct ring_buffer *rb);

/*
 * Get the unread data, as up to two pieces. Returns its size in bytes (0: none). The pieces are
 * valid until ring_buffer_release(), which returns the space to the kernel.
 */
uint64_t ring_buffer_take(struct ring_buffer *rb, struct iovec pieces[2], int *ret_nr);
/* Release the next `bytes` bytes of the taken data. */
void ring_buffer_release(struct ring_buffer *rb, uint64_t bytes);

/* A non-zero return ends the reading, and is returned. The record is valid until it returns. */
typedef int (*ring_record_fn)(void *ctx, const struct perf_event_header *record);

/* Read all records, and release them. Takes memory for a copy: for small buffers. Errors: -ENOMEM.
 */
int ring_buffer_for_each(struct ring_buffer *rb, ring_record_fn fn, void *ctx);

/* Number of bytes that are unread or not yet released. */
uint64_t ring_buffer_unread(const struct ring_buffer *rb);

/*
 * For an overwritten buffer: copy all whole records, oldest first, to the end of dst, which has
 * room for rb->size bytes.  Returns their size.
 */
uint64_t ring_buffer_copy_newest(const struct ring_buffer *rb, uint8_t *dst);

/* Whether such a buffer has discarded any record. */
bool ring_buffer_overwritten(const struct ring_buffer *rb);

#endif
