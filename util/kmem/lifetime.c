// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/lifetime.h"

/* Ages below LIFETIME_STEPS ns have a bucket each; from there on an octave has LIFETIME_STEPS. */
static unsigned int bucket_of(uint64_t age_ns)
{
	unsigned int octave, bucket;

	if (age_ns < LIFETIME_STEPS)
		return (unsigned int)age_ns;
	octave = 63 - (unsigned int)__builtin_clzll(age_ns);
	bucket = (octave - LIFETIME_STEP_BITS + 1) * LIFETIME_STEPS +
		 (unsigned int)((age_ns >> (octave - LIFETIME_STEP_BITS)) & (LIFETIME_STEPS - 1));
	return bucket < LIFETIME_BUCKETS ? bucket : LIFETIME_BUCKETS - 1;
}

static uint64_t bucket_start(unsigned int bucket)
{
	unsigned int octave = bucket / LIFETIME_STEPS, step = bucket % LIFETIME_STEPS;

	if (!octave)
		return step;
	return (uint64_t)(LIFETIME_STEPS + step) << (octave - 1);
}

void lifetime_histogram_add(struct lifetime_histogram *h, uint64_t age_ns)
{
	h->count[bucket_of(age_ns)]++;
}

uint64_t lifetime_histogram_percentile(const struct lifetime_histogram *h, double percent)
{
	uint64_t total = 0, seen = 0;
	double want;

	for (unsigned int i = 0; i < LIFETIME_BUCKETS; i++)
		total += h->count[i];
	want = (double)total * percent / 100.0;
	for (unsigned int i = 0; i < LIFETIME_BUCKETS; i++) {
		seen += h->count[i];
		if (h->count[i] && (double)seen >= want)
			return (bucket_start(i) + bucket_start(i + 1)) / 2;
	}
	return 0;
}

uint64_t lifetime_histogram_octave(const struct lifetime_histogram *h, unsigned int octave)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < LIFETIME_BUCKETS; i++) {
		uint64_t start = bucket_start(i);

		if ((start >= 1ull << octave || !octave) && start < 2ull << octave)
			sum += h->count[i];
	}
	return sum;
}
