/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a source hands over that knows more than samples: events that are whole, and rows.
 *
 * Only pointers to what the event is: this folder stands below those who know kmem events.
 */
#ifndef SOURCE_COMPLETE_EVENT_H
#define SOURCE_COMPLETE_EVENT_H

#include <stddef.h>
#include <stdint.h>

struct kmem_event;
struct source_event;

/*
 * A kmem event as if it were decoded, and the names that an event has only numbers for; NULL: not
 * told.  What the event's own struct calls "worked out" is not looked at, but the call site, where
 * there is no callchain to find it in.
 */
struct complete_event {
	struct source_event *source;
	const struct kmem_event *event;
	const char *comm;
	const char *cache;
	/* as in a sample, markers included, but in our byte order */
	const uint64_t *callchain;
	size_t nr_callchain;
};

/* What somebody counted of the allocations that have some keys, without an event for each. */
struct source_figures {
	uint64_t hits;
	uint64_t bytes_req, bytes_alloc;
	uint64_t live_hits; /* of those, not freed so far */
	uint64_t live_bytes_req, live_bytes;
};

#endif
