/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_analysis: a recording read from end to end into slab and page figures.
 *
 * It joins the source (samples in time order), their decoding, the names of what is in them and
 * the accounts.  kmem_analysis_run() does all the work; afterwards the
 * members are what a report prints.
 */
#ifndef KMEM_ANALYSIS_H
#define KMEM_ANALYSIS_H

#include "util/kmem/accounts.h"
#include "util/kmem/decoding.h"
#include "util/kmem/event_kinds.h"
#include "util/kmem/filter.h"
#include "util/kmem/naming.h"
#include "util/kmem/windows.h"
#include "util/source/event_source.h"

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

/* By who writes to it while it runs: no cache line is written to by both threads. */
struct kmem_analysis {
	struct kmem_options options;
	const struct source_facts *recording;
	struct event_kinds kinds;		   /* when all is read */
	_Alignas(CACHE_LINE) struct naming naming; /* the decoding thread's, as */
	struct kmem_decoding decoding;		   /* this is */
	struct kmem_accounts accounts;		   /* the accounting thread's */
};

/*
 * Read the whole source. options' pointers must outlive the analysis, and so must the source.
 * Errors: no tracing data, no kmem events, a regular expression, memory.
 */
int kmem_analysis_run(struct kmem_analysis *a, struct event_source *source,
		      const struct kmem_options *options, struct error *err);
void kmem_analysis_deinit(struct kmem_analysis *a);

/*
 * What the figures are of, and ages go up to the end of: the time that was recorded, or, with time
 * windows, from the first moment of it that is in one to the last.
 */
struct source_span kmem_analysis_span(const struct kmem_analysis *a);
/* How much of it lies in the windows; what rates are over. */
uint64_t kmem_analysis_length_ns(const struct kmem_analysis *a);

#endif
