/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak_survey: the allocation sites of an allocator's live memory, and the verdict on each.
 *
 * A site is a row of LEAK_SITES: call site and cache (for pages: migrate type). For slab it
 * includes allocations excluded by a filter, because all observations are evidence about its frees.
 * It has the evidence that its objects are live at all (leak_evidence.h), and the use of its
 * memory.
 *
 * A part is a row of LEAK_PARTS: the report's keys, the command and the site, with their history.
 * Its behaviour is a leak or not (leak_behaviour.h); if it is, its own frees are evidence, too. All
 * objects of a part have the same site, so that a part is left out as a whole if its site cannot be
 * judged; objects below the minimum age are taken out of its history. With time windows, only
 * allocations in them count. The accounts must outlive the survey.
 */
#ifndef LEAK_LEAK_SURVEY_H
#define LEAK_LEAK_SURVEY_H

#include "util/kmem/pipeline.h"
#include "util/leak/leak_behaviour.h"
#include "util/leak/leak_count.h"
#include "util/leak/leak_evidence.h"
#include "util/machine/threads.h"

/* The tables that leak requests from an allocator's accounts, in this order; LEAK_CHAINS is
 * optional. */
enum { LEAK_PARTS, LEAK_OWNERS, LEAK_SITES, LEAK_TABLES, LEAK_CHAINS = LEAK_TABLES };

/* Only LEAK_KERNEL can leak. */
enum leak_use {
	LEAK_KERNEL,
	LEAK_PAGE_CACHE,
	LEAK_USER,
	LEAK_SLAB_PAGES, /* judged by the objects in them */
	LEAK_PROCESS,	 /* page tables, stacks, vmas of a process that runs at the end */
	LEAK_SHMEM,	 /* and files of tmpfs: stays until a process removes it */
	LEAK_ATTACHED,	 /* lives as long as other objects, which are judged themselves */
	LEAK_USES,
};

/* An allocator's part of leak: the leak member of struct allocator_ops. */
struct leak_allocator {
	struct table_spec by;	 /* default rows */
	struct table_spec sites; /* call site, and cache or migrate type */
	const char *object;	 /* "object" */
	/* Titles of text tables; NULL: none. */
	const char *titles[LEAK_USES];
	const char *untraced_heading;
	unsigned int nr_untraced_keys; /* number of the sites' keys that are shown */
	/* Frees of objects from before the first event. NULL: it has no caches. */
	leak_old_frees_fn old_frees;
	/* Number of live objects that live figures leave out. NULL if old_frees is. */
	uint64_t (*left_out)(const void *state);
};

/* The finished account of one allocator. */
struct leak_accounts {
	const struct account *account;
	const struct stat_table *tables;
	/* For each row of the account's first table, its rows in `tables`. NULL: these are the
	 * account's own. */
	uint32_t *const *rows;
	const struct naming *naming;
	const struct threads *threads; /* at the end; NULL: unknown */
	bool frees_unknown;	       /* no site is judged by its frees */
	struct leak_losses losses;     /* of its frees */
	/* the kernel's counts of the reported time; NULL: unknown */
	const struct slab_counts *slab_counts;
	uint64_t nr_lost;    /* all lost events */
	uint64_t end_ns;     /* to which ages refer */
	uint64_t min_age_ns; /* younger objects are left out */
};

/* A live object or block, or several of them, in a common form. */
struct leak_live {
	uint64_t time_ns, age_ns; /* of the oldest, if several */
	uint64_t last_ns, youngest_ns;
	uint64_t hits, bytes;
	bool filtered_out;   /* its only row is in LEAK_SITES */
	const uint32_t *row; /* in each of the tables */
};

struct leak_site {
	struct leak_observed seen;
	struct leak_evidence evidence;
	struct leak_count count; /* of its cache, by the kernel */
	double confirmed;	 /* share of its old survivors, by this count */
	enum leak_use use;
	bool of_process;  /* freed when its process ends, and not before */
	bool reclaimable; /* taken back by the kernel when memory is short */
	bool untraced;	  /* most frees are not traced: it cannot be judged by its events */
	bool cleared;	  /* untraced, and the kernel's count shows that it does not leak */
};

/* Live objects of a part below the minimum age, by cohort. */
struct leak_young {
	uint64_t hits[HISTORY_MOMENTS];
	uint64_t bytes[HISTORY_MOMENTS];
};

struct leak_part {
	struct leak_observed seen;
	struct leak_evidence evidence; /* by its own frees alone */
	uint64_t survivors[HISTORY_MOMENTS];
	uint64_t bytes;	       /* of its survivors */
	uint64_t living_bytes; /* of these, allocated by processes that run at the end */
	uint32_t site;	       /* its row in LEAK_SITES */
	enum leak_use use;
	bool leaks;
};

/* Verdicts; arrays are indexed by the row numbers of the tables. */
struct leak_survey {
	const struct leak_accounts *of;
	struct leak_site *sites;
	struct leak_part *parts;
	bool *lives;		   /* the process of each row of LEAK_OWNERS runs at the end */
	struct leak_young *young;  /* of each part; NULL: no minimum age */
	struct leak_caches caches; /* as the kernel counts them */
};

/* Returns 0, or -ENOMEM. */
int leak_survey_init(struct leak_survey *s, const struct leak_accounts *of);
void leak_survey_deinit(struct leak_survey *s);

/* Whether this one is too young to count. */
bool leak_survey_is_young(const struct leak_survey *s, const struct leak_live *live);

/* Add a part's history to *h, without objects below the minimum age. */
void leak_survey_add_history(const struct leak_survey *s, uint32_t part, struct leak_history *h);

/* The part's value of one of its keys. */
uint64_t leak_survey_part_key(const struct leak_survey *s, uint32_t part, enum kmem_key key);

/* The use of a part of this site, by its bytes. */
enum leak_use leak_survey_use(const struct leak_site *site, const struct leak_part *part);

/* Set the evidence of a part of this site from what was seen of it. */
void leak_survey_judge_part(const struct leak_survey *s, const struct leak_site *site,
			    struct leak_part *part);

/* Call fn with each live allocation from the windows, in no particular order. */
void leak_for_each_live(const struct leak_accounts *of,
			void (*fn)(void *ctx, const struct leak_live *live), void *ctx);

/* "kernel", "page cache", "user", ... */
const char *leak_use_name(enum leak_use use);

#endif
