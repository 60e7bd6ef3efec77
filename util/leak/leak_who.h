/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak_who: the commands or cgroups that hold an allocator's leaking or growing memory.
 *
 * A group is one command's memory of one site (leak_survey.h), whatever keys the report's rows
 * have; the report's cgroups replace commands if its rows have them. A group counts if it belongs
 * to the kernel itself or is shared memory, is not reclaimable, and leaks or grows by its own
 * history with high evidence (medium if no group of the allocator has high). A command's figures
 * are the sums over its groups. It leaks if at least half of these bytes do; otherwise it grows.
 */
#ifndef LEAK_LEAK_WHO_H
#define LEAK_LEAK_WHO_H

#include "util/leak/leak_survey.h"

struct leak_owner {
	uint32_t comm; /* number of its interned name */
	uint64_t pid;
	uint64_t hits, bytes; /* that it holds */
};

struct leak_who {
	const uint64_t *key;	/* site with most of the bytes: values of its keys */
	uint64_t name;		/* value of the whos' key */
	struct leak_owner most; /* its process with most of the bytes */
	uint64_t processes;
	uint64_t running; /* number of processes that run at the end, if that is known */
	bool knows_running;
	enum leak_behaviour behaviour;
	double confidence; /* weighted by bytes */
	uint64_t hits, bytes;
	int64_t growth; /* bytes per second */
	uint64_t sites;
};

struct leak_whos {
	enum kmem_key by;   /* KEY_COMM or KEY_CGROUP */
	struct leak_who *v; /* by behaviour, then most bytes first */
	size_t nr;
};

/* The survey's accounts must outlive it. Returns 0, or -ENOMEM. */
int leak_whos_init(struct leak_whos *w, const struct leak_survey *s);
void leak_whos_deinit(struct leak_whos *w);

/* Compares in the order of v. */
int leak_who_compare(const struct leak_who *a, const struct leak_who *b);

#endif
