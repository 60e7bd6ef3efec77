/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accounted tracepoints of the kernel's system "kmem": for each, the kind of its events and,
 * for slab objects, the cache as far as the name implies it.
 *
 * Producers of events (the decoder of samples, util/watch, the text of a tracefs) start from
 * `neutral` and add the values of their input. A tracepoint that only one account uses belongs to
 * that account (struct kmem_tracepoint), and is not listed here.
 */
#ifndef EVENT_KNOWN_EVENTS_H
#define EVENT_KNOWN_EVENTS_H

#include <stddef.h>

#include "util/event/kmem_event.h"

enum known_event_id {
	EVENT_KMALLOC,
	EVENT_KMALLOC_NODE,
	EVENT_KMEM_CACHE_ALLOC,
	EVENT_KMEM_CACHE_ALLOC_NODE,
	EVENT_KFREE,
	EVENT_KMEM_CACHE_FREE,
	EVENT_MM_PAGE_ALLOC,
	EVENT_MM_PAGE_FREE,
	EVENT_MM_PAGE_FREE_DIRECT,
	EVENT_MM_PAGE_FREE_BATCHED,
	EVENT_MM_PAGEVEC_FREE,
	EVENT_MM_PAGE_ALLOC_ZONE_LOCKED,
	EVENT_MM_PAGE_PCPU_DRAIN,
	EVENT_MM_PAGE_ALLOC_EXTFRAG,
	KNOWN_EVENTS
};

struct known_event {
	const char *name; /* "kmem:kmalloc" */
	struct kmem_event
		neutral; /* values common to all its events: its kind, and neutral values */
};

extern const struct known_event known_events[KNOWN_EVENTS];

/* By its name without the system ("kmalloc"), of len bytes. NULL if it is not accounted. */
const struct known_event *known_event_find(const char *name, size_t len);

#endif
