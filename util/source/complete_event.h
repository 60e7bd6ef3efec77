/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Complete events and rows, which a source can deliver instead of samples.
 *
 * The event itself is only a pointer here: this folder comes before those that use struct
 * kmem_event.
 */
#ifndef SOURCE_COMPLETE_EVENT_H
#define SOURCE_COMPLETE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kmem_event;
struct source_event;

/*
 * A decoded kmem event, and the names for which an event has only numbers. A name that is NULL is
 * looked up by its number; label_unknown (util/base/label.h) is not. Members marked "determined" in
 * the event's own struct are ignored, except the call site if there is no callchain to find it in.
 */
struct complete_event {
	struct source_event *source;
	const struct kmem_event *event;
	const char *comm;
	const char *cache; /* of an area of vmalloc space: its use */
	const char *memcg; /* the memory cgroup that pages are charged to */
	uint64_t cache_id; /* equal for equal names, and never changes; 0: none */
	uint64_t cgroup;   /* id, passed to the sink's cgroup() before; 0: unknown */
	/* as in a sample, including markers, but in this machine's byte order */
	const uint64_t *callchain;
	size_t nr_callchain;
};

/* Figures for all allocations with certain keys, counted elsewhere, without an event for each. */
struct source_figures {
	uint64_t hits;
	uint64_t bytes_req, bytes_alloc;
	uint64_t live_hits; /* of those, not yet freed */
	uint64_t live_bytes_req, live_bytes;
	/* frees cannot be matched to the hits: nothing is live, and frees are counted */
	bool live_unknown;
	uint64_t frees;
};

#endif
