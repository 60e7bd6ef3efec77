/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct pageblocks: contents of the machine's pageblocks, from a source that lists every used
 * page.
 *
 * The kernel groups pages by mobility, in pageblocks of a migrate type each, so that movable ones
 * can be moved away and leave a free pageblock. A page that is less mobile than the type of its
 * pageblock promises *pollutes* it: an unmovable page in a movable pageblock keeps that from ever
 * being free as a whole, until the page is freed. Holders of such pages are counted by call site,
 * by process and by both; a holder has a pageblock *alone* if no other holder pollutes it.
 *
 * Pages come in the order of their numbers, as the kernel lists them: only one pageblock is kept in
 * memory. The kernel's list does not show a single moment, so a page may come twice; it counts
 * once.
 */
#ifndef BUDDY_PAGEBLOCKS_H
#define BUDDY_PAGEBLOCKS_H

#include "util/buddy/block_pages.h"
#include "util/base/table.h"
#include "util/kmem/account.h"

/* Numbers of migrate types in the kernel's order since 4.4, which is that of page_owner. */
enum page_mobility { PAGES_UNMOVABLE, PAGES_MOVABLE, PAGES_RECLAIMABLE, PAGES_OTHER, MOBILITIES };

/* Counters of the pageblocks of a type. */
struct pageblock_type {
	int64_t type;	   /* the key; -1: unknown */
	uint64_t blocks;   /* with a page in use */
	uint64_t mixed;	   /* with pages of another type, as /proc/pagetypeinfo counts them */
	uint64_t polluted; /* with pages that are less mobile */
	uint64_t pages[MOBILITIES];
	uint64_t polluting; /* those of them that pollute */
};

enum holders_by { BY_CALLSITE, BY_PROCESS, BY_BOTH, HOLDERS_BY };

/* A holder of polluting pages. */
struct pageblock_holder {
	/* the key; fields that do not distinguish these holders are 0 */
	uint64_t callsite, comm, pid;
	int64_t type, block_type;
	/* figures */
	uint64_t blocks, alone;
	uint64_t allocations, pages;
	uint64_t seen; /* number + 1 of the latest pageblock */
};

/* A zone: pages can only be moved within it. */
struct pageblock_zone {
	int64_t node, zone; /* the key; -1: unknown */
	uint64_t blocks;
	uint64_t pages, movable; /* in use */
	struct block_runs runs;
};

struct pageblocks {
	const struct source_facts *facts; /* contains the pageblock order, as soon as it is known */
	struct table types, zones, holders[HOLDERS_BY];
	uint64_t pages;	  /* in use */
	uint64_t again;	  /* rows of pages that were listed before, or out of order */
	uint64_t unclear; /* rows with unknown pageblock */
	struct {
		bool open;
		bool mixed, polluted;
		uint64_t number;
		struct pageblock_type type; /* its counters */
		int64_t node, zone;
		struct {
			uint32_t row; /* the first holder */
			bool alone;
		} holder[HOLDERS_BY];
	} block;	    /* the latest one */
	bool no_memory;	    /* for the latest row */
	uint64_t next_page; /* lower ones have been counted */
	struct block_pages maps;
};

/* Returns the pageblock order, or 0 if unknown. */
static inline unsigned int pageblocks_order(const struct pageblocks *p)
{
	return p->facts->pageblock_order;
}

/* Returns the maximum number of free runs of an order after compaction: moved pages need a
 * place. */
uint64_t pageblocks_possible(const struct pageblocks *p, const struct pageblock_zone *z,
			     unsigned int order);

/* Sums of all rows. */
struct pageblock_totals {
	struct pageblock_type all, movable;
	uint64_t won; /* whole pageblocks that compaction could make free */
};

struct pageblock_totals pageblocks_totals(const struct pageblocks *p);

extern const struct account_tables pageblocks_tables;

struct document_section;
struct report_context;

void pageblocks_build(const void *state, const struct report_context *c,
		      struct document_section *in);

#endif
