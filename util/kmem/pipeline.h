/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_pipeline: reads a recording from end to end into slab and page figures.
 *
 * It joins the source (samples in time order), their decoding, the names of what is in them and the
 * accounts.  kmem_pipeline_run() does all the work; after that the members are ready to be printed.
 */
#ifndef KMEM_PIPELINE_H
#define KMEM_PIPELINE_H

#include "util/kmem/accounts.h"
#include "util/decode/decoding.h"
#include "util/event/event_kinds.h"
#include "util/decode/filter.h"
#include "util/event/naming.h"
#include "util/kmem/options.h"
#include "util/kmem/ticks.h"
#include "util/decode/windows.h"
#include "util/source/event_source.h"

/* Laid out by who writes to it while it runs: no cache line is written to by both threads. */
struct kmem_pipeline {
	struct kmem_options options;
	bool chosen[ACCOUNTS_NR];
	struct event_source *source;
	const struct source_facts *facts;	   /* the source's */
	struct event_kinds kinds;		   /* complete when everything has been read */
	struct tick_clock clock;		   /* of options.ticks */
	uint64_t prepared_for;			   /* size of the facts that were read; 0: none */
	bool has_enough;			   /* they ended reading */
	bool told_full;				   /* that as much is live as is kept track of */
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
 * Read the whole source. options' pointers must outlive the pipeline, and so must the source.
 * Errors: no tracing data, no kmem events, a regular expression, memory.
 */
int kmem_pipeline_run(struct kmem_pipeline *p, struct event_source *source,
		      const struct kmem_options *options, struct error *err);

/*
 * For those whom it calls back while it reads (options.ticks), on the same thread: wait until all
 * events so far have been accounted.  Nothing touches the accounts then until the callback returns.
 */
int kmem_pipeline_settle(struct kmem_pipeline *p);
void kmem_pipeline_deinit(struct kmem_pipeline *p);

/*
 * What the figures are about, and whose end ages refer to: the time that was recorded or, with time
 * windows, from the first to the last moment of it that is in a window.
 */
struct source_span kmem_pipeline_span(const struct kmem_pipeline *p);
/* How much of it is in the windows, which rates refer to. */
uint64_t kmem_pipeline_length_ns(const struct kmem_pipeline *p);

#endif
