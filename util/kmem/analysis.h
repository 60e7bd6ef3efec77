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

#include "util/base/handoff.h"
#include "util/kmem/cache_aliases.h"
#include "util/kmem/callsite.h"
#include "util/kmem/facts.h"
#include "util/kmem/filter.h"
#include "util/kmem/migratetype.h"
#include "util/kmem/page.h"
#include "util/kmem/page_internals.h"
#include "util/kmem/slab.h"
#include "util/kmem/windows.h"
#include "util/perfdata/session.h"
#include "util/tracepoint/event_format.h"

struct table_spec {
	enum kmem_key by[STAT_KEYS_MAX];
	unsigned int nr_by;
	unsigned int nr_shown; /* of leak: the first ones, which rows are by */
	bool unfiltered;       /* see struct stat_table */
	bool history;
};

/* One more table of each allocator is kept for the report's own use. */
#define TABLES_MAX (SLAB_TABLES_MAX - 1)

/* Which allocators; with neither: slab, or pages when the recording holds only those. */
struct kmem_options {
	bool slab, page;
	bool percpu, extfrag; /* reports of the page allocator's inside, also alone */
	struct table_spec slab_tables[TABLES_MAX], page_tables[TABLES_MAX];
	unsigned int nr_slab_tables, nr_page_tables;
	bool lifetimes;			   /* keep histograms of them */
	const struct time_window *windows; /* none: all */
	size_t nr_windows;
	const struct kmem_filter *filter; /* NULL: none */
	unsigned int max_stack;		  /* frames of KEY_STACK; 0: MAX_STACK_DEFAULT */
	uint64_t slab_stop, page_stop;	  /* account only so many events; 0: all */
	const char *kallsyms_path;	  /* NULL: none named */
	const char *tracefs_dir;	  /* formats for recordings without any; NULL: none named */
	const char *const *skip_callsites;
	size_t nr_skip_callsites;
	unsigned int jobs; /* threads; 0: as many as there are CPUs */
};

/* When the most bytes were live, of the moments in the time windows. */
struct live_peak {
	uint64_t bytes;
	uint64_t event;	  /* number of the allocator's event, from 1; 0: nothing was ever live */
	uint64_t time_ns; /* the event's, or when the window began */
	uint64_t ptr;	  /* slab: whose allocation made it; 0 once that was traced again */
};

struct kmem_analysis {
	/* set up before the first event */
	struct kmem_options options;
	const struct recording *recording;
	struct trace trace;
	struct symbols symbols;
	struct migratetypes migratetypes;
	struct cache_aliases cache_aliases; /* known when all is read */
	bool has_trace, has_symbols;
	bool has_filter;
	bool do_slab, do_page;		/* what is accounted and reported */
	bool pages_by_pfn;		/* false: old recordings, by struct page */
	bool page_events_have_chain;	/* mm_page_alloc was recorded with callchains */
	struct kmem_decoder **decoders; /* by the event's index; NULL: not ours */
	size_t nr_decoders;		/* events that were looked at */
	size_t nr_unusable_events;	/* ours, but without a field that we need */

	/* while it runs, the decoding thread's */
	_Alignas(CACHE_LINE) struct handoff handoff; /* of decoded events, to the accounts */
	struct callsite_finder callsites;
	struct key_names names;
	struct fact_maker facts;
	struct filter_tally tally; /* of options.filter */

	/* and the accounting thread's; no cache line is written to by both */
	_Alignas(CACHE_LINE) struct slab slab; /* its tables are in the order of the options */
	struct page page;
	int page_orders; /* number of the page table by order and migrate type */
	struct page_internals internals;
	uint64_t nr_slab_events, nr_page_events;
	uint64_t nr_in_window;
	uint64_t last_ns; /* with windows: of the latest event */
	struct live_peak slab_peak, page_peak;
};

/*
 * Read the whole session. options' pointers must outlive the analysis, and so must the session.
 * Errors: no tracing data, no kmem events, a regular expression, memory.
 */
int kmem_analysis_run(struct kmem_analysis *a, struct session *session,
		      const struct kmem_options *options, struct error *err);
void kmem_analysis_deinit(struct kmem_analysis *a);

/*
 * What the figures are of, and ages go up to the end of: the time that was recorded, or, with time
 * windows, from the first moment of it that is in one to the last.
 */
struct recorded_span kmem_analysis_span(const struct kmem_analysis *a);
/* How much of it lies in the windows; what rates are over. */
uint64_t kmem_analysis_length_ns(const struct kmem_analysis *a);

#endif
