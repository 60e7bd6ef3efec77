/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_finder: which event of the recording a record belongs to.
 *
 * By its id, wherever the event's sample_type puts it: with IDENTIFIER that is the same
 * place for all events, without it there may be several, and an id counts only when
 * the event that it leads to has its id in that place.  Samples without an id are told by
 * the number in their raw data (common_type, the config of a tracepoint).  What
 * a tool made (id 0), and the records of a recording with one event, are the first event's.
 */
#ifndef PERFDATA_EVENT_FINDER_H
#define PERFDATA_EVENT_FINDER_H

#include "util/perfdata/record.h"
#include "util/perfdata/recording.h"

#define EVENT_FINDER_PLACES 8

struct event_finder {
	size_t nr_events;		      /* of the recording that were looked at */
	uint16_t places[EVENT_FINDER_PLACES]; /* of the id in samples, distinct */
	size_t nr_places;
	const struct sample_layout
		*tails[EVENT_FINDER_PLACES]; /* distinct tails of other records */
	size_t nr_tails;
};

/* NULL: none that we know. */
struct recorded_event *event_finder_sample(struct event_finder *f, const struct recording *r,
					   const struct record *rec);
struct recorded_event *event_finder_other(struct event_finder *f, const struct recording *r,
					  const struct record *rec);

#endif
