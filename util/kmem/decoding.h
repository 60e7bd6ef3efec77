/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_decoding: what a source hands over becomes an event that needs nothing else to be
 * accounted.
 *
 * Whatever takes a look at the record, the names or the options is done here: times, call sites,
 * threads' names, the filter.  What the accounts do not need is not worked out, and no event that
 * none of them takes is handed over.
 */
#ifndef KMEM_DECODING_H
#define KMEM_DECODING_H

#include "util/base/handoff.h"
#include "util/kmem/accounts.h"
#include "util/kmem/callsite.h"
#include "util/kmem/facts.h"
#include "util/kmem/filter_tally.h"
#include "util/source/complete_event.h"
#include "util/tracepoint/event_format.h"

struct kmem_decoding {
	_Alignas(CACHE_LINE) struct handoff handoff; /* of decoded events, to the accounts */
	struct trace trace;
	char *kallsyms; /* the source's own, until the symbols are made of it; NULL: none */
	size_t kallsyms_len;
	bool has_trace, has_symbols, has_accounts;
	const struct kmem_options *options; /* windows, and the filter */
	const struct naming *naming;
	bool has_filter;
	struct account_needs needs;
	struct kmem_decoder **decoders; /* by the event's index; NULL: not ours */
	size_t nr_decoders;		/* events that were looked at */
	size_t nr_unusable_events;	/* ours, but without a field that we need */
	struct callsite_finder callsites;
	struct callsite_finder inside_callsites; /* of frees and of fallbacks */
	struct fact_maker facts;
	struct filter_tally tally; /* of options.filter */
	/* of all events in the time windows, whoever takes them */
	uint64_t nr_in_window, first_ns, last_ns;
	uint64_t nr_rows; /* figures that came without events */
};

/*
 * Returns 1: *ret_event is to be accounted; 0: it is none of ours, or not in time, or broken
 * (which is counted). The sample's event is bound. Errors: -ENOMEM.
 */
int decoding_take(struct kmem_decoding *d, const struct sample *sample,
		  struct kmem_event *ret_event);

/* The same of an event that is complete; what is worked out is worked out. */
int decoding_take_complete(struct kmem_decoding *d, const struct complete_event *event,
			   struct kmem_event *ret_event);

/* The same of the keys of a row; one that lies in no time window is not to be accounted. */
int decoding_take_row(struct kmem_decoding *d, const struct complete_event *keys,
		      const struct source_figures *figures, struct kmem_event *ret_keys);

#endif
