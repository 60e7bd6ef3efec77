// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/event-names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "util/base/printable.h"
#include "util/source/event_source.h"
#include "util/tracepoint/event_format.h"

int event_names_from_formats(struct source_facts *facts, const struct trace *trace)
{
	for (size_t i = 0; i < facts->nr_events; i++) {
		struct source_event *ev = facts->events[i];
		const struct tep_event *event = ev->name || ev->type != PERF_TYPE_TRACEPOINT
							? NULL
							: trace_event(trace, ev->config);

		if (!event)
			continue;
		if (asprintf(&ev->name, "%s:%s", trace_event_system(event),
			     trace_event_name(event)) < 0) {
			ev->name = NULL;
			return -ENOMEM;
		}
		printable_make(ev->name);
	}
	return 0;
}
