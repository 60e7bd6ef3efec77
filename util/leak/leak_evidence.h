/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct leak_evidence: the confidence that seemingly live memory is live, from 0 to 1, and the
 * reason that lowers it.
 *
 * It is the product of three shares:
 *
 * - The share of the allocator's frees that was recorded.
 * - Survivors divided by survivors plus the missing frees of the same call site and cache. Missing
 *   are those proved by a second allocation of the same pointer and, if events were lost, an
 *   estimate of the lost ones.
 * - The estimated share of frees that can be seen at all. It follows from the site's frees that
 *   were seen and its old survivors whose memory was never reused, else from those of its cache.
 *   A kmalloc cache is not used for this, since each site frees in its own way. A prior weighs as
 *   much as a few observations. If fewer objects of a cache that is not shared are live by the
 *   kernel's count, as read, only this share of the old survivors is counted: freed memory can wait
 *   long for its reuse, such as in a CPU's sheaf.
 *
 * Whatever follows from the events, no more objects of a site or of a command's part of it are live
 * than the kernel's count of their cache allows (leak_count.h).
 *
 * One command's objects at a busy site are judged by their own frees if that part leaks according
 * to its own history: missing frees of other commands do not make it less certain.
 */
#ifndef LEAK_LEAK_EVIDENCE_H
#define LEAK_LEAK_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/leak/leak_count.h"

/*
 * Objects freed by kfree_rcu() may wait this long (KFREE_DRAIN_JIFFIES of mm/slab_common.c: 5 s,
 * then a grace period) before they can be allocated again. Only an object that has lived longer is
 * evidence of anything but a pending free.
 */
#define LEAK_OLD_NS 6000000000ull

enum leak_reason {
	LEAK_SURE,
	LEAK_SAMPLED,	   /* record -c N */
	LEAK_FOLLOWED_FEW, /* few of its objects are in the sample (allocator_accounts.h) */
	LEAK_LOST,	   /* events were lost */
	LEAK_UNSEEN_CACHE, /* frees of the cache were unseen */
	LEAK_UNSEEN_SITE,  /* frees of the call site's objects were unseen */
	LEAK_IN_BATCHES,   /* the kernel keeps freed objects until there are many */
	LEAK_COUNTED_LESS, /* the kernel counts fewer objects */
	LEAK_NO_FREE_SEEN, /* no free of the call site's objects or of the cache was seen */
	LEAK_REASONS,
};

/* Observations of a call site with a cache, or of a cache. */
struct leak_observed {
	uint64_t survivors;
	uint64_t old;	    /* survivors older than LEAK_OLD_NS */
	uint64_t uncounted; /* survivors younger than the kernel's latest count */
	uint64_t freed;	    /* frees that were seen */
	uint64_t unseen;    /* unseen frees, proved by reuse */
};

/* The missing share of an allocator's frees, and the reason; and its sample. */
struct leak_losses {
	double lost; /* 0 to 1 */
	bool sampled;
	uint64_t one_in; /* one in this many live allocations is followed; 0 and 1: all */
};

struct leak_evidence {
	double confidence;
	enum leak_reason reason;
};

/*
 * The share, from 0 to 1, of a cache's old survivors that its count by the kernel confirms.
 * survivors: of all its sites. 1 without a count, and for a shared cache, whose partial slabs hold
 * more free objects than most sites leak. cache_name: NULL only without a count.
 */
double leak_confirmed(const struct leak_count *count, const char *cache_name, uint64_t survivors);

/* cache: NULL for pages and if caches are unknown. cache_name: NULL for pages. */
struct leak_evidence leak_evidence_of(const struct leak_observed *site,
				      const struct leak_observed *cache, const char *cache_name,
				      const struct leak_losses *losses);

/*
 * The same for one command's objects of the site: the more certain of the two. part: the evidence
 * of the command's own objects, judged without a cache.
 */
struct leak_evidence leak_evidence_of_part(const struct leak_evidence *site,
					   const struct leak_evidence *part);

/* Lower the confidence if the kernel's count of the cache allows fewer live objects. */
void leak_evidence_limit(struct leak_evidence *e, const struct leak_observed *seen,
			 const struct leak_count *count);

/* Whether the frees of the site are mostly not traced, so that it cannot be judged. */
bool leak_is_untraced(const struct leak_observed *site);

/* The reason for clearing a site. */
#define LEAK_CLEARED_TEXT "the kernel's own count: the cache did not grow"

/* "some frees of this cache are not traced"; "" for LEAK_SURE. */
const char *leak_reason_text(enum leak_reason reason);

enum leak_level { LEAK_HIGH, LEAK_MEDIUM, LEAK_LOW };

enum leak_level leak_level(double confidence);

/* "high", "medium", "low" */
const char *leak_confidence_word(double confidence);

#endif
