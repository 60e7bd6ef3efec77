/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct trend: whether a series of values grows steadily, as a leak does, or only goes up and
 * down.
 *
 * The time is divided into at most TREND_SPANS spans of equal length. The floor of a span is the
 * lowest value in it and in all later spans: what was never given back. A leak raises the floor in
 * each span, however much comes and goes above it. A step raises it once, a plateau only at the
 * start, and noise hardly ever. The slope is the median of the slopes between the lowest values of
 * any two spans (Theil-Sen), which a few bursts do not change.
 */
#ifndef SERIES_TREND_H
#define SERIES_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREND_SPANS 16

/* Spans that are necessary to call a growth steady. */
#define TREND_SPANS_MIN 7

/* The growth is steady if the floor rose in this percentage of spans. */
#define TREND_STEADY 75

struct trend {
	int64_t first, last;
	int64_t lowest[TREND_SPANS]; /* value of each span; spans without values are left out */
	int64_t risen;		     /* by which the floor rose from the first span to the last */
	double per_hour;	     /* 0 for fewer than two spans */
	unsigned int nr;	     /* spans */
	unsigned int rises;	     /* spans after the first in which the floor rose */
};

/* times_ns: increasing. nr > 0. */
void trend_init(struct trend *t, const int64_t *values, const uint64_t *times_ns, size_t nr);

/* 0 to 100: the percentage of spans in which the floor rose. */
double trend_steadiness(const struct trend *t);

bool trend_is_steady(const struct trend *t);

/* Correlation of two series of the same snapshots, by the lowest values of their spans; -1 to 1. */
double trend_correlation(const struct trend *a, const struct trend *b);

#endif
