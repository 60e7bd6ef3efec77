// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The initial width if the span is not known. */
#define WIDTH_NS 1024

struct timeline *timeline_new(uint64_t start_ns, uint64_t stop_ns)
{
	struct timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->start_ns = start_ns;
	if (stop_ns > start_ns)
		t->width_ns = (stop_ns - start_ns) / TIMELINE_STEPS + 1;
	return t;
}

void timeline_free(struct timeline *t)
{
	if (t)
		free(t->rows);
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

int timeline_reserve(struct timeline *t, uint32_t nr)
{
	uint32_t cap = t->nr ? t->nr : 64;
	struct timeline_row *rows;

	nr = nr < TIMELINE_ROWS_MAX ? nr : TIMELINE_ROWS_MAX;
	if (nr <= t->nr)
		return 0;
	while (cap < nr)
		cap *= 2;
	rows = reallocarray(t->rows, cap, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	memset(rows + t->nr, 0, (cap - t->nr) * sizeof(*rows));
	t->rows = rows;
	t->nr = cap;
	return 0;
}

static void merge(uint64_t v[TIMELINE_STEPS])
{
	const uint32_t half = TIMELINE_STEPS / 2;

	for (uint32_t i = 0; i < half; i++)
		v[i] = v[2 * i] + v[2 * i + 1];
	memset(&v[half], 0, half * sizeof(*v));
}

static void widen(struct timeline *t)
{
	t->width_ns *= 2;
	merge(t->allocated);
	merge(t->freed);
	for (uint32_t i = 0; i < t->nr; i++)
		merge(t->rows[i].change);
}

static void seek(struct timeline *t, uint64_t time_ns)
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
	t->current_end_ns = t->current_start_ns + t->width_ns;
}

void timeline_add(struct timeline *t, uint32_t row, uint64_t time_ns, uint64_t bytes, bool is_alloc)
{
	if (time_ns < t->current_start_ns || time_ns >= t->current_end_ns)
		seek(t, time_ns);
	if (is_alloc)
		t->allocated[t->current] += bytes;
	else
		t->freed[t->current] -= bytes;
	if (row < t->nr)
		t->rows[row].change[t->current] += bytes;
}

void timeline_add_row(struct timeline *t, uint32_t to, uint32_t from)
{
	for (uint32_t i = 0; to < t->nr && from < t->nr && i < TIMELINE_STEPS; i++)
		t->rows[to].change[i] += t->rows[from].change[i];
}

void timeline_forget(struct timeline *t, uint32_t row)
{
	if (row < t->nr)
		memset(&t->rows[row], 0, sizeof(t->rows[row]));
}

uint32_t timeline_steps(const struct timeline *t, uint64_t stop_ns)
{
	uint64_t nr = 0;

	if (t->width_ns && stop_ns >= t->start_ns)
		nr = (stop_ns - t->start_ns) / t->width_ns + 1;
	return nr < TIMELINE_STEPS ? (uint32_t)nr : TIMELINE_STEPS;
}
