// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/event_names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "util/base/printable.h"
#include "util/source/facts.h"
#include "util/tracepoint/event_format.h"

int event_names_add(struct source_event *ev, const struct tep_event *format)
{
	if (ev->name || !format)
		return 0;
	if (asprintf(&ev->name, "%s:%s", trace_event_system(format), trace_event_name(format)) <
	    0) {
		ev->name = NULL;
		return -ENOMEM;
	}
	printable_make(ev->name);
	return 0;
}

int event_names_from_formats(struct source_facts *facts, const struct trace *trace)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < facts->nr_events; i++) {
		struct source_event *ev = facts->events[i];

		if (ev->type == PERF_TYPE_TRACEPOINT)
			ret = event_names_add(ev, trace_event(trace, ev->config));
	}
	return ret;
}
