// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/recording.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/perfdata/format.h"

struct id_row {
	uint64_t id;
	uint32_t event;
};

void recording_init(struct recording *r)
{
	*r = (struct recording){.swap = false};
	source_facts_init(&r->facts);
	table_init(&r->ids, sizeof(struct id_row), sizeof(uint64_t));
}

void recording_deinit(struct recording *r)
{
	source_facts_deinit(&r->facts);
	recording_forget_names(r);
	table_deinit(&r->ids);
	recording_init(r);
}

_Static_assert(offsetof(struct recorded_event, event) == 0, "the facts free() it");

/* Whether it is a software "dummy" event, which has no samples of its own. */
static bool is_dummy(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

struct recorded_event *recording_add_event(struct recording *r, const struct event_attr *attr)
{
	struct recorded_event *ev = calloc(1, sizeof(*ev));

	if (!ev || source_facts_add_event(&r->facts, &ev->event)) {
		free(ev);
		return NULL;
	}
	ev->event.type = attr->type;
	ev->event.config = attr->config;
	ev->event.period =
		attr_flag(attr, ATTR_FREQ) || !attr->sample_period ? 1 : attr->sample_period;
	ev->event.has_callchain = (attr->sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
	ev->event.has_user_stack =
		(attr->sample_type & PERF_SAMPLE_REGS_USER &&
		 attr->sample_type & PERF_SAMPLE_STACK_USER) ||
		(ev->event.has_callchain && !attr_flag(attr, ATTR_EXCLUDE_CALLCHAIN_USER));
	ev->event.has_cgroup = (attr->sample_type & PERF_SAMPLE_CGROUP) != 0;
	ev->event.is_dummy = is_dummy(attr);
	ev->attr = *attr;
	sample_layout_init(&ev->layout, attr);
	if (!r->keeps_details)
		sample_layout_drop_details(&ev->layout);
	return ev;
}

int recording_add_id(struct recording *r, uint64_t id, uint32_t event)
{
	struct id_row *row = table_insert(&r->ids, &id);

	if (!row)
		return -ENOMEM;
	row->event = event;
	return 0;
}

static int make_names(struct recording *r)
{
	struct event_names *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	r->event_names = n;
	intern_init(&n->strings);
	n->first = reallocarray(NULL, r->facts.nr_events + 1, sizeof(*n->first));
	for (uint32_t i = 0; n->first && i < r->facts.nr_events; i++) {
		size_t nr = n->strings.nr;
		uint32_t number;

		if (!recording_event(r, i)->event.name)
			continue;
		number = intern_add_str(&n->strings, recording_event(r, i)->event.name);
		if (number == INTERN_NONE)
			return -ENOMEM;
		if (number == nr)
			n->first[number] = i;
	}
	return n->first ? 0 : -ENOMEM;
}

int recording_event_by_name(struct recording *r, const char *name, size_t len,
			    struct recorded_event **ret_event)
{
	uint32_t number;

	if (!r->event_names && make_names(r)) {
		recording_forget_names(r);
		return -ENOMEM;
	}
	number = intern_find(&r->event_names->strings, name, len);
	*ret_event =
		number == INTERN_NONE ? NULL : recording_event(r, r->event_names->first[number]);
	return 0;
}

void recording_forget_names(struct recording *r)
{
	if (!r->event_names)
		return;
	intern_deinit(&r->event_names->strings);
	free(r->event_names->first);
	free(r->event_names);
	r->event_names = NULL;
}

int recording_add_build_id(struct recording *r, const char *name, bool of_kernel, const uint8_t *id,
			   size_t size)
{
	struct source_facts *f = &r->facts;

	if (of_kernel && !strcmp(name, RECORDING_KERNEL)) {
		if (f->kernel_build_id_size)
			return 0;
		memcpy(f->kernel_build_id, id, size);
		f->kernel_build_id_size = size;
	}
	return source_facts_add_build_id(f, name, of_kernel, id, size);
}

struct recorded_event *recording_event_by_id(const struct recording *r, uint64_t id)
{
	const struct id_row *row = table_find(&r->ids, &id);

	return row ? recording_event(r, row->event) : NULL;
}

/* Lost samples of the event: from LOST_SAMPLES if the recording has them, else from LOST. */
static uint64_t lost_of(const struct recording *r, const struct recorded_event *ev)
{
	return ev->nr_unwritten +
	       (r->facts.knows_lost_events ? ev->nr_lost_samples : ev->nr_lost_records);
}

/* In samples: events between two samples are not missing. */
static uint64_t undelivered(const struct recording *r, const struct recorded_event *ev)
{
	uint64_t period = ev->event.period, counted = ev->nr_counted / period;
	uint64_t known = ev->event.nr_samples + ev->event.nr_lost;

	/* each CPU may have counted a part of a period since its last sample */
	if (period > 1)
		known += r->facts.nr_cpus_available;
	return counted > known ? counted - known : 0;
}

void recording_settle(struct recording *r, bool whole)
{
	bool exact = r->facts.knows_lost_events;

	r->facts.nr_lost = exact ? 0 : r->nr_lost_of_any;
	for (size_t i = 0; i < r->facts.nr_events; i++) {
		struct recorded_event *ev = recording_event(r, i);

		ev->event.nr_lost = lost_of(r, ev);
		ev->event.nr_undelivered = whole ? undelivered(r, ev) : 0;
		/* a LOST record names the event that wrote next, so only the sum is meaningful */
		r->facts.nr_lost +=
			exact && ev->event.is_dummy ? ev->nr_unwritten : ev->event.nr_lost;
	}
}

void recording_damage(struct recording *r, uint64_t pos, const char *fmt, ...)
{
	struct source_damage *d = &r->facts.damage;
	va_list ap;
	int n = 0;

	if (d->what[0])
		return;
	d->first_pos = pos;
	if (r->part[0] && pos >= r->part_start) {
		d->first_pos = pos - r->part_start;
		n = snprintf(d->what, sizeof(d->what), "%s: ", r->part);
	}
	va_start(ap, fmt);
	vsnprintf(d->what + n, sizeof(d->what) - (size_t)n, fmt, ap);
	va_end(ap);
}
