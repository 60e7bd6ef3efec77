/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct ring_page: iterates over the events in one page of the kernel's trace ring buffer.
 *
 * A read of per_cpu/cpuN/trace_pipe_raw returns a page, and a trace.dat consists of pages. A page
 * has a u64 timestamp, a long with the number of bytes used (and flags about missed events), then
 * events, each with the time since the previous one.
 *
 * libtraceevent's kbuffer reads such pages, too, but trusts their sizes. Version 1.7.1 compares
 * neither the number of bytes used nor the length of an event with the size of the page. Pages may
 * come from hostile files. Here an event is returned only if it lies inside the page. The caller
 * owns the page.
 *
 * Facts: include/linux/ring_buffer.h, kernel/trace/ring_buffer.c (struct buffer_data_page, the
 * meaning of type_len, RB_MISSED_EVENTS).
 */
#ifndef FTRACE_RING_PAGE_H
#define FTRACE_RING_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Layout of all pages of a buffer, as in events/header_page. */
struct ring_layout {
	bool swap;	   /* byte order differs from this machine's */
	bool big_endian;   /* also changes the order of the bits in an event's header */
	uint8_t long_size; /* 4 or 8 */
	uint32_t page_size;
};

/* The largest supported subbuffer; the kernel's limit is 128 pages (buffer_subbuf_size_kb). */
#define RING_PAGE_MAX (1u << 25)

struct ring_page {
	const struct ring_layout *layout;
	const uint8_t *at, *end;
	uint64_t time_ns;   /* time of the last returned event; at first that of the page */
	bool missed;	    /* events were lost before the first one */
	uint64_t nr_missed; /* number of lost events; 0: unknown */
	bool broken;	    /* the bytes after the last event are not an event */
};

struct ring_event {
	uint64_t time_ns; /* on the buffer's trace clock */
	const uint8_t *data;
	uint32_t size; /* bytes, rounded up to a multiple of 4 */
};

/* size: number of bytes, which may be less than a whole page. Returns false if it is less than the
 * page's header. */
bool ring_page_init(struct ring_page *p, const struct ring_layout *layout, const uint8_t *page,
		    size_t size);

/* Returns false after the last event, or if p->broken is set. */
bool ring_page_next(struct ring_page *p, struct ring_event *ret_event);

/* The timestamp of a page, which need not be initialized; 0 if even its header is incomplete. */
uint64_t ring_page_time(const struct ring_layout *layout, const uint8_t *page, size_t size);

#endif
