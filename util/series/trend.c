// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/series/trend.h"

#include <math.h>
#include <stdlib.h>

#define NS_PER_HOUR 3.6e12

static int by_size(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* The median slope between the spans. */
static double slope(const struct trend *t, const uint64_t *at_ns)
{
	double slopes[TREND_SPANS * TREND_SPANS / 2];
	size_t nr = 0;

	for (unsigned int i = 0; i < t->nr; i++)
		for (unsigned int k = i + 1; k < t->nr; k++)
			slopes[nr++] = ((double)t->lowest[k] - (double)t->lowest[i]) /
				       ((double)(at_ns[k] - at_ns[i]) / NS_PER_HOUR);
	if (!nr)
		return 0;
	qsort(slopes, nr, sizeof(slopes[0]), by_size);
	return (slopes[(nr - 1) / 2] + slopes[nr / 2]) / 2;
}

static void find_rises(struct trend *t)
{
	int64_t floor, last;

	if (!t->nr)
		return;
	floor = last = t->lowest[t->nr - 1];
	for (unsigned int i = t->nr - 1; i-- > 0;)
		if (t->lowest[i] < floor) {
			floor = t->lowest[i];
			t->rises++;
		}
	if (__builtin_sub_overflow(last, floor, &t->risen))
		t->risen = INT64_MAX;
}

void trend_init(struct trend *t, const int64_t *values, const uint64_t *times_ns, size_t nr)
{
	const uint64_t length = times_ns[nr - 1] - times_ns[0] + 1;
	const unsigned int spans = nr / 2 < TREND_SPANS ? (unsigned int)(nr / 2) : TREND_SPANS;
	uint64_t at_ns[TREND_SPANS] = {0};
	unsigned int current = UINT32_MAX;

	*t = (struct trend){.first = values[0], .last = values[nr - 1]};
	for (size_t i = 0; spans && i < nr; i++) {
		unsigned int span = (unsigned int)((double)(times_ns[i] - times_ns[0]) /
						   (double)length * spans);

		span = span < spans ? span : spans - 1;
		if (span != current) {
			current = span;
			t->lowest[t->nr] = values[i];
			at_ns[t->nr++] = times_ns[i];
		} else if (values[i] < t->lowest[t->nr - 1]) {
			t->lowest[t->nr - 1] = values[i];
			at_ns[t->nr - 1] = times_ns[i];
		}
	}
	t->per_hour = slope(t, at_ns);
	find_rises(t);
}

double trend_steadiness(const struct trend *t)
{
	return t->nr < 2 ? 0 : 100.0 * t->rises / (t->nr - 1);
}

bool trend_is_steady(const struct trend *t)
{
	return t->nr >= TREND_SPANS_MIN && trend_steadiness(t) >= TREND_STEADY && t->per_hour > 0;
}

double trend_correlation(const struct trend *a, const struct trend *b)
{
	const unsigned int nr = a->nr < b->nr ? a->nr : b->nr;
	double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;

	for (unsigned int i = 0; i < nr; i++) {
		mean_a += (double)a->lowest[i] / nr;
		mean_b += (double)b->lowest[i] / nr;
	}
	for (unsigned int i = 0; i < nr; i++) {
		const double x = (double)a->lowest[i] - mean_a, y = (double)b->lowest[i] - mean_b;

		ab += x * y;
		aa += x * x;
		bb += y * y;
	}
	return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}
