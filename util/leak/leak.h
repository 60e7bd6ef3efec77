/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak: unfreed allocations: their behaviour, the evidence for it, and their owners.
 *
 * Made from finished accounts with the tables requested by leak_options_prepare(). A row consists
 * of all parts (leak_survey.h) with the same use and equal values of the report's keys. It leaks if
 * the parts that leak (leak_behaviour.h) have at least half of its bytes, so that other users of
 * the same call site do not hide a leak. Otherwise its behaviour is that of all parts together.
 * Memory that the kernel does not use itself may grow, but never leaks. The evidence
 * (leak_evidence.h) is that of the objects' sites, weighted by bytes. Sites whose frees are not
 * traced are listed separately, and are not in the rows.
 *
 * All figures of a row cover the same objects: its hits, bytes, history and behaviour. So the last
 * moment of its history has its bytes.
 *
 * Rows are ranked once, for every format: by behaviour, evidence, bytes. Findings are the kernel's
 * rows that leak or grow with high evidence (with medium evidence if there is none with high), by
 * that ranking.
 *
 * Ages refer to the end of the reported time. The accounts must outlive the leak, whose rows point
 * to their keys.
 */
#ifndef LEAK_LEAK_H
#define LEAK_LEAK_H

#include "util/kmem/pipeline.h"
#include "util/leak/leak_behaviour.h"
#include "util/leak/leak_evidence.h"
#include "util/leak/leak_survey.h"
#include "util/leak/leak_who.h"

struct leak_row {
	const uint64_t *key; /* values of the report's keys */
	uint64_t hits;
	uint64_t bytes;
	uint64_t oldest_ns; /* ages */
	uint64_t youngest_ns;
	enum leak_use use;
	enum leak_behaviour behaviour;
	int64_t growth; /* bytes per second */
	struct leak_history history;
	struct leak_evidence evidence;
	struct leak_owner owner; /* the one with most of the bytes */
	uint32_t finding;	 /* its number among the findings; 0: not a finding */
	bool frees_unknown;	 /* it has neither growth nor evidence */
};

/* The part of a row that a callchain allocated. */
struct leak_stack {
	uint32_t place; /* of the row, in leak_rows.places */
	uint32_t chain; /* row of leak_rows.chains */
	uint64_t hits, bytes;
	enum leak_behaviour behaviour; /* of the row */
	enum leak_use use;
};

/* Sums over the rows of one behaviour. */
struct leak_total {
	uint64_t hits, bytes;
	uint64_t rows;
	int64_t growth;
};

/* A site whose frees are mostly not traced. */
struct untraced_site {
	const uint64_t *key; /* callsite, cache; for pages: callsite, migrate type */
	uint64_t allocations, frees_seen, frees_unseen, live_hits, live_bytes;
	struct leak_count count; /* of its cache, by the kernel */
	bool cleared;		 /* the cache did not grow: it does not leak */
};

/* The rows of an allocator. */
struct leak_rows {
	const enum kmem_key *by;
	unsigned int nr_by;
	struct leak_row *v; /* ranked */
	size_t nr;
	uint64_t hits, bytes;
	uint64_t callsites;			   /* number of distinct ones */
	struct leak_total totals[LEAK_BEHAVIOURS]; /* of the kernel's own memory */
	struct leak_total uses[LEAK_USES];
	struct leak_losses losses;
	struct leak_whos whos;	  /* who holds what leaks or grows */
	bool frees_unknown;	  /* the behaviour of rows cannot be judged */
	const char *missing_free; /* why: its free event that the recording lacks; may be NULL */
	struct untraced_site *untraced; /* most live bytes first */
	size_t nr_untraced;
	struct leak_caches caches; /* as the kernel counts them */
	uint64_t moments_ns[HISTORY_MOMENTS];
	struct table places;		 /* keys, use, reclaimable or not -> row number */
	struct table stacks;		 /* struct leak_stack; empty without LEAK_STACKS_APART */
	const struct stat_table *chains; /* by callchain; NULL without LEAK_STACKS_APART */
};

/* Callchains of live memory. */
enum leak_stacks {
	LEAK_NO_STACKS,
	LEAK_STACKS_IN_ROWS, /* a row for each callchain */
	LEAK_STACKS_APART,   /* rows as without, and in `stacks` the callchains of each row */
};

struct leak {
	struct leak_rows rows[ACCOUNTS_NR]; /* of allocators' accounts */
	struct leak_losses losses;	    /* of all of them */
	uint64_t end_ns;
	uint64_t min_age_ns;
};

/*
 * The rows of one allocator by any keys of one table, for a report that groups it in several ways.
 * They equal those of a struct leak by these keys, but events that a filter excludes do not count
 * as evidence.
 */
struct leak_grouped {
	struct leak_rows rows;
	struct stat_table tables[LEAK_TABLES];
	uint32_t *row_of[LEAK_TABLES]; /* of each row of the account's table */
};

/* The input of a leak. */
struct leak_input {
	const struct kmem_accounts *accounts;
	const struct kmem_options *options;
	const struct event_kinds *kinds;
	const struct naming *naming;
	const struct threads *threads;	       /* at the end; NULL: unknown */
	const struct slab_counts *slab_counts; /* of the reported time; NULL: unknown */
	uint64_t nr_lost;		       /* lost events of all kinds */
	uint64_t end_ns;
	uint64_t min_age_ns; /* younger objects do not count */
	bool frees_unknown;  /* as in struct source_facts */
};

/*
 * Returns an allocator whose frees are unknown, as the source lists memory or lacks a free event;
 * ACCOUNTS_NR: none.
 */
int leak_unjudged(const struct leak *l);

/*
 * Set the tables that leak_init() needs, for rows by these keys (nr_by 0: the allocator's default),
 * and callchains. Returns 0, or -E2BIG with the reason.
 */
int leak_options_prepare(struct kmem_options *options, const struct table_spec *by,
			 enum leak_stacks stacks, struct error *err);

/* Returns 0, or -ENOMEM. */
int leak_init(struct leak *l, const struct leak_input *in);
void leak_deinit(struct leak *l);

/* Add what leak_grouped_init() needs to an account's first table: keys, and a history. */
void leak_grouped_prepare(struct table_spec *table, const struct leak_allocator *of);

/* in: of finished accounts; `options` and `min_age_ns` do not apply. Returns 0, or -ENOMEM. The
 * accounts may change afterwards. */
int leak_grouped_init(struct leak_grouped *g, const struct leak_input *in, int account,
		      const enum kmem_key *by, unsigned int nr_by);
void leak_grouped_deinit(struct leak_grouped *g);

#endif
