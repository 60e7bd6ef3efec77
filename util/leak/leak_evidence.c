// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_evidence.h"

#include <math.h>
#include <string.h>

static const struct {
	double high, medium;	  /* minimum confidence of each level */
	double prior;		  /* the assumed share of visible frees, without observations */
	double prior_weight;	  /* weight of the prior, as a number of observations */
	uint64_t untraced_unseen; /* at least this many unseen frees... */
	uint64_t untraced_factor; /* ...and at most this many times more survivors */
	double batched;		  /* confidence in objects that are freed in batches, */
	uint64_t batch_max;	  /* if no more than these survive */
} limits = {
	.high = 0.9,
	.medium = 0.5,
	.prior = 0.7,
	.prior_weight = 8,
	.untraced_unseen = 8,
	.untraced_factor = 3,
	.batched = 0.3,
	.batch_max = 16384,
};

/* Whether a cache is shared by many users, by its name: a size, or a kmalloc cache. Without names,
 * all caches are named after their sizes. */
static bool is_shared(const char *cache)
{
	return strstr(cache, "kmalloc") || !strncmp(cache, "kmem_cache-", strlen("kmem_cache-"));
}

double leak_confirmed(const struct leak_count *count, const char *cache_name, uint64_t survivors)
{
	if (!count->known || is_shared(cache_name) || count->likely >= survivors)
		return 1;
	return (double)count->likely / (double)survivors;
}

/* Returns the estimated share of visible frees. With few observations the prior decides. An
 * observation stands for one_in others (struct leak_losses). */
static double visible(const struct leak_observed *o, double prior, double one_in)
{
	double seen = (double)o->freed + (double)o->old, weight = limits.prior_weight * one_in;

	return (seen + weight * prior) / (seen + (double)o->unseen + weight);
}

/* The share of the survivors that is certain: all but one standard deviation of the sample. */
static double certain(double survivors, double one_in)
{
	double followed = survivors / one_in;

	if (one_in > 1)
		return followed > 1 ? 1 - 1 / sqrt(followed) : 0;
	return 1;
}

static void lower(struct leak_evidence *e, double factor, enum leak_reason reason, double *worst)
{
	e->confidence *= factor;
	if (factor < *worst) {
		*worst = factor;
		e->reason = reason;
	}
}

struct leak_evidence leak_evidence_of(const struct leak_observed *site,
				      const struct leak_observed *cache, const char *cache_name,
				      const struct leak_losses *losses)
{
	struct leak_evidence e = {1, LEAK_SURE};
	double lost = losses->lost < 1 ? losses->lost : 0.999999;
	double missing = (double)site->freed * lost / (1 - lost) + (double)site->unseen;
	double survivors = (double)site->survivors, prior = limits.prior, worst = 1;
	double one_in = losses->one_in ? (double)losses->one_in : 1;
	bool own_cache = cache && cache_name && !is_shared(cache_name), few;

	if (own_cache)
		prior = visible(cache, prior, one_in);
	few = (double)(site->freed + site->old + site->unseen) < limits.prior_weight * one_in;
	lower(&e, certain(survivors, one_in), LEAK_FOLLOWED_FEW, &worst);
	lower(&e, 1 - lost, losses->sampled ? LEAK_SAMPLED : LEAK_LOST, &worst);
	if (missing > 0)
		lower(&e, survivors / (survivors + missing),
		      2 * (double)site->unseen > missing ? LEAK_UNSEEN_SITE : LEAK_LOST, &worst);
	lower(&e, visible(site, prior, one_in),
	      !few && site->unseen			       ? LEAK_UNSEEN_SITE
	      : own_cache && cache->unseen > cache->freed / 16 ? LEAK_UNSEEN_CACHE
							       : LEAK_NO_FREE_SEEN,
	      &worst);
	return e;
}

struct leak_evidence leak_evidence_of_part(const struct leak_evidence *site,
					   const struct leak_evidence *part)
{
	return part->confidence > site->confidence ? *part : *site;
}

void leak_evidence_limit(struct leak_evidence *e, const struct leak_observed *seen,
			 const struct leak_count *count)
{
	double live;

	if (count->in_batches && seen->survivors <= limits.batch_max &&
	    e->confidence > limits.batched)
		*e = (struct leak_evidence){limits.batched, LEAK_IN_BATCHES};
	if (!count->known || count->at_most >= seen->survivors)
		return;
	live = (double)count->at_most / (double)seen->survivors;
	if (live < e->confidence)
		*e = (struct leak_evidence){live, LEAK_COUNTED_LESS};
}

bool leak_is_untraced(const struct leak_observed *site)
{
	return site->unseen >= limits.untraced_unseen && site->unseen > site->freed &&
	       site->survivors / limits.untraced_factor < site->unseen;
}

const char *leak_reason_text(enum leak_reason reason)
{
	static const char *const texts[] = {
		[LEAK_SURE] = "",
		[LEAK_SAMPLED] = "most events were not recorded (record -c)",
		[LEAK_FOLLOWED_FEW] = "few of its objects are in the sample (--memory, --max-live)",
		[LEAK_LOST] = "free events were lost",
		[LEAK_UNSEEN_CACHE] = "some frees of this cache are not traced",
		[LEAK_UNSEEN_SITE] = "some frees of its objects are not traced",
		[LEAK_IN_BATCHES] = "the kernel frees such objects later, many at once",
		[LEAK_COUNTED_LESS] = "the kernel's own count: the cache grew by less",
		[LEAK_NO_FREE_SEEN] = "no free of such an object was seen",
	};

	return texts[reason];
}

enum leak_level leak_level(double confidence)
{
	/* rounded to three decimals as printed, so that the word and the number agree */
	confidence += 0.0005;
	return confidence >= limits.high     ? LEAK_HIGH
	       : confidence >= limits.medium ? LEAK_MEDIUM
					     : LEAK_LOW;
}

const char *leak_confidence_word(double confidence)
{
	static const char *const words[] = {
		[LEAK_HIGH] = "high", [LEAK_MEDIUM] = "medium", [LEAK_LOW] = "low"};

	return words[leak_level(confidence)];
}
