/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The types of events: the accounted tracepoints, the events of a source, and their numbers by
 * kind.
 *
 * known_events are the accounted tracepoints of the kernel, and the events of our system
 * "perf_kmem" (util/bpf/probes.h): for each, the kind of its events and, for slab objects, the
 * cache as far as the name implies it.
 *
 * Producers of events (the decoder of samples, util/watch, the text of a tracefs) start from
 * `neutral` and add the values of their input. A tracepoint that only one account uses belongs to
 * that account (struct kmem_tracepoint), and is not listed here.
 *
 * struct event_type: an event of the source, known before its first sample. struct event_kinds: the
 * numbers of recorded and missing events of each kind, once the source has been read, whether they
 * have callchains, and which events were recorded at all. Reports qualify their figures by this
 * without access to the recording. Zeroed memory: there are no events.
 */
#ifndef EVENT_KNOWN_EVENTS_H
#define EVENT_KNOWN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/event/kmem_event.h"
#include "util/source/facts.h"

struct tep_event;

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
	EVENT_kvfree_call_rcu,
	EVENT_kmem_cache_free_bulk,
	EVENT_kmem_cache_alloc_bulk,
	EVENT_alloc_vmap_area,
	EVENT_free_vmap_area_noflush,
	EVENT_purge_vmap_area_lazy,
	EVENT_percpu_alloc_percpu,
	EVENT_percpu_alloc_percpu_fail,
	EVENT_percpu_free_percpu,
	EVENT_percpu_create_chunk,
	EVENT_percpu_destroy_chunk,
	KNOWN_EVENTS
};

struct known_event {
	const char *name; /* "kmem:kmalloc" */
	struct kmem_event
		neutral; /* values common to all its events: its kind, and neutral values */
};

extern const struct known_event known_events[KNOWN_EVENTS];

/* The event of a system ("kmem") with this name of len bytes ("kmalloc"). NULL if it is not
 * accounted. */
const struct known_event *known_event_find(const char *system, const char *name, size_t len);

struct event_type {
	unsigned int kind; /* enum kmem_kind */
	unsigned int own;  /* KMEM_OWN and up: number of the account's tracepoint */
	bool has_callchain;
	const struct tep_event *format; /* NULL: the source has no format; all fields are there */
};

/* Whether the event has this field. */
bool event_type_has_field(const struct event_type *type, const char *name);

struct event_kinds {
	struct event_kind {
		uint64_t samples;
		uint64_t lost;	 /* number lost, or never delivered */
		uint64_t period; /* one event in this number was recorded; 0: unknown for all */
		bool has_chains;
		bool has_user_stacks;
	} v[KMEM_KINDS];
	double lost_of_all; /* missing events of unknown kind, as a share of all events, 0 to 1 */
	uint32_t recorded;  /* the source's events: bits of enum known_event_id */
	bool only_seen;	    /* as in struct source_facts */
};

_Static_assert(KNOWN_EVENTS <= 32, "bits of event_kinds.recorded");

/* The facts are those known so far. */
void event_kinds_init(struct event_kinds *k, const struct source_facts *facts);

/* Add an event of the source, of this kind. Its name is that of the format, if there is one. */
void event_kinds_add(struct event_kinds *k, enum kmem_kind kind, const struct tep_event *format,
		     const struct source_event *ev);

/*
 * Returns the name of an event that frees what events of this kind allocate, if the source has
 * these and not that one: "kmem:kfree". NULL: no such event is missing.
 */
const char *event_kinds_missing_free(const struct event_kinds *k, enum kmem_kind alloc);

#endif
