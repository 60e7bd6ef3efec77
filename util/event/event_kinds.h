/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_type: an event of the source, known before its first sample. struct event_kinds: the
 * numbers of recorded and missing events of each kind, once the source has been read.
 *
 * Also whether they have callchains. Reports qualify their figures by this without access to the
 * recording. Zeroed memory: there are no events.
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
	} v[KMEM_KINDS];
	double lost_of_all; /* missing events of unknown kind, as a share of all events, 0 to 1 */
};

/* Called when the source has been read to its end. */
void event_kinds_init(struct event_kinds *k, const struct source_facts *facts);

/* Add an event of the source, of this kind. */
void event_kinds_add(struct event_kinds *k, enum kmem_kind kind, const struct source_event *ev);

#endif
