// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/event_kinds.h"

#include "util/tracepoint/event_format.h"

bool event_type_has_field(const struct event_type *type, const char *name)
{
	return !type->format || trace_field(type->format, name).kind == FIELD_NUMBER;
}

void event_kinds_init(struct event_kinds *k, const struct source_facts *facts)
{
	*k = (struct event_kinds){.lost_of_all = 0};
	/* before 6.0 only the number of lost events is known */
	if (!facts->knows_lost_events)
		k->lost_of_all = source_facts_lost_percent(facts) / 100;
}

void event_kinds_add(struct event_kinds *k, enum kmem_kind kind, const struct source_event *ev)
{
	struct event_kind *v = &k->v[kind];

	v->samples += ev->nr_samples;
	v->lost += ev->nr_lost + ev->nr_undelivered;
	v->period = ev->period > v->period ? ev->period : v->period;
	v->has_chains |= ev->has_callchain;
}
