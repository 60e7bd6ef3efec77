// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON report, version 1: DESIGN section 5 names the keys. */
#include "util/report/json_report.h"

#define FORMAT_VERSION 1

void json_report_recording(struct json *j, const char *key, const struct kmem_analysis *a)
{
	const struct source_facts *r = a->recording;
	const struct source_span span = source_facts_span(r);

	json_open(j, key, '{', false);
	json_string(j, "path", r->path);
	json_string(j, "hostname", r->hostname);
	json_string(j, "arch", r->arch);
	json_string(j, "kernel", r->osrelease);
	json_string(j, "cmdline", r->cmdline);
	json_u64(j, "nr_cpus", r->nr_cpus_available);
	json_u64(j, "page_size_bytes", a->naming.page_size);
	json_bool(j, "big_endian", r->big_endian);
	if (source_facts_wall_clock_ns(r))
		json_u64(j, "wall_clock_ns", source_facts_wall_clock_ns(r));
	else
		json_string(j, "wall_clock_ns", NULL);
	json_u64(j, "first_ns", r->first_ns);
	json_u64(j, "last_ns", r->last_ns);
	json_u64(j, "start_ns", span.start_ns);
	json_u64(j, "stop_ns", span.stop_ns);
	json_bool(j, "truncated", r->damage.truncated);
	json_open(j, "offline_cpus", '[', true);
	for (size_t i = 0; i < r->offline.nr; i++)
		json_i64(j, NULL, r->offline.cpus[i]);
	json_close(j, ']');
	json_open(j, "events", '[', false);
	for (size_t i = 0; i < r->nr_events; i++) {
		const struct source_event *ev = r->events[i];

		if (ev->is_dummy)
			continue;
		json_open(j, NULL, '{', true);
		json_string(j, "name", ev->name);
		json_u64(j, "samples", ev->nr_samples);
		json_u64(j, "lost", ev->nr_lost);
		if (ev->period > 1)
			json_u64(j, "one_of", ev->period);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_u64(j, "lost_samples", r->nr_lost);
	json_double(j, "lost_percent", source_facts_lost_percent(r), 3);
	json_close(j, '}');
}

void json_report_open(struct json *j, FILE *out, const struct kmem_analysis *a)
{
	json_init(j, out);
	json_open(j, NULL, '{', false);
	json_u64(j, "format_version", FORMAT_VERSION);
	json_report_recording(j, "recording", a);
}

int json_report_close(struct json *j)
{
	json_close(j, '}');
	return json_finish(j);
}
