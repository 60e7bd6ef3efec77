/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_type: an event of the source, before the first of its samples arrives.
 * struct event_kinds: what is known about the recorded events of each kind, once everything has
 * been read.
 *
 * How many there are, how many are missing, whether they have callchains: what a report says about
 * its figures without looking at the recording.  Zeroed memory: there are no events.
 */
#ifndef EVENT_EVENT_KINDS_H
#define EVENT_EVENT_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/kmem_event.h"
#include "util/source/facts.h"

struct tep_event;

struct event_type {
	unsigned int kind; /* enum kmem_kind */
	unsigned int own;  /* KMEM_OWN and up: which of the account's tracepoints */
	bool has_callchain;
	const struct tep_event *format; /* NULL: the source has no format, and every field */
};

/* Does the event have this number among its fields? */
bool event_type_has_field(const struct event_type *type, const char *name);

struct event_kinds {
	struct event_kind {
		uint64_t samples;
		uint64_t lost;	 /* lost, or never delivered */
		uint64_t period; /* one event in this many was recorded; 0: unknown for all */
		bool has_chains;
	} v[KMEM_KINDS];
	double lost_of_all; /* of unknown kind: as a share of all events, 0 to 1 */
};

/* To be called when the source has been read to its end. */
void event_kinds_init(struct event_kinds *k, const struct source_facts *facts);

/* An event of the source is of this kind. */
void event_kinds_add(struct event_kinds *k, enum kmem_kind kind, const struct source_event *ev);

#endif
