/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters: which events the kernel drops before they are written.
 *
 * Each event's filter is the recorder's own part (it hides itself) and the person's,
 * joined by "&&".  The person's is given to the kernel alone first, so that one that only makes
 * sense when joined is refused.  The kernel answers a bad filter with a mere
 * EINVAL; its words are in tracefs, so on an error the same filter is written to a tracefs
 * instance made for the purpose and removed again.
 * Facts: Documentation/trace/events.rst, perf_event_open(2).
 */
#ifndef RECORD_FILTER_H
#define RECORD_FILTER_H

#include "util/record/evlist.h"

struct filters {
	const char *own;    /* for all events; NULL: none */
	const char *common; /* the person's, for each event that has its fields; NULL: none */
};

/*
 * Of an open evlist.  An event with a filter of its own must take it.  `common` goes to each event
 * without one (evsel.filter is set); those that lack a field of it go without, but not all may.
 */
int filters_set(const struct filters *f, struct evlist *l, const struct tracefs *t,
		struct error *err);

#endif
