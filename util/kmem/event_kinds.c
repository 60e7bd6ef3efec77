// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/event_kinds.h"

#include "util/perfdata/format.h"

void event_kinds_init(struct event_kinds *k, const struct recording *r)
{
	*k = (struct event_kinds){.lost_of_all = 0};
	/* before 6.0 all that is told is how many events were lost */
	if (!recording_knows_lost_events(r))
		k->lost_of_all = recording_lost_percent(r) / 100;
}

void event_kinds_add(struct event_kinds *k, enum kmem_kind kind, const struct recording *r,
		     const struct recorded_event *ev)
{
	struct event_kind *v = &k->v[kind];
	uint64_t period = recorded_event_period(ev);

	v->samples += ev->nr_samples;
	v->lost += recording_event_lost(r, ev) + recorded_event_undelivered(r, ev);
	v->period = period > v->period ? period : v->period;
	v->has_chains |= (ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
}
