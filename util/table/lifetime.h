/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct lifetime_histogram: lifetimes of freed objects, in buckets of constant ratio.
 *
 * Each power of two of nanoseconds has LIFETIME_STEPS buckets.  A percentile is the middle of a
 * bucket, so it is accurate to half of 1/LIFETIME_STEPS (6.25 %).  It is never outside the range
 * of lifetimes seen.  Zeroed memory is an empty histogram.
 */
#ifndef TABLE_LIFETIME_H
#define TABLE_LIFETIME_H

#include <stdint.h>

#define LIFETIME_STEP_BITS 3
#define LIFETIME_STEPS	   (1u << LIFETIME_STEP_BITS)
#define LIFETIME_OCTAVES   40 /* up to an hour; all longer lifetimes share the last bucket */
#define LIFETIME_BUCKETS   (LIFETIME_OCTAVES * LIFETIME_STEPS)

struct lifetime_histogram {
	uint64_t nr;
	uint64_t min_ns, max_ns; /* valid if nr > 0 */
	uint32_t count[LIFETIME_BUCKETS];
};

/* Each age below LIFETIME_STEPS ns has its own bucket; above, each octave has LIFETIME_STEPS. */
static inline unsigned int lifetime_bucket(uint64_t age_ns)
{
	unsigned int octave, bucket;

	if (age_ns < LIFETIME_STEPS)
		return (unsigned int)age_ns;
	octave = 63 - (unsigned int)__builtin_clzll(age_ns);
	bucket = (octave - LIFETIME_STEP_BITS + 1) * LIFETIME_STEPS +
		 (unsigned int)((age_ns >> (octave - LIFETIME_STEP_BITS)) & (LIFETIME_STEPS - 1));
	return bucket < LIFETIME_BUCKETS ? bucket : LIFETIME_BUCKETS - 1;
}

/* Add n of the same age, at least one. */
static inline void lifetime_histogram_add_equal(struct lifetime_histogram *h, uint64_t age_ns,
						uint64_t n)
{
	if (!h->nr || age_ns < h->min_ns)
		h->min_ns = age_ns;
	if (age_ns > h->max_ns)
		h->max_ns = age_ns;
	h->nr += n;
	h->count[lifetime_bucket(age_ns)] += (uint32_t)n;
}

static inline void lifetime_histogram_add(struct lifetime_histogram *h, uint64_t age_ns)
{
	lifetime_histogram_add_equal(h, age_ns, 1);
}

/* Add another histogram. */
void lifetime_histogram_add_all(struct lifetime_histogram *h,
				const struct lifetime_histogram *from);

/* The age in ns that `percent` of the objects did not exceed; 0 if empty. */
uint64_t lifetime_histogram_percentile(const struct lifetime_histogram *h, double percent);

/* The number of objects that lived [2^octave, 2^(octave+1)) ns; octave 0 includes 0 ns. */
uint64_t lifetime_histogram_octave(const struct lifetime_histogram *h, unsigned int octave);

#endif
