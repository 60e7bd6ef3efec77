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
	EVENT_kmalloc,
	EVENT_kmalloc_node,
	EVENT_kmem_cache_alloc,
	EVENT_kmem_cache_alloc_node,
	EVENT_kfree,
	EVENT_kmem_cache_free,
	EVENT_mm_page_alloc,
	EVENT_mm_page_free,
	EVENT_mm_page_free_direct,
	EVENT_mm_page_free_batched,
	EVENT_mm_pagevec_free,
	EVENT_mm_page_alloc_zone_locked,
	EVENT_mm_page_pcpu_drain,
	EVENT_mm_page_alloc_extfrag,
	KNOWN_EVENTS
};

struct known_event {
	const char *name; /* "kmem:kmalloc" */
	struct kmem_event
		neutral; /* values common to all its events: its kind, and neutral values */
};

extern const struct known_event known_events[KNOWN_EVENTS];

/* The event with this name of len bytes, without the system ("kmalloc"). NULL if it is not
 * accounted. */
const struct known_event *known_event_find(const char *name, size_t len);

#endif
