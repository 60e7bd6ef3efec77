/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters: which events the kernel drops before they are written.
 *
 * Each event's filter is the recorder's own part (it hides itself) and the user's, joined by "&&".
 * The user's is first given to the kernel by itself, so that one that only makes sense when joined
 * is refused.  The kernel answers a bad filter with a mere EINVAL; its message is in tracefs, so on
 * an error the same filter is written to a tracefs instance made for the purpose and removed again.
 * Facts: Documentation/trace/events.rst, perf_event_open(2).
 */
#ifndef CAPTURE_FILTER_H
#define CAPTURE_FILTER_H

#include "util/output/evlist.h"

struct filters {
	const char *own;    /* for all events; NULL: none */
	const char *common; /* the user's, for each event that has its fields; NULL: none */
};

/*
 * For an open evlist.  An event with a filter of its own must accept it.  `common` is set for each
 * event without one (evsel.filter is set); those that lack one of its fields go unfiltered, but not
 * all may.
 */
int filters_set(const struct filters *f, struct evlist *l, const struct tracefs *t,
		struct error *err);

#endif
