/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak: what was allocated and not freed: how it behaves, how sure that is, and whose it is.
 *
 * Made from a finished analysis with the tables that leak_options_prepare() asked for: LEAK_PARTS
 * by the keys of the report and the command, with their histories; LEAK_OWNERS by command and pid;
 * LEAK_SITES by call site and cache (of pages: migrate type), with all that a filter excludes (of
 * slab), because frees are judged by all that is known of them.  A row is all parts that are equal
 * in the report's keys.  It behaves (leak_behaviour.h) as the part of the command that holds most
 * of it does, when that is at least half: others who use the same call site do not hide a leak. Its
 * evidence (leak_evidence.h) is that of its objects' sites, by bytes.  Sites whose frees are not
 * traced are listed apart, and not in the rows.  Of time windows, what was allocated in them
 * counts. Ages are up to the end of the last window.
 */
#ifndef KMEM_LEAK_H
#define KMEM_LEAK_H

#include "util/kmem/analysis.h"
#include "util/kmem/leak_behaviour.h"
#include "util/kmem/leak_evidence.h"

enum { LEAK_PARTS = 0, LEAK_OWNERS = 1, LEAK_SITES = 2, LEAK_TABLES = 3 };

/* Pages of these are no leaks of the kernel; slab has only the first. */
enum leak_use { LEAK_KERNEL, LEAK_PAGE_CACHE, LEAK_USER, LEAK_USES };

struct leak_owner {
	uint32_t comm; /* number of its interned name */
	uint64_t pid;
	uint64_t hits, bytes; /* that it holds */
};

struct leak_row {
	const uint64_t *key; /* of the report's keys */
	uint64_t hits;
	uint64_t bytes;
	uint64_t oldest_ns; /* ages */
	uint64_t youngest_ns;
	enum leak_use use;
	enum leak_behaviour behaviour;
	int64_t growth; /* bytes a second */
	struct leak_history history;
	struct leak_evidence evidence;
	struct leak_owner owner; /* of most of its bytes */
};

/* Of one behaviour. */
struct leak_total {
	uint64_t hits, bytes;
	uint64_t rows;
	int64_t growth;
};

/* A site whose frees are mostly not traced. */
struct untraced_site {
	const uint64_t *key; /* callsite, cache; of pages: callsite, migrate type */
	uint64_t allocations, frees_seen, frees_unseen, live_hits, live_bytes;
};

struct leak_rows {
	const enum kmem_key *by;
	unsigned int nr_by;
	struct leak_row *v; /* leaking and growing first, of these the surest, then most bytes */
	size_t nr;
	uint64_t hits, bytes;
	uint64_t callsites;			   /* different ones among the objects */
	struct leak_total totals[LEAK_BEHAVIOURS]; /* of the kernel's */
	struct leak_total uses[LEAK_USES];
	struct leak_losses losses;
	struct untraced_site *untraced; /* most live bytes first */
	size_t nr_untraced;
	uint64_t moments_ns[HISTORY_MOMENTS];
	struct table places; /* the keys, and the row's number */
};

struct leak {
	struct leak_rows slab, page;
	struct leak_losses losses; /* of both */
	uint64_t end_ns;
	uint64_t min_age_ns;
};

/*
 * Set the tables that leak_init() needs, for rows by these keys (nr_by 0: call site and cache, of
 * pages call site), and the stack. Errors: -EINVAL, says why.
 */
int leak_options_prepare(struct kmem_options *options, const struct table_spec *by, bool stacks,
			 struct error *err);

/* min_age_ns: younger objects do not count. Errors: -ENOMEM. */
int leak_init(struct leak *l, const struct kmem_analysis *a, uint64_t min_age_ns);
void leak_deinit(struct leak *l);

/* "kernel", "page cache", "user" */
const char *leak_use_name(enum leak_use use);

#endif
