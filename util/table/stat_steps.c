// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/stat_steps.h"

#include <stdlib.h>
#include <string.h>

#include "util/table/timeline.h"

static struct stat_steps *new_steps(uint64_t start_ns, uint64_t width_ns)
{
	struct stat_steps *s = calloc(1, sizeof(*s));

	if (s) {
		s->start_ns = start_ns;
		s->width_ns = width_ns;
	}
	return s;
}

struct stat_steps *stat_steps_new(uint64_t start_ns, uint64_t stop_ns)
{
	return new_steps(start_ns, timeline_width(start_ns, stop_ns));
}

struct stat_steps *stat_steps_new_like(const struct stat_steps *like)
{
	return new_steps(like->start_ns, like->width_ns);
}

void stat_steps_free(struct stat_steps *s)
{
	if (!s)
		return;
	free(s->v);
	free(s->latest);
	free(s);
}

/* The report works without them. */
static void lose(struct stat_steps *s)
{
	free(s->v);
	free(s->latest);
	*s = (struct stat_steps){.start_ns = s->start_ns, .width_ns = s->width_ns, .is_lost = true};
}

static bool reserve_rows(struct stat_steps *s, uint32_t row)
{
	uint32_t nr = s->nr_rows ? s->nr_rows : 64, *latest;

	if (row < s->nr_rows)
		return true;
	while (nr <= row && nr <= UINT32_MAX / 2)
		nr *= 2;
	latest = nr <= row ? NULL : reallocarray(s->latest, nr, sizeof(*latest));
	if (!latest)
		return false;
	memset(latest + s->nr_rows, 0, (nr - s->nr_rows) * sizeof(*latest));
	s->latest = latest;
	s->nr_rows = nr;
	return true;
}

static bool reserve_entry(struct stat_steps *s)
{
	uint32_t cap = s->cap ? 2 * s->cap : 256;
	struct stat_step *v;

	if (s->nr >= STAT_STEPS_MAX)
		return false;
	if (s->nr < s->cap)
		return true;
	v = reallocarray(s->v, cap, sizeof(*v));
	if (!v)
		return false;
	s->v = v;
	s->cap = cap;
	return true;
}

void stat_steps_add(struct stat_steps *s, const struct stat_step *figures)
{
	uint32_t *at;

	if (s->is_lost)
		return;
	if (!reserve_rows(s, figures->row) || !reserve_entry(s)) {
		lose(s);
		return;
	}
	/* nearly always the last one in time */
	at = &s->latest[figures->row];
	while (*at && s->v[*at - 1].step > figures->step)
		at = &s->v[*at - 1].previous;
	if (*at && s->v[*at - 1].step == figures->step) {
		struct stat_step *entry = &s->v[*at - 1];

		entry->hits += figures->hits;
		entry->bytes_req += figures->bytes_req;
		entry->bytes_alloc += figures->bytes_alloc;
		return;
	}
	s->v[s->nr] = *figures;
	s->v[s->nr].previous = *at;
	*at = ++s->nr;
}

size_t stat_steps_nr(const struct stat_steps *s, uint32_t row)
{
	size_t nr = 0;

	if (row < s->nr_rows)
		for (uint32_t at = s->latest[row]; at; at = s->v[at - 1].previous)
			nr++;
	return nr;
}

static void put(uint64_t *numbers, const struct stat_step *entry)
{
	numbers[0] = entry->step;
	numbers[1] = entry->hits;
	numbers[2] = entry->bytes_req;
	numbers[3] = entry->bytes_alloc;
}

void stat_steps_get(const struct stat_steps *s, uint32_t row, uint64_t *ret_numbers)
{
	size_t nr = stat_steps_nr(s, row);

	for (uint32_t at = nr ? s->latest[row] : 0; at; at = s->v[at - 1].previous)
		put(ret_numbers + --nr * STAT_STEP_NUMBERS, &s->v[at - 1]);
}

uint64_t *stat_steps_sums(const struct stat_steps *s, size_t *ret_nr)
{
	struct stat_steps *sums = stat_steps_new_like(s);
	uint64_t *numbers = NULL;

	for (uint32_t i = 0; sums && i < s->nr; i++) {
		struct stat_step figures = s->v[i];

		figures.row = 0;
		stat_steps_add(sums, &figures);
	}
	if (sums && !sums->is_lost) {
		*ret_nr = stat_steps_nr(sums, 0) * STAT_STEP_NUMBERS;
		numbers = calloc(*ret_nr + 1, sizeof(*numbers));
	}
	if (numbers)
		stat_steps_get(sums, 0, numbers);
	stat_steps_free(sums);
	return numbers;
}
