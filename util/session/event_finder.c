// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/event_finder.h"

#include <string.h>

#include "util/perfdata/format.h"

/* Number of layouts to try for a sample without an id; a hostile file may have 65535. */
#define MAX_TRIES 64

static void add_place(struct event_finder *f, uint16_t place)
{
	if (place == SAMPLE_FIELD_ABSENT)
		return;
	for (size_t i = 0; i < f->nr_places; i++)
		if (f->places[i] == place)
			return;
	if (f->nr_places < EVENT_FINDER_PLACES)
		f->places[f->nr_places++] = place;
}

static bool same_tail(const struct sample_layout *a, const struct sample_layout *b)
{
	return a->tail_size == b->tail_size && a->tail_id == b->tail_id;
}

static void add_tail(struct event_finder *f, const struct sample_layout *layout)
{
	if (layout->tail_id == SAMPLE_FIELD_ABSENT)
		return;
	for (size_t i = 0; i < f->nr_tails; i++)
		if (same_tail(f->tails[i], layout))
			return;
	if (f->nr_tails < EVENT_FINDER_PLACES)
		f->tails[f->nr_tails++] = layout;
}

/* In a pipe, events arrive one by one. */
static void update(struct event_finder *f, const struct recording *r)
{
	if (f->nr_events < r->facts.nr_events)
		memset(f->cache, 0, sizeof(f->cache));
	for (; f->nr_events < r->facts.nr_events; f->nr_events++) {
		add_place(f, recording_event(r, f->nr_events)->layout.id);
		add_tail(f, &recording_event(r, f->nr_events)->layout);
	}
}

static bool has_type(const struct recorded_event *ev)
{
	return ev->attr.type == PERF_TYPE_TRACEPOINT && ev->attr.sample_type & PERF_SAMPLE_RAW;
}

/* All tracepoints begin with u16 common_type; where the raw data starts depends on the layout. */
static struct recorded_event *by_common_type(const struct recording *r, const struct record *rec)
{
	size_t nr = r->facts.nr_events < MAX_TRIES ? r->facts.nr_events : MAX_TRIES;

	for (size_t i = 0; i < nr; i++) {
		struct recorded_event *ev = recording_event(r, i);
		struct sample s;

		if (has_type(ev) && !sample_parse(&ev->layout, rec->data, rec->size, r->swap, &s) &&
		    s.raw_size >= 2 && load_u16(s.raw, r->swap) == ev->attr.config)
			return ev;
	}
	return NULL;
}

struct recorded_event *event_finder_search(struct event_finder *f, const struct recording *r,
					   const struct record *rec)
{
	bool unknown = false;
	struct recorded_event *ev;

	update(f, r);
	if (!r->facts.nr_events)
		return NULL;
	for (size_t i = 0; i < f->nr_places && r->ids.nr; i++) {
		uint16_t place = f->places[i];
		uint64_t id;

		if (rec->size < place + 8)
			continue;
		id = load_u64(rec->data + place, r->swap);
		ev = id ? recording_event_by_id(r, id) : NULL;
		if (ev && ev->layout.id == place) {
			if (f->nr_places == 1)
				f->cache[id % EVENT_FINDER_CACHE] =
					(struct event_finder_slot){id, ev};
			return ev;
		}
		unknown |= id != 0;
	}
	/* if all events have the id in the same place, the id found there is reliable */
	if (unknown && f->nr_places == 1 && recording_event(r, 0)->layout.id == f->places[0])
		return NULL;
	if (r->facts.nr_events == 1)
		return recording_event(r, 0);
	ev = by_common_type(r, rec);
	return ev || has_type(recording_event(r, 0)) ? ev : recording_event(r, 0);
}

struct recorded_event *event_finder_other(struct event_finder *f, const struct recording *r,
					  const struct record *rec)
{
	update(f, r);
	if (!r->facts.nr_events)
		return NULL;
	for (size_t i = 0; i < f->nr_tails; i++) {
		uint64_t id = sample_tail_id(f->tails[i], rec->data, rec->size, r->swap, 0);
		struct recorded_event *ev = id ? recording_event_by_id(r, id) : NULL;

		if (ev && same_tail(&ev->layout, f->tails[i]))
			return ev;
	}
	return recording_event(r, 0);
}
