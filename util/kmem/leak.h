/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak: what was allocated and never freed, and how sure one can be of it.
 *
 * Made from a finished analysis whose slab table number LEAK_SLAB_TABLE is grouped by
 * call site and cache (and stack), LEAK_CACHE_TABLE by cache (with all that a filter
 * excludes: a cache is judged by all that is known of it), and whose page table
 * LEAK_PAGE_TABLE is grouped by call site (and stack); leak_options_prepare() asks for
 * them.  A row's confidence is the chance that an object without a free that we saw
 * was really not freed: lowered by frees that were lost and by frees that are known to
 * be unseen (a new allocation of a live pointer proves one) for the cache or the call
 * site.  A cache whose frees are mostly unseen cannot be judged: it is listed apart.
 * Ages are up to the end of the window.
 */
#ifndef KMEM_LEAK_H
#define KMEM_LEAK_H

#include "util/kmem/analysis.h"

enum { LEAK_SLAB_TABLE = 0, LEAK_CACHE_TABLE = 1, LEAK_PAGE_TABLE = 0 };

enum leak_reason {
	LEAK_SURE,
	LEAK_LOST,	   /* events were lost */
	LEAK_UNSEEN_CACHE, /* frees of the cache were unseen */
	LEAK_UNSEEN_SITE,  /* frees of what the call site allocates were unseen */
	LEAK_NO_FREE_SEEN, /* no free of the cache was seen at all */
};

struct leak_row {
	const struct stat_table *table;
	uint32_t row;
	uint64_t hits;
	uint64_t bytes;
	uint64_t oldest_ns; /* ages */
	uint64_t youngest_ns;
	double confidence; /* 0 to 1 */
	enum leak_reason reason;
};

struct leak_rows {
	struct leak_row *v; /* most bytes first */
	size_t nr;
	uint64_t hits, bytes;
	uint64_t callsites; /* different ones among the rows */
};

/* A cache whose frees are mostly not traced. */
struct untraced_cache {
	uint64_t cache; /* number of its interned name */
	uint64_t allocations, frees_seen, frees_unseen, live_hits, live_bytes;
};

struct leak {
	struct leak_rows slab, page;
	struct untraced_cache *untraced; /* most live bytes first */
	size_t nr_untraced;
	double lost; /* share of free events that are missing, 0 to 1 */
	uint64_t end_ns;
	uint64_t min_age_ns;
};

/* Set the tables that leak_init() needs. */
void leak_options_prepare(struct kmem_options *options, bool stacks);

/* min_age_ns: younger objects do not count. Errors: -ENOMEM. */
int leak_init(struct leak *l, const struct kmem_analysis *a, uint64_t min_age_ns);
void leak_deinit(struct leak *l);

/* "frees of this cache are not all traced" */
const char *leak_reason_text(enum leak_reason reason);

/* "high", "medium", "low" */
const char *leak_confidence_word(double confidence);

#endif
