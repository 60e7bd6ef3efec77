/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_kinds: what is known of the recorded events of each kind, when all is read.
 *
 * How many there are, how many are missing, whether they have callchains: what a report says of its
 * figures without a look at the recording.  Zeroed memory: there are no events.
 */
#ifndef KMEM_EVENT_KINDS_H
#define KMEM_EVENT_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/kmem/kmem_event.h"
#include "util/source/facts.h"

struct event_kinds {
	struct event_kind {
		uint64_t samples;
		uint64_t lost;	 /* lost, or never delivered */
		uint64_t period; /* one event of so many was recorded; 0: of none is it known */
		bool has_chains;
	} v[KMEM_KINDS];
	double lost_of_all; /* nobody knows of which kind: the part of all events, 0 to 1 */
};

/* The source was read to its end. */
void event_kinds_init(struct event_kinds *k, const struct source_facts *facts);

/* One of its events is of the kind. */
void event_kinds_add(struct event_kinds *k, enum kmem_kind kind, const struct source_event *ev);

#endif
