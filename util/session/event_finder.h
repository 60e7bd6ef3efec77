/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_finder: the event of the recording that a record belongs to.
 *
 * It is found by its id, at the place that the event's sample_type defines. With IDENTIFIER this
 * place is the same for all events. Without it there may be several, and an id is valid only if its
 * event has the id at that place. Samples without an id are identified by the number in their raw
 * data (common_type, the config of a tracepoint). Records made by tools (id 0), and all records of
 * a recording with one event, belong to the first event.
 */
#ifndef SESSION_EVENT_FINDER_H
#define SESSION_EVENT_FINDER_H

#include "util/perfdata/record.h"
#include "util/session/recording.h"

#define EVENT_FINDER_PLACES 8
#define EVENT_FINDER_CACHE  64 /* a power of two; a recorder's ids are consecutive */

struct event_finder_slot {
	uint64_t id;
	struct recorded_event *event; /* NULL: empty slot */
};

struct event_finder {
	size_t nr_events;		      /* number of the recording's events seen so far */
	uint16_t places[EVENT_FINDER_PLACES]; /* distinct places of the id in samples */
	size_t nr_places;
	/* distinct tails of other records */
	const struct sample_layout *tails[EVENT_FINDER_PLACES];
	size_t nr_tails;
	/* recently found ids; used if all events have their id in one place */
	struct event_finder_slot cache[EVENT_FINDER_CACHE];
};

/*
 * event_finder_sample() for a sample whose id is not in the cache.  Kept out of line so that the
 * path of a sample stays small.
 */
__attribute__((noinline)) struct recorded_event *
event_finder_search(struct event_finder *f, const struct recording *r, const struct record *rec);

/* Whether event_finder_recent() can be used for the ids at places[0] of the next samples. */
static inline bool event_finder_is_quick(const struct event_finder *f, const struct recording *r)
{
	return f->nr_places == 1 && f->nr_events == r->facts.nr_events;
}

/* NULL if the id was not found recently. */
static inline struct recorded_event *event_finder_recent(const struct event_finder *f, uint64_t id)
{
	const struct event_finder_slot *slot = &f->cache[id % EVENT_FINDER_CACHE];

	return slot->id == id ? slot->event : NULL;
}

/* Returns NULL if the event is unknown. */
static inline struct recorded_event *
event_finder_sample(struct event_finder *f, const struct recording *r, const struct record *rec)
{
	if (event_finder_is_quick(f, r) && rec->size >= f->places[0] + 8) {
		struct recorded_event *ev =
			event_finder_recent(f, load_u64(rec->data + f->places[0], r->swap));

		if (ev)
			return ev;
	}
	return event_finder_search(f, r, rec);
}

struct recorded_event *event_finder_other(struct event_finder *f, const struct recording *r,
					  const struct record *rec);

#endif
