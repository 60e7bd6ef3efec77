/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak_rows: the rows of perf kmem leak, their ranking, and the findings among them.
 *
 * Rows are ranked once, for every format: by behaviour, evidence, bytes. Findings are the kernel's
 * rows that leak or grow with high evidence (with medium evidence if there is none with high), by
 * that ranking.
 */
#ifndef LEAK_LEAK_ROWS_H
#define LEAK_LEAK_ROWS_H

#include "util/leak/leak_behaviour.h"
#include "util/leak/leak_evidence.h"
#include "util/leak/leak_survey.h"

struct leak_owner {
	uint32_t comm; /* number of its interned name */
	uint64_t pid;
	uint64_t hits, bytes; /* that it holds */
};

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
};

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
	bool frees_unknown;		/* the behaviour of rows cannot be judged */
	struct untraced_site *untraced; /* most live bytes first */
	size_t nr_untraced;
	uint64_t moments_ns[HISTORY_MOMENTS];
	struct table places; /* keys, use, reclaimable or not -> row number */
};

/* Sort the complete rows, and number the findings. */
void leak_rows_rank(struct leak_rows *rows);

#endif
