// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The initial width if the span is unknown. */
#define WIDTH_NS 1024

void history_init(struct history *h, uint64_t start_ns, uint64_t stop_ns)
{
	*h = (struct history){.start_ns = start_ns};
	if (stop_ns > start_ns)
		h->width_ns = (stop_ns - start_ns) / HISTORY_BUCKETS + 1;
}

void history_deinit(struct history *h)
{
	free(h->rows);
	free(h->now);
	free(h->changed);
	*h = (struct history){0};
}

/* Grow to cap elements, the new ones 0. NULL if out of memory; the array is unchanged then. */
static void *grow(void *v, uint32_t nr, uint32_t cap, size_t size)
{
	char *grown = reallocarray(v, cap, size);

	if (grown)
		memset(grown + nr * size, 0, (cap - nr) * size);
	return grown;
}

int history_reserve(struct history *h, uint32_t nr)
{
	uint32_t cap = h->nr;
	void *rows, *now, *changed;

	if (nr <= h->nr)
		return 0;
	while (cap < nr)
		cap = cap < 64 ? 64 : cap > UINT32_MAX / 2 ? UINT32_MAX : cap * 2;
	rows = grow(h->rows, h->nr, cap, sizeof(*h->rows));
	h->rows = rows ? rows : h->rows;
	now = grow(h->now, h->nr, cap, sizeof(*h->now));
	h->now = now ? now : h->now;
	changed = grow(h->changed, h->nr, cap, sizeof(*h->changed));
	h->changed = changed ? changed : h->changed;
	if (!rows || !now || !changed)
		return -ENOMEM;
	h->nr = cap;
	return 0;
}

static void change(struct history_row *row, uint32_t bucket, struct history_change by)
{
	row->bytes[bucket] += by.bytes;
	row->allocs[bucket] += by.allocs;
}

/* End the current bucket: add its changes to the rows. */
static void end_current(struct history *h)
{
	for (uint32_t i = 0; i < h->nr_changed; i++) {
		uint32_t row = h->changed[i];

		change(&h->rows[row], h->current, h->now[row]);
		h->now[row] = (struct history_change){0};
	}
	h->nr_changed = 0;
}

/* Merge buckets in pairs. */
static void widen(struct history *h)
{
	const uint32_t half = HISTORY_BUCKETS / 2;

	h->width_ns *= 2;
	for (uint32_t i = 0; i < h->nr; i++) {
		struct history_row *r = &h->rows[i];

		for (uint32_t b = 0; b < half; b++) {
			r->bytes[b] = r->bytes[2 * b] + r->bytes[2 * b + 1];
			r->allocs[b] = r->allocs[2 * b] + r->allocs[2 * b + 1];
		}
		memset(&r->bytes[half], 0, half * sizeof(r->bytes[0]));
		memset(&r->allocs[half], 0, half * sizeof(r->allocs[0]));
	}
}

static uint64_t bucket_start(const struct history *h, uint32_t bucket)
{
	return h->start_ns + bucket * h->width_ns;
}

/* Make the bucket of this time the current one. The time is not before the start. */
static void seek(struct history *h, uint64_t time_ns)
{
	end_current(h);
	if (!h->width_ns) {
		if (!h->start_ns)
			h->start_ns = time_ns;
		h->width_ns = WIDTH_NS;
	}
	while ((time_ns - h->start_ns) / HISTORY_BUCKETS >= h->width_ns)
		widen(h);
	h->current = (uint32_t)((time_ns - h->start_ns) / h->width_ns);
	h->current_start_ns = bucket_start(h, h->current);
	h->current_end_ns = h->current_start_ns + h->width_ns;
}

void history_add_elsewhere(struct history *h, uint32_t row, uint64_t time_ns, uint64_t bytes,
			   uint32_t allocs)
{
	const struct history_change by = {bytes, allocs};
	uint32_t bucket = 0;

	if (time_ns >= h->current_end_ns && time_ns >= h->start_ns) {
		seek(h, time_ns);
		bucket = h->current;
	} else if (time_ns >= h->start_ns) {
		bucket = (uint32_t)((time_ns - h->start_ns) / h->width_ns);
	}
	change(&h->rows[row], bucket, by);
}

static void add_buckets(struct history_row *to, const struct history_row *from)
{
	for (unsigned int b = 0; b < HISTORY_BUCKETS; b++) {
		to->bytes[b] += from->bytes[b];
		to->allocs[b] += from->allocs[b];
	}
}

void history_init_like(struct history *h, const struct history *like)
{
	*h = *like;
	h->rows = NULL;
	h->now = NULL;
	h->changed = NULL;
	h->nr = h->nr_changed = 0;
}

int history_add_row_of(struct history *h, uint32_t to, const struct history *of, uint32_t from)
{
	if (history_reserve(h, to + 1))
		return -ENOMEM;
	if (from < of->nr)
		add_buckets(&h->rows[to], &of->rows[from]);
	return 0;
}

void history_add_row(struct history *h, uint32_t to, uint32_t from)
{
	add_buckets(&h->rows[to], &h->rows[from]);
	history_add_now(h, to, h->now[from].bytes, h->now[from].allocs);
}

void history_forget(struct history *h, uint32_t row)
{
	h->rows[row] = (struct history_row){.allocs = {0}};
	h->now[row].bytes = 0;
	h->now[row].allocs = 0;
}

void history_finish(struct history *h, uint64_t end_ns)
{
	uint32_t used;

	if (end_ns < h->start_ns)
		end_ns = h->start_ns;
	seek(h, end_ns);
	used = h->current + 1;
	for (unsigned int i = 0; i < HISTORY_MOMENTS; i++) {
		h->moment_bucket[i] = ((i + 1) * used + HISTORY_MOMENTS / 2) / HISTORY_MOMENTS;
		h->moments_ns[i] = bucket_start(h, h->moment_bucket[i]);
	}
	h->moments_ns[HISTORY_MOMENTS - 1] = end_ns;
}

unsigned int history_cohort(const struct history *h, uint64_t time_ns)
{
	unsigned int i = 0;

	while (i + 1 < HISTORY_MOMENTS && time_ns >= h->moments_ns[i])
		i++;
	return i;
}

void history_sum(const struct history *h, uint32_t row, uint64_t live[HISTORY_MOMENTS],
		 uint64_t allocs[HISTORY_MOMENTS])
{
	uint64_t bytes = 0;
	uint32_t bucket = 0;

	if (row >= h->nr)
		return;
	for (unsigned int i = 0; i < HISTORY_MOMENTS; i++) {
		uint32_t end = i + 1 < HISTORY_MOMENTS ? h->moment_bucket[i] : HISTORY_BUCKETS;

		for (; bucket < end; bucket++) {
			bytes += h->rows[row].bytes[bucket];
			allocs[i] += h->rows[row].allocs[bucket];
		}
		live[i] += bytes;
	}
}
