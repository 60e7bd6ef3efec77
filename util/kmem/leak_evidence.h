/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How sure it is that what seems to be live is live: a confidence from 0 to 1, and what lowers it.
 *
 * Three things are multiplied: the part of the allocator's frees that was recorded; survivors
 * by survivors and the frees of the same call site and cache that are known to be missing (a second
 * allocation of the same pointer proves one, and with losses a part of the others is); and whether
 * a free could be seen at all: by frees of the site that were seen, and by old survivors whose
 * memory never came back, else by those of its cache (one of the kmalloc caches tells
 * nothing: each site frees in its own way), with a prior that weighs as much as a few observations.
 *
 * What one command allocates at a busy site is judged by its own frees where that part leaks by its
 * own history: frees of others that are missing do not make it less sure.
 */
#ifndef KMEM_LEAK_EVIDENCE_H
#define KMEM_LEAK_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What kfree_rcu() frees may wait so long (KFREE_DRAIN_JIFFIES of mm/slab_common.c: 5 s, then a
 * grace period), and can be allocated again only then: live for longer is more than not yet seen.
 */
#define LEAK_OLD_NS 6000000000ull

enum leak_reason {
	LEAK_SURE,
	LEAK_SAMPLED,	   /* record -c N */
	LEAK_LOST,	   /* events were lost */
	LEAK_UNSEEN_CACHE, /* frees of the cache were unseen */
	LEAK_UNSEEN_SITE,  /* frees of what the call site allocates were unseen */
	LEAK_NO_FREE_SEEN, /* no free of what the call site allocates, nor of the cache, was seen */
	LEAK_RECLAIMABLE,  /* a cache that the kernel shrinks when memory is short */
	LEAK_REASONS,
};

/* Of a call site with a cache, or of a cache. */
struct leak_observed {
	uint64_t survivors;
	uint64_t old;	 /* of those, older than LEAK_OLD_NS */
	uint64_t freed;	 /* frees that were seen */
	uint64_t unseen; /* frees that were not, as was proved */
};

/* Of the frees of an allocator, the part that is missing, and why. */
struct leak_losses {
	double lost; /* 0 to 1 */
	bool sampled;
};

struct leak_evidence {
	double confidence;
	enum leak_reason reason;
};

/* cache: NULL for pages and where caches are not told. cache_name: NULL for pages. */
struct leak_evidence leak_evidence_of(const struct leak_observed *site,
				      const struct leak_observed *cache, const char *cache_name,
				      const struct leak_losses *losses);

/*
 * The same of what one command holds of the site: by whichever is surer.  part: what is known of
 * the command's own objects, judged without a cache.
 */
struct leak_evidence leak_evidence_of_part(const struct leak_evidence *site,
					   const struct leak_evidence *part,
					   const char *cache_name);

/* Are the frees of the site mostly not traced, so that it cannot be judged? */
bool leak_is_untraced(const struct leak_observed *site);

/* "frees of this cache are not all traced"; "" for LEAK_SURE. */
const char *leak_reason_text(enum leak_reason reason);

enum leak_level { LEAK_HIGH, LEAK_MEDIUM, LEAK_LOW };

enum leak_level leak_level(double confidence);

/* "high", "medium", "low" */
const char *leak_confidence_word(double confidence);

#endif
