// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/lifetime.h"

static uint64_t bucket_start(unsigned int bucket)
{
	unsigned int octave = bucket / LIFETIME_STEPS, step = bucket % LIFETIME_STEPS;

	if (!octave)
		return step;
	return (uint64_t)(LIFETIME_STEPS + step) << (octave - 1);
}

void lifetime_histogram_add_all(struct lifetime_histogram *h, const struct lifetime_histogram *from)
{
	if (!from->nr)
		return;
	if (!h->nr || from->min_ns < h->min_ns)
		h->min_ns = from->min_ns;
	if (from->max_ns > h->max_ns)
		h->max_ns = from->max_ns;
	h->nr += from->nr;
	for (unsigned int i = lifetime_bucket(from->min_ns); i <= lifetime_bucket(from->max_ns);
	     i++)
		h->count[i] += from->count[i];
}

/* The middle of the bucket, limited to the range of lifetimes seen; the last bucket has no end. */
static uint64_t middle_of(const struct lifetime_histogram *h, unsigned int bucket)
{
	uint64_t middle = (bucket_start(bucket) + bucket_start(bucket + 1)) / 2;

	if (bucket == LIFETIME_BUCKETS - 1 || middle > h->max_ns)
		return h->max_ns;
	return middle < h->min_ns ? h->min_ns : middle;
}

uint64_t lifetime_histogram_percentile(const struct lifetime_histogram *h, double percent)
{
	double want = (double)h->nr * percent / 100.0;
	uint64_t seen = 0;

	for (unsigned int i = 0; i < LIFETIME_BUCKETS; i++) {
		seen += h->count[i];
		if (h->count[i] && (double)seen >= want)
			return middle_of(h, i);
	}
	return 0;
}

uint64_t lifetime_histogram_octave(const struct lifetime_histogram *h, unsigned int octave)
{
	const uint64_t from = octave ? 1ull << octave : 0;
	const unsigned int first = lifetime_bucket(from);
	const unsigned int last = lifetime_bucket((2ull << octave) - 1);
	uint64_t sum = 0;

	/* the last bucket, which is counted in the octave of its start */
	if (bucket_start(first) < from)
		return 0;
	for (unsigned int i = first; i <= last; i++)
		sum += h->count[i];
	return sum;
}
