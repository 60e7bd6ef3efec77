/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct ring_page: a walk along the events in one page of the kernel's trace ring buffer.
 *
 * A page is what a read of per_cpu/cpuN/trace_pipe_raw returns, and what a trace.dat consists of: a
 * u64 timestamp, a long with the number of bytes used (and flags about missed events), then events,
 * each with the time since the one before it.  libtraceevent's kbuffer walks such pages, too, but
 * believes what they say about sizes (1.7.1: neither the number of bytes used nor the length of an
 * event is compared with the size of the page), and pages come from files that may be hostile.
 * Here an event is handed out only if it lies inside the page.  The page belongs to the caller.
 *
 * Facts: include/linux/ring_buffer.h, kernel/trace/ring_buffer.c (struct buffer_data_page, the
 * meaning of type_len, RB_MISSED_EVENTS).
 */
#ifndef FTRACE_RING_PAGE_H
#define FTRACE_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of all pages of a buffer, as events/header_page describes it. */
struct ring_layout {
	bool swap;	   /* not in this machine's byte order */
	bool big_endian;   /* which also changes where the bits of an event's header are */
	uint8_t long_size; /* 4 or 8 */
	uint32_t page_size;
};

/* The largest subbuffer that is read; the kernel's limit is 128 pages (buffer_subbuf_size_kb). */
#define RING_PAGE_MAX (1u << 25)

struct ring_page {
	const struct ring_layout *layout;
	const uint8_t *at, *end;
	uint64_t time_ns;   /* of the event handed out last; at first that of the page */
	bool missed;	    /* events were lost before the first one of this page */
	uint64_t nr_missed; /* how many; 0: unknown */
	bool broken;	    /* what comes after the last event is not one */
};

struct ring_event {
	uint64_t time_ns; /* by the buffer's trace clock */
	const uint8_t *data;
	uint32_t size; /* bytes, a multiple of 4: the tracepoint may have written fewer */
};

/* size: bytes that are there; fewer than a whole page may be. False: not even its header is. */
bool ring_page_init(struct ring_page *p, const struct ring_layout *layout, const uint8_t *page,
		    size_t size);

/* False: there are no more, or p->broken. */
bool ring_page_next(struct ring_page *p, struct ring_event *ret_event);

/* The timestamp of a page, which need not be initialized; 0: not even its header is there. */
uint64_t ring_page_time(const struct ring_layout *layout, const uint8_t *page, size_t size);

#endif
