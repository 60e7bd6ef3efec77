// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/recording.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"
#include "util/perfdata/format.h"

struct id_row {
	uint64_t id;
	uint32_t event;
};

void recording_init(struct recording *r)
{
	*r = (struct recording){.cache_aliases = STRBUF_INIT};
	table_init(&r->ids, sizeof(struct id_row), sizeof(uint64_t));
}

void recording_deinit(struct recording *r)
{
	for (size_t i = 0; i < r->nr_events; i++) {
		free(r->events[i]->name);
		free(r->events[i]);
	}
	free(r->events);
	recording_forget_names(r);
	table_deinit(&r->ids);
	free(r->path);
	free(r->hostname);
	free(r->osrelease);
	free(r->version);
	free(r->arch);
	free(r->cmdline);
	cpulist_deinit(&r->offline);
	free(r->cpu_node);
	free(r->migratetypes);
	free(r->kmalloc_caches);
	strbuf_deinit(&r->cache_aliases);
	recording_init(r);
}

struct recorded_event *recording_add_event(struct recording *r, const struct event_attr *attr)
{
	struct recorded_event *ev;

	/* grow at powers of two */
	if (!(r->nr_events & (r->nr_events - 1))) {
		size_t cap = r->nr_events ? r->nr_events * 2 : 1;
		struct recorded_event **events =
			reallocarray(r->events, cap, sizeof(struct recorded_event *));

		if (!events)
			return NULL;
		r->events = events;
	}
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return NULL;
	ev->attr = *attr;
	sample_layout_init(&ev->layout, attr);
	ev->index = (uint32_t)r->nr_events;
	r->events[r->nr_events++] = ev;
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
	n->first = reallocarray(NULL, r->nr_events + 1, sizeof(*n->first));
	for (uint32_t i = 0; n->first && i < r->nr_events; i++) {
		size_t nr = n->strings.nr;
		uint32_t number;

		if (!r->events[i]->name)
			continue;
		number = intern_add_str(&n->strings, r->events[i]->name);
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
	*ret_event = number == INTERN_NONE ? NULL : r->events[r->event_names->first[number]];
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

struct recorded_event *recording_event_by_id(const struct recording *r, uint64_t id)
{
	const struct id_row *row = table_find(&r->ids, &id);

	return row ? r->events[row->event] : NULL;
}

bool recorded_event_is_dummy(const struct recorded_event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;
}

uint64_t recording_wall_clock_ns(const struct recording *r)
{
	if (r->wall_clock_ns || !r->clock.wall_ns)
		return r->wall_clock_ns;
	return r->clock.wall_ns + recording_span(r).start_ns - r->clock.event_ns;
}

uint64_t recording_event_lost(const struct recording *r, const struct recorded_event *ev)
{
	return ev->nr_unwritten +
	       (r->knows_lost_events ? ev->nr_lost_samples : ev->nr_lost_records);
}

uint64_t recording_lost(const struct recording *r)
{
	bool exact = r->knows_lost_events;
	uint64_t lost = 0;

	for (size_t i = 0; i < r->nr_events; i++) {
		const struct recorded_event *ev = r->events[i];

		lost += ev->nr_unwritten;
		/* LOST names the event that wrote next, so only its sum means anything */
		if (!exact)
			lost += ev->nr_lost_records;
		else if (!recorded_event_is_dummy(ev))
			lost += ev->nr_lost_samples;
	}
	return lost;
}

uint64_t recorded_event_period(const struct recorded_event *ev)
{
	if (attr_flag(&ev->attr, ATTR_FREQ) || !ev->attr.sample_period)
		return 1;
	return ev->attr.sample_period;
}

uint64_t recording_period(const struct recording *r)
{
	uint64_t most = 1;

	for (size_t i = 0; i < r->nr_events; i++) {
		uint64_t period = recorded_event_period(r->events[i]);

		if (r->events[i]->attr.type == PERF_TYPE_TRACEPOINT && period > most)
			most = period;
	}
	return most;
}

uint64_t recorded_event_undelivered(const struct recording *r, const struct recorded_event *ev)
{
	uint64_t period = recorded_event_period(ev), counted = ev->nr_counted / period;
	uint64_t known = ev->nr_samples + recording_event_lost(r, ev);

	if (r->stop.stopped) /* the rest was not read */
		return 0;
	/* what each CPU counted since its last sample may add up to some more */
	if (period > 1)
		known += r->nr_cpus_available;
	return counted > known ? counted - known : 0;
}

struct recorded_span recording_span(const struct recording *r)
{
	struct recorded_span span = {r->told_start_ns, r->told_stop_ns};

	if (!span.stop_ns)
		return (struct recorded_span){r->first_ns, r->last_ns};
	if (!r->nr_samples)
		return span;
	if (span.start_ns > r->first_ns)
		span.start_ns = r->first_ns;
	/* stopped: nobody knows what was behind the last sample that was read */
	if (span.stop_ns < r->last_ns || r->stop.stopped)
		span.stop_ns = r->last_ns;
	return span;
}

const char *recording_stop_text(const struct recording *r, char *buf, size_t size)
{
	const struct read_stop *stop = &r->stop;
	char bytes[UNITS_BUF];

	units_bytes(bytes, sizeof(bytes), stop->bytes);
	if (stop->bytes_total)
		snprintf(buf, size, "%.1f %% (%s)",
			 100.0 * (double)stop->bytes / (double)stop->bytes_total, bytes);
	else
		snprintf(buf, size, "%s", bytes);
	return buf;
}

double recording_lost_percent(const struct recording *r)
{
	uint64_t lost = recording_lost(r), all = lost + r->nr_samples;

	return all ? 100.0 * (double)lost / (double)all : 0.0;
}

int32_t recording_cpu_node(const struct recording *r, int32_t cpu)
{
	if (cpu < 0 || (size_t)cpu >= r->nr_cpu_node)
		return NUMA_NO_NODE;
	return r->cpu_node[cpu];
}

void recording_damage(struct recording *r, uint64_t pos, const char *fmt, ...)
{
	struct read_damage *d = &r->damage;
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
