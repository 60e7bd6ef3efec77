/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_options: what is to be learned from a source of events.
 *
 * Pointers are borrowed and must outlive what is made with the options.
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
	/* by enum account_id; none: depends on what is in the source (accounts_choose()) */
	bool wanted[ACCOUNTS_NR];
	struct tables_spec tables[ACCOUNTS_NR]; /* of allocators' accounts */
	key_mask_t optional_keys; /* bits of those that the source need not have: "unknown" */
	bool lifetimes;		  /* keep histograms of lifetimes */
	bool timeline;		  /* of the first table of each allocator */
	bool live_sites;	  /* find live slab objects whose frees are not traced */
	bool cpu_pairs;		  /* keep which CPU freed what was allocated on which */
	bool summary_tables;	  /* tables that only the summary of an account shows */
	const struct time_window *windows; /* none: the whole time */
	size_t nr_windows;
	const struct kmem_filter *filter; /* NULL: none */
	bool frees_of_others;		  /* more frees come than those of what is allocated */
	bool user_stacks;		  /* KEY_STACK goes on into user space */
	unsigned int max_stack;		  /* maximum frames of KEY_STACK; 0: MAX_STACK_DEFAULT */
	struct kmem_bounds bounds;	  /* of what is kept */
	const char *kallsyms_path;	  /* NULL: not given */
	const struct dso_search *search;  /* for files of user space; NULL: the usual places */
	const char *tracefs_dir;	  /* formats for recordings without any; NULL: not given */
	const char *const *skip_callsites;
	size_t nr_skip_callsites;
	struct kmem_ticks ticks; /* who looks at the figures meanwhile */
	unsigned int jobs;	 /* threads; 0: as many as there are CPUs */
};

/* The number of tables that were asked for, of all accounts. */
static inline unsigned int kmem_options_nr_tables(const struct kmem_options *o)
{
	unsigned int nr = 0;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		nr += o->tables[i].nr;
	return nr;
}

#endif
