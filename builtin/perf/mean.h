/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct mean: a running mean and its deviation (Welford's method). */
#ifndef BUILTIN_PERF_MEAN_H
#define BUILTIN_PERF_MEAN_H

#include <math.h>
#include <stdint.h>

struct mean {
	uint64_t nr;
	double mean, squares;
};

static inline void mean_add(struct mean *m, double v)
{
	double delta = v - m->mean;

	m->nr++;
	m->mean += delta / (double)m->nr;
	m->squares += delta * (v - m->mean);
}

/* The standard deviation of the mean. */
static inline double mean_deviation(const struct mean *m)
{
	if (m->nr < 2)
		return 0;
	return sqrt(m->squares / (double)(m->nr - 1) / (double)m->nr);
}

static inline double mean_percent(const struct mean *m)
{
	return m->mean != 0 ? 100 * mean_deviation(m) / m->mean : 0;
}

#endif
