/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters: the kernel drops events before they are written.
 *
 * Each event's filter is the recorder's own part (it excludes itself) and the user's, joined by
 * "&&". The user's is first tested alone, so that one that is only valid when joined is refused.
 * The kernel answers an invalid filter with EINVAL; its message is in tracefs. So after an error
 * the filter is also written to a tracefs instance, which is created for that and removed again.
 * Facts: Documentation/trace/events.rst, perf_event_open(2).
 */
#ifndef CAPTURE_FILTER_H
#define CAPTURE_FILTER_H

#include "util/output/evlist.h"

struct filters {
	const char *own;    /* for all events; may be NULL */
	const char *common; /* the user's, for each event that has its fields; may be NULL */
};

/*
 * For an open evlist. An event with its own filter must accept it. `common` is set for each event
 * without one (evsel.filter is set); events that lack one of its fields are not filtered, but at
 * least one event must have them.
 */
int filters_set(const struct filters *f, struct evlist *l, const struct tracefs *t,
		struct error *err);

#endif
