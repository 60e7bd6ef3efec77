/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_options: the request for figures from a source of events.
 *
 * Pointers are borrowed and must outlive the objects made with the options.
 */
#ifndef KMEM_OPTIONS_H
#define KMEM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/kmem/account.h"
#include "util/table/bounds.h"
#include "util/event/key.h"
#include "util/table/stat_table.h"
#include "util/kmem/ticks.h"
#include "util/decode/windows.h"

struct dso_search;
struct kmem_filter;

struct tables_spec {
	struct table_spec v[TABLES_MAX];
	unsigned int nr;
	uint64_t stop; /* account only this many events; 0: all */
};

struct kmem_options {
	/* by enum account_id; none: depends on the source (accounts_choose()) */
	bool wanted[ACCOUNTS_NR];
	struct tables_spec tables[ACCOUNTS_NR]; /* of allocators' accounts */
	key_mask_t optional_keys;	   /* bits of keys that may be "unknown" in the source */
	bool lifetimes;			   /* keep histograms of lifetimes */
	bool timeline;			   /* of the first table of each allocator */
	bool steps;			   /* allocations of each row in each step of time */
	bool live_sites;		   /* find live slab objects whose frees are not traced */
	bool cpu_pairs;			   /* keep pairs of allocating and freeing CPU */
	bool summary_tables;		   /* keep tables that only an account's summary shows */
	const struct time_window *windows; /* none: the whole time */
	size_t nr_windows;
	const struct kmem_filter *filter; /* NULL: none */
	bool user_stacks;		  /* KEY_STACK continues into user space */
	unsigned int max_stack;		  /* maximum frames of KEY_STACK; 0: MAX_STACK_DEFAULT */
	struct kmem_bounds bounds;	  /* limits of memory use */
	const char *kallsyms_path;	  /* NULL: not given */
	const struct dso_search *search;  /* for user-space files; NULL: the usual places */
	const char *tracefs_dir;	  /* formats for recordings without any; NULL: not given */
	const char *const *skip_callsites;
	size_t nr_skip_callsites;
	const char *const *skip_user; /* user_stacks_skip() */
	size_t nr_skip_user;
	struct kmem_ticks ticks; /* callbacks that read the figures meanwhile */
	unsigned int jobs;	 /* threads; 0: the number of CPUs */
};

/* Returns the number of requested tables, of all accounts. */
static inline unsigned int kmem_options_nr_tables(const struct kmem_options *o)
{
	unsigned int nr = 0;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		nr += o->tables[i].nr;
	return nr;
}

#endif
