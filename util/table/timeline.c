// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The initial width if the span is unknown. */
#define WIDTH_NS 1024

struct timeline *timeline_new(uint64_t start_ns, uint64_t stop_ns)
{
	struct timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->start_ns = start_ns;
	if (stop_ns > start_ns)
		t->width_ns = timeline_width(start_ns, stop_ns);
	return t;
}

void timeline_free(struct timeline *t)
{
	if (t)
		free(t->changes);
	free(t);
}

struct timeline *timeline_new_counts(uint64_t start_ns, uint64_t stop_ns, uint32_t nr)
{
	struct timeline *t = timeline_new(start_ns, stop_ns);

	if (t && timeline_reserve(t, nr)) {
		timeline_free(t);
		return NULL;
	}
	return t;
}

/* The changes of all rows in a step. */
static uint64_t *step_at(const struct timeline *t, uint32_t step)
{
	return t->changes + (size_t)step * t->nr;
}

int timeline_reserve(struct timeline *t, uint32_t nr)
{
	uint32_t cap = t->nr ? t->nr : 64;
	uint64_t *changes;

	nr = nr < TIMELINE_ROWS_MAX ? nr : TIMELINE_ROWS_MAX;
	if (nr <= t->nr)
		return 0;
	while (cap < nr)
		cap *= 2;
	changes = calloc((size_t)cap * TIMELINE_STEPS, sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	for (uint32_t i = 0; t->nr && i < t->nr_used; i++)
		memcpy(changes + (size_t)i * cap, step_at(t, i), t->nr * sizeof(*changes));
	free(t->changes);
	t->changes = changes;
	t->nr = cap;
	return 0;
}

/* Merge pairs of steps, each of nr numbers. */
static void merge(uint64_t *v, size_t nr)
{
	const size_t half = TIMELINE_STEPS / 2;

	for (size_t i = 0; i < half; i++)
		for (size_t k = 0; k < nr; k++)
			v[i * nr + k] = v[2 * i * nr + k] + v[(2 * i + 1) * nr + k];
	memset(&v[half * nr], 0, half * nr * sizeof(*v));
}

static void widen(struct timeline *t)
{
	t->width_ns *= 2;
	merge(t->allocated, 1);
	merge(t->freed, 1);
	if (t->nr)
		merge(t->changes, t->nr);
	t->nr_used = (t->nr_used + 1) / 2;
}

void timeline_seek(struct timeline *t, uint64_t time_ns)
{
	if (!t->width_ns) {
		if (!t->start_ns)
			t->start_ns = time_ns;
		t->width_ns = WIDTH_NS;
	}
	if (time_ns < t->start_ns)
		time_ns = t->start_ns;
	while ((time_ns - t->start_ns) / TIMELINE_STEPS >= t->width_ns)
		widen(t);
	t->current = (uint32_t)((time_ns - t->start_ns) / t->width_ns);
	t->current_start_ns = t->start_ns + t->current * t->width_ns;
	/* the last step may end after the last time of 64 bits */
	t->current_width_ns = UINT64_MAX - t->current_start_ns < t->width_ns
				      ? UINT64_MAX - t->current_start_ns
				      : t->width_ns;
	if (t->current >= t->nr_used)
		t->nr_used = t->current + 1;
}

void timeline_changes(const struct timeline *t, uint32_t row, uint32_t steps, uint64_t *ret_changes)
{
	for (uint32_t i = 0; i < steps; i++)
		ret_changes[i] = row < t->nr ? step_at(t, i)[row] : 0;
}

/* Not negative, even if the time of a free is before that of its allocation. */
static uint64_t at_least_0(uint64_t live)
{
	return (int64_t)live < 0 ? 0 : live;
}

uint64_t timeline_live(const uint64_t *changes, uint32_t steps, uint64_t *ret_live)
{
	uint64_t live = 0, most = 0;

	for (uint32_t i = 0; i < steps; i++) {
		live += changes[i];
		ret_live[i] = at_least_0(live);
		most = ret_live[i] > most ? ret_live[i] : most;
	}
	return most;
}

uint64_t *timeline_most(const struct timeline *t, uint32_t steps)
{
	uint64_t *most = calloc(t->nr + 1u, sizeof(*most));
	uint64_t *live = calloc(t->nr + 1u, sizeof(*live));

	/* in the order of memory */
	for (uint32_t i = 0; most && live && i < steps && i < t->nr_used; i++) {
		const uint64_t *changes = step_at(t, i);

		for (uint32_t row = 0; row < t->nr; row++) {
			live[row] += changes[row];
			if (at_least_0(live[row]) > most[row])
				most[row] = live[row];
		}
	}
	if (!live) {
		free(most);
		most = NULL;
	}
	free(live);
	return most;
}

void timeline_add_row(struct timeline *t, uint32_t to, uint32_t from)
{
	for (uint32_t i = 0; to < t->nr && from < t->nr && i < t->nr_used; i++)
		step_at(t, i)[to] += step_at(t, i)[from];
}

void timeline_forget(struct timeline *t, uint32_t row)
{
	for (uint32_t i = 0; row < t->nr && i < t->nr_used; i++)
		step_at(t, i)[row] = 0;
}

uint32_t timeline_steps(const struct timeline *t, uint64_t stop_ns)
{
	uint64_t nr = 0;

	if (t->width_ns && stop_ns >= t->start_ns)
		nr = (stop_ns - t->start_ns) / t->width_ns + 1;
	return nr < TIMELINE_STEPS ? (uint32_t)nr : TIMELINE_STEPS;
}
