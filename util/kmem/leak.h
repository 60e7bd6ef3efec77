/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak: what was allocated and not freed: how it behaves, how certain that is, and who holds
 * it.
 *
 * Made from finished accounts with the tables requested by leak_options_prepare().  A row consists
 * of all parts (leak_survey.h) with the same use and equal values of the report's keys.  It leaks
 * if the parts that leak (leak_behaviour.h) hold at least half of it: others that use the same call
 * site do not hide a leak.  Else it behaves like all of them together.  What is not the kernel's
 * own may grow, but never leaks.  Its evidence (leak_evidence.h) is that of its objects' sites,
 * weighted by bytes.  Sites whose frees are not traced are listed separately, and are not in the
 * rows.
 *
 * All figures of a row are of the same objects: its hits, bytes, history and behaviour.  So the
 * last moment of its history has its bytes.
 *
 * Ages refer to the end of what the figures are about. The accounts must outlive the leak, whose
 * rows point to their keys.
 */
#ifndef KMEM_LEAK_H
#define KMEM_LEAK_H

#include "util/kmem/pipeline.h"
#include "util/kmem/leak_behaviour.h"
#include "util/kmem/leak_evidence.h"
#include "util/kmem/leak_survey.h"

struct leak_owner {
	uint32_t comm; /* number of its interned name */
	uint64_t pid;
	uint64_t hits, bytes; /* how much it holds */
};

struct leak_row {
	const uint64_t *key; /* of the report's keys */
	uint64_t hits;
	uint64_t bytes;
	uint64_t oldest_ns; /* ages */
	uint64_t youngest_ns;
	enum leak_use use;
	enum leak_behaviour behaviour;
	int64_t growth; /* bytes per second */
	struct leak_history history;
	struct leak_evidence evidence;
	struct leak_owner owner; /* of most of its bytes */
	uint32_t finding;	 /* its number among the findings; 0: it is none */
	bool frees_unknown;	 /* neither growth nor evidence */
};

/* For one behaviour. */
struct leak_total {
	uint64_t hits, bytes;
	uint64_t rows;
	int64_t growth;
};

/* A site whose frees are mostly not traced. */
struct untraced_site {
	const uint64_t *key; /* callsite, cache; for pages: callsite, migrate type */
	uint64_t allocations, frees_seen, frees_unseen, live_hits, live_bytes;
};

struct leak_rows {
	const enum kmem_key *by;
	unsigned int nr_by;
	struct leak_row *v; /* in the order of leak_rank.h */
	size_t nr;
	uint64_t hits, bytes;
	uint64_t callsites;			   /* distinct ones among the objects */
	struct leak_total totals[LEAK_BEHAVIOURS]; /* for the kernel's own memory */
	struct leak_total uses[LEAK_USES];
	struct leak_losses losses;
	bool frees_unknown;		/* how rows behave cannot be judged */
	struct untraced_site *untraced; /* most live bytes first */
	size_t nr_untraced;
	uint64_t moments_ns[HISTORY_MOMENTS];
	struct table places; /* the keys and the use, and the row's number */
};

struct leak {
	struct leak_rows slab, page;
	struct leak_losses losses; /* for both allocators */
	uint64_t end_ns;
	uint64_t min_age_ns;
};

/* What a leak is made of. */
struct leak_input {
	const struct slab_accounts *slab; /* NULL: not asked for */
	const struct page_accounts *page; /* likewise */
	const struct kmem_options *options;
	const struct event_kinds *kinds;
	const struct naming *naming;
	uint64_t end_ns;
	uint64_t min_age_ns; /* younger objects do not count */
	bool frees_unknown;  /* as in struct source_facts */
};

/*
 * Set the tables that leak_init() needs, for rows by these keys (nr_by 0: call site and cache; for
 * pages, call site), and the stack. Errors: -EINVAL, with the reason.
 */
int leak_options_prepare(struct kmem_options *options, const struct table_spec *by, bool stacks,
			 struct error *err);

/* Errors: -ENOMEM. */
int leak_init(struct leak *l, const struct leak_input *in);
void leak_deinit(struct leak *l);

#endif
