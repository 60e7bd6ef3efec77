/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_analysis: a recording read from end to end into slab and page figures.
 *
 * It joins the session (samples in time order), the trace (their decoding), the
 * symbols and the accounts.  kmem_analysis_run() does all the work; afterwards the
 * members are what a report prints.
 */
#ifndef KMEM_ANALYSIS_H
#define KMEM_ANALYSIS_H

#include "util/kmem/callsite.h"
#include "util/kmem/migratetype.h"
#include "util/kmem/page.h"
#include "util/kmem/slab.h"
#include "util/perfdata/session.h"
#include "util/trace/event_format.h"

/* Which allocators; with neither: slab, or pages when the recording holds only those. */
struct kmem_options {
	bool slab, page;
	bool by_caller, by_alloc;   /* which tables to keep */
	uint64_t start_ns, stop_ns; /* the window, both ends in it; 0, UINT64_MAX: all */
	const char *kallsyms_path;  /* NULL: none named */
	const char *const *skip_callsites;
	size_t nr_skip_callsites;
};

/* Numbers of the tables in slab.tables and page.tables; -1: not kept. */
struct kmem_tables {
	int slab_caller, slab_alloc;
	int page_caller, page_alloc, page_orders;
};

struct kmem_analysis {
	struct kmem_options options;
	struct kmem_tables tables;
	const struct recording *recording;
	struct trace trace;
	struct symbols symbols;
	struct callsite_finder callsites;
	struct migratetypes migratetypes;
	struct slab slab;
	struct page page;
	struct kmem_decoder **decoders; /* by the event's index; NULL: not ours */
	size_t nr_decoders;		/* events that were looked at */
	bool has_trace, has_symbols;
	bool do_slab, do_page;	     /* what is accounted and reported */
	bool page_callsites;	     /* a table wants them */
	bool pages_by_pfn;	     /* false: old recordings, by struct page */
	bool page_events_have_chain; /* mm_page_alloc was recorded with callchains */
	uint64_t kind_samples[KMEM_KIND_NR];
	uint64_t nr_in_window;
};

/*
 * Read the whole session. options' strings must outlive the analysis, and so must the session.
 * Errors: no tracing data, no kmem events, a regular expression, memory.
 */
int kmem_analysis_run(struct kmem_analysis *a, struct session *session,
		      const struct kmem_options *options, struct error *err);
void kmem_analysis_deinit(struct kmem_analysis *a);

#endif
