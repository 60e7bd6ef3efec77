/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct ring_buffer: the reader's side of one perf_event_open buffer.
 *
 * The kernel writes records and moves data_head; we read and move data_tail.  Both
 * only grow; size is a power of two of bytes, and the kernel stops at a full
 * buffer, so head - tail never exceeds it.  The head is loaded with acquire before
 * the data is read and the tail stored with release after.  What is unread is one
 * or two pieces (it may wrap); it is whole records, but a record may lie across the two.
 * An overwritten buffer (write_backward) is filled downwards for ever: data_head falls, the newest
 * record is at the head, and nobody moves a tail.  It is read only while output is paused.
 * The mapping is the ring buffer's; the descriptor is the evlist's.
 * Facts: perf_event_open(2), "MMAP layout"; kernel/events/ring_buffer.c.
 */
#ifndef RECORD_RING_BUFFER_H
#define RECORD_RING_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <linux/perf_event.h>

struct ring_buffer {
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size;	/* bytes of data */
	uint64_t taken; /* by ring_buffer_take(), not yet given back */
};

/* Map the buffer of fd with size bytes of data, a power of two of pages. Returns 0 or -errno. */
int ring_buffer_init(struct ring_buffer *rb, int fd, uint64_t size, bool overwrite);
void ring_buffer_deinit(struct ring_buffer *rb);

/*
 * What is unread, as up to two pieces; returns its bytes (0: nothing).  The pieces hold until
 * ring_buffer_release(), which gives the space back to the kernel.
 */
uint64_t ring_buffer_take(struct ring_buffer *rb, struct iovec pieces[2], int *ret_nr);
/* Give back these bytes, the next ones of what was taken. */
void ring_buffer_release(struct ring_buffer *rb, uint64_t bytes);

/* Bytes that are unread or not yet given back. */
uint64_t ring_buffer_unread(const struct ring_buffer *rb);

/*
 * Of an overwritten buffer: copy all whole records, oldest first, to the end of dst, which
 * has room for rb->size bytes.  Returns their bytes.
 */
uint64_t ring_buffer_copy_newest(const struct ring_buffer *rb, uint8_t *dst);

/* Of such a buffer: has it let go of any record? */
bool ring_buffer_overwritten(const struct ring_buffer *rb);

#endif
