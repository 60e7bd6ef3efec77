// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An entry and its spare are 32 bytes; together they may take an eighth of the memory, or 2 GiB. */
#define MAX_ENTRIES (64u << 20)
#define MIN_ENTRIES 4096

static size_t default_max(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
	uint64_t max = MAX_ENTRIES;

	if (pages > 0 && page_size > 0)
		max = (uint64_t)pages * (uint64_t)page_size / 8 / (2 * sizeof(struct order_entry));
	if (max < MIN_ENTRIES)
		max = MIN_ENTRIES;
	return max < MAX_ENTRIES ? max : MAX_ENTRIES;
}

void order_init(struct order *o, size_t max, order_sink_fn sink, void *ctx)
{
	*o = (struct order){.sink = sink, .ctx = ctx, .max = max ? max : default_max()};
}

void order_deinit(struct order *o)
{
	free(o->v);
	free(o->spare);
	o->v = o->spare = NULL;
	o->nr = o->cap = o->spare_cap = 0;
}

static int grow(struct order *o)
{
	size_t cap = o->cap ? o->cap + o->cap / 2 : MIN_ENTRIES;
	struct order_entry *v;

	if (cap > o->max)
		cap = o->max;
	v = cap > o->cap ? reallocarray(o->v, cap, sizeof(*v)) : NULL;
	if (!v)
		return -ENOMEM;
	o->v = v;
	o->cap = cap;
	return 0;
}

int order_make_room(struct order *o)
{
	if (!grow(o))
		return 0;
	return o->nr ? order_shed(o) : -ENOMEM;
}

/* Merge the runs [a, b) and [b, c) of `from` into `to`; equal times: the first run first. */
static void merge(const struct order_entry *from, size_t a, size_t b, size_t c,
		  struct order_entry *to)
{
	size_t i = a, j = b, out = a;

	/* which run is next is a coin's toss to the processor: no branch on it */
	while (i < b && j < c) {
		bool second = from[j].time_ns < from[i].time_ns;

		to[out++] = from[second ? j : i];
		j += second;
		i += !second;
	}
	memcpy(&to[out], &from[i], (b - i) * sizeof(*to));
	out += b - i;
	memcpy(&to[out], &from[j], (c - j) * sizeof(*to));
}

static size_t run_end(const struct order_entry *v, size_t i, size_t nr)
{
	for (i++; i < nr && v[i - 1].time_ns <= v[i].time_ns; i++)
		;
	return i;
}

/* One pass over all: merge each pair of neighbouring runs. Returns the runs that are left. */
static size_t merge_pass(const struct order_entry *from, size_t nr, struct order_entry *to)
{
	size_t runs = 0;

	for (size_t a = 0; a < nr; runs++) {
		size_t b = run_end(from, a, nr);
		size_t c = b < nr ? run_end(from, b, nr) : b;

		merge(from, a, b, c, to);
		a = c;
	}
	return runs;
}

static int by_time_and_place(const void *a, const void *b)
{
	const struct order_entry *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static void sort(struct order *o)
{
	if (run_end(o->v, 0, o->nr) >= o->nr)
		return;
	if (o->spare_cap < o->cap) {
		free(o->spare);
		o->spare_cap = 0;
		o->spare = reallocarray(NULL, o->cap, sizeof(*o->spare));
		if (!o->spare) {
			/* no room to merge in */
			qsort(o->v, o->nr, sizeof(*o->v), by_time_and_place);
			return;
		}
		o->spare_cap = o->cap;
	}
	for (size_t runs = 2; runs > 1;) {
		struct order_entry *v = o->v;
		size_t cap = o->cap;

		runs = merge_pass(o->v, o->nr, o->spare);
		o->v = o->spare;
		o->cap = o->spare_cap;
		o->spare = v;
		o->spare_cap = cap;
	}
}

static int hand_out(struct order *o, uint64_t limit_ns)
{
	size_t low = 0, high;
	int ret;

	sort(o);
	for (high = o->nr; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (o->v[mid].time_ns <= limit_ns)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return 0;
	if (o->v[low - 1].time_ns > o->handed_ns)
		o->handed_ns = o->v[low - 1].time_ns;
	ret = o->sink(o->ctx, o->v, low);
	o->nr -= low;
	memmove(o->v, o->v + low, o->nr * sizeof(*o->v));
	return ret < 0 ? ret : 0;
}

int order_round(struct order *o)
{
	int ret = hand_out(o, o->flush_ns);

	o->flush_ns = o->newest_ns;
	return ret;
}

int order_shed(struct order *o)
{
	if (!o->nr)
		return 0;
	o->nr_shed++;
	sort(o);
	return hand_out(o, o->v[o->nr / 2].time_ns);
}

int order_flush(struct order *o)
{
	return hand_out(o, UINT64_MAX);
}

uint64_t order_min_pos(const struct order *o, uint64_t from, uint64_t to)
{
	uint64_t min = to;

	for (size_t i = 0; i < o->nr; i++)
		if (o->v[i].pos >= from && o->v[i].pos < min)
			min = o->v[i].pos;
	return min;
}
