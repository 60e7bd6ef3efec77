/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How certain it is that what seems to be live is live: a confidence from 0 to 1, and what lowers
 * it.
 *
 * It is the product of three things: the share of the allocator's frees that was recorded;
 * survivors divided by survivors plus the missing frees of the same call site and cache (those
 * proved by a second allocation of the same pointer and, if events were lost, an estimate of the
 * lost ones); and whether a free could be seen at all: judged by frees of the site that were seen
 * and by old survivors whose memory was never reused, else by those of its cache (a kmalloc cache
 * says nothing: each site frees in its own way), with a prior that weighs as much as a few
 * observations.
 *
 * What one command allocates at a busy site is judged by its own frees if that part leaks according
 * to its own history: missing frees of others do not make it less certain.
 */
#ifndef LEAK_LEAK_EVIDENCE_H
#define LEAK_LEAK_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What kfree_rcu() frees may wait this long (KFREE_DRAIN_JIFFIES of mm/slab_common.c: 5 s, then a
 * grace period) before it can be allocated again: only an object that has been live for longer says
 * more than "not freed yet".
 */
#define LEAK_OLD_NS 6000000000ull

enum leak_reason {
	LEAK_SURE,
	LEAK_SAMPLED,	   /* record -c N */
	LEAK_LOST,	   /* events were lost */
	LEAK_UNSEEN_CACHE, /* frees of the cache were unseen */
	LEAK_UNSEEN_SITE,  /* frees of what the call site allocates were unseen */
	LEAK_NO_FREE_SEEN, /* no free of what the call site allocates, nor of the cache, was seen */
	LEAK_REASONS,
};

/* For a call site with a cache, or for a cache. */
struct leak_observed {
	uint64_t survivors;
	uint64_t old;	 /* of those, older than LEAK_OLD_NS */
	uint64_t freed;	 /* frees that were seen */
	uint64_t unseen; /* frees that were not seen, as proved */
};

/* The share of an allocator's frees that is missing, and why. */
struct leak_losses {
	double lost; /* 0 to 1 */
	bool sampled;
};

struct leak_evidence {
	double confidence;
	enum leak_reason reason;
};

/* cache: NULL for pages and if caches are unknown. cache_name: NULL for pages. */
struct leak_evidence leak_evidence_of(const struct leak_observed *site,
				      const struct leak_observed *cache, const char *cache_name,
				      const struct leak_losses *losses);

/*
 * The same for objects that one command holds of the site: the more certain of the two.  part: the
 * evidence of the command's own objects, judged without a cache.
 */
struct leak_evidence leak_evidence_of_part(const struct leak_evidence *site,
					   const struct leak_evidence *part);

/* Are the frees of the site mostly not traced, so that it cannot be judged? */
bool leak_is_untraced(const struct leak_observed *site);

/* "frees of this cache are not all traced"; "" for LEAK_SURE. */
const char *leak_reason_text(enum leak_reason reason);

enum leak_level { LEAK_HIGH, LEAK_MEDIUM, LEAK_LOW };

enum leak_level leak_level(double confidence);

/* "high", "medium", "low" */
const char *leak_confidence_word(double confidence);

#endif
