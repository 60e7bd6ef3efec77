/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_pipeline: reads a source from end to end into the accounts.
 *
 * It joins the source (samples in time order), their decoding, the naming and the accounts.
 * kmem_pipeline_run() does all the work; after that the members are ready for the report.
 */
#ifndef KMEM_PIPELINE_H
#define KMEM_PIPELINE_H

#include "util/kmem/accounts.h"
#include "util/decode/decoding.h"
#include "util/event/known_events.h"
#include "util/decode/filter.h"
#include "util/event/naming.h"
#include "util/kmem/options.h"
#include "util/kmem/ticks.h"
#include "util/decode/windows.h"
#include "util/source/event_source.h"

/* Laid out by writing thread: the two threads write to no common cache line. */
struct kmem_pipeline {
	struct kmem_options options;
	bool chosen[ACCOUNTS_NR];
	struct event_source *source;
	const struct source_facts *facts;	   /* the source's */
	struct event_kinds kinds;		   /* set by kmem_pipeline_conclude() */
	struct tick_clock clock;		   /* of options.ticks */
	uint64_t prepared_for;			   /* size of the facts read so far; 0: none */
	bool stopped;				   /* a callback of options.ticks stopped reading */
	bool warned_max_live;			   /* warned that max_live was reached */
	_Alignas(CACHE_LINE) struct naming naming; /* written by the decoding thread */
	struct kmem_decoding decoding;		   /* likewise */
	struct kmem_accounts accounts;		   /* written by the accounting thread */
};

_Static_assert(offsetof(struct kmem_pipeline, naming) % CACHE_LINE == 0 &&
		       offsetof(struct kmem_pipeline, decoding) % CACHE_LINE == 0 &&
		       offsetof(struct kmem_pipeline, accounts) % CACHE_LINE == 0 &&
		       sizeof(struct kmem_pipeline) % CACHE_LINE == 0,
	       "what two threads write shares no cache line");

/*
 * Read the whole source, which must outlive the pipeline, as must options' pointers.
 * Errors: no tracing data, no kmem events, a bad regular expression, -ENOMEM.
 */
int kmem_pipeline_run(struct kmem_pipeline *p, struct event_source *source,
		      const struct kmem_options *options, struct error *err);

/*
 * For callbacks of options.ticks, on the same thread: wait until all events so far have been
 * accounted. The accounts are then not in use until the callback returns.
 */
int kmem_pipeline_settle(struct kmem_pipeline *p);

/*
 * For options.ticks.interval(): prepare the members for a report of the time until now, as at the
 * end of the run. end_ns: of the interval. Not for options.live_sites, which is counted only once.
 * Returns 0, or -ENOMEM.
 */
int kmem_pipeline_conclude(struct kmem_pipeline *p, uint64_t end_ns);
void kmem_pipeline_deinit(struct kmem_pipeline *p);

/*
 * Returns the reported time, to whose end ages refer: the recorded time or, with time windows, from
 * the first to the last moment of it that is in a window.
 */
struct source_span kmem_pipeline_span(const struct kmem_pipeline *p);
/* Returns the length of the reported time within the windows; rates refer to it. */
uint64_t kmem_pipeline_length_ns(const struct kmem_pipeline *p);

#endif
