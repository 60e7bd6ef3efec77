// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/large_memory.h"

/* An entry and its spare take 32 bytes. All together may take an eighth of the memory, at most 2
 * GiB. */
#define MAX_ENTRIES (64u << 20)
#define MIN_ENTRIES 4096

#define SHED_SAMPLE 1024

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
	*o = (struct order){
		.sink = sink, .ctx = ctx, .max = max ? max : default_max(), .last_ns = UINT64_MAX};
}

static void free_spare(struct order *o)
{
	large_memory_free(o->spare, o->spare_cap * sizeof(*o->spare));
	o->spare = NULL;
	o->spare_cap = 0;
}

void order_deinit(struct order *o)
{
	large_memory_free(o->v, o->cap * sizeof(*o->v));
	free_spare(o);
	free(o->runs);
	free(o->ends);
	o->v = NULL;
	o->runs = NULL;
	o->ends = NULL;
	o->nr = o->cap = o->nr_runs = o->cap_runs = 0;
}

static int grow(struct order *o)
{
	size_t cap = o->cap ? o->cap + o->cap / 2 : MIN_ENTRIES;
	struct order_entry *v;

	if (cap > o->max)
		cap = o->max;
	v = cap > o->cap ? large_memory_grow(o->v, o->cap * sizeof(*v), cap * sizeof(*v)) : NULL;
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

/* Merge two runs into `to`; at equal times the first run's entry comes first. Returns the end of
 * the output. */
static struct order_entry *merge(const struct order_entry *a, size_t nr_a,
				 const struct order_entry *b, size_t nr_b, struct order_entry *to)
{
	const struct order_entry *end_a = a + nr_a, *end_b = b + nr_b;

	/* the processor cannot predict which run is next, so do not branch on it */
	while (a < end_a && b < end_b) {
		bool second = b->time_ns < a->time_ns;

		*to++ = *(second ? b : a);
		b += second;
		a += !second;
	}
	nr_a = (size_t)(end_a - a);
	nr_b = (size_t)(end_b - b);
	if (nr_a)
		memcpy(to, a, nr_a * sizeof(*to));
	to += nr_a;
	if (nr_b)
		memcpy(to, b, nr_b * sizeof(*to));
	return to + nr_b;
}

static int by_time_and_place(const void *a, const void *b)
{
	const struct order_entry *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return order_entry_pos(x) < order_entry_pos(y) ? -1
						       : order_entry_pos(x) > order_entry_pos(y);
}

/* Turn all entries into one run, without allocating memory. */
static void sort(struct order *o)
{
	qsort(o->v, o->nr, sizeof(*o->v), by_time_and_place);
	o->nr_runs = 1;
}

int order_start_run(struct order *o)
{
	if (o->nr_runs == o->cap_runs) {
		size_t cap = o->cap_runs ? o->cap_runs * 2 : 64;
		struct order_run *runs = reallocarray(o->runs, cap, sizeof(*runs));
		size_t *ends;

		if (runs)
			o->runs = runs;
		ends = runs ? reallocarray(o->ends, cap, sizeof(*ends)) : NULL;
		if (!ends)
			return -ENOMEM;
		o->ends = ends;
		o->cap_runs = cap;
	}
	o->runs[o->nr_runs++].start = o->nr;
	return 0;
}

static size_t run_end(const struct order *o, size_t run)
{
	return run + 1 < o->nr_runs ? o->runs[run + 1].start : o->nr;
}

/* Split each run into a head, up to and including limit_ns, and a rest. Returns the number of
 * entries in the heads. */
static size_t cut_heads(struct order *o, uint64_t limit_ns)
{
	size_t nr = 0;

	for (size_t run = 0; run < o->nr_runs; run++) {
		size_t low = o->runs[run].start, high = run_end(o, run);

		while (low < high) {
			size_t mid = low + (high - low) / 2;

			if (o->v[mid].time_ns <= limit_ns)
				low = mid + 1;
			else
				high = mid;
		}
		o->runs[run].cut = low;
		nr += low - o->runs[run].start;
	}
	return nr;
}

/* Merge the heads of each pair of neighbouring runs into spare. Returns the number of merged
 * runs. */
static size_t merge_heads(struct order *o)
{
	struct order_entry *to = o->spare;
	size_t nr_merged = 0;

	for (size_t run = 0; run < o->nr_runs; run += 2) {
		const struct order_run *a = &o->runs[run];
		const struct order_run *b = run + 1 < o->nr_runs ? a + 1 : NULL;
		const struct order_entry *head = &o->v[a->start];
		const struct order_entry *other = &o->v[b ? b->start : a->cut];

		to = merge(head, a->cut - a->start, other, b ? b->cut - b->start : 0, to);
		o->ends[nr_merged++] = (size_t)(to - o->spare);
	}
	return nr_merged;
}

/* Move the rests of the runs together, to the front. */
static void keep_rests(struct order *o)
{
	size_t nr_runs = 0, nr = 0;

	for (size_t run = 0; run < o->nr_runs; run++) {
		size_t end = run_end(o, run), rest = end - o->runs[run].cut;

		if (!rest)
			continue;
		memmove(&o->v[nr], &o->v[o->runs[run].cut], rest * sizeof(*o->v));
		/* safe to overwrite: this start was read, and the run's end is the next start */
		o->runs[nr_runs++].start = nr;
		nr += rest;
	}
	o->nr_runs = nr_runs;
	o->nr = nr;
	o->last_ns = UINT64_MAX;
}

/* Merge the runs in spare until one is left, moving them between spare and the free end of v. */
static const struct order_entry *merge_all(struct order *o, size_t nr_runs)
{
	struct order_entry *from = o->spare, *to = &o->v[o->nr];

	while (nr_runs > 1) {
		struct order_entry *out = to, *swap = from;
		size_t start = 0, nr_merged = 0;

		for (size_t run = 0; run < nr_runs; run += 2) {
			size_t mid = o->ends[run];
			size_t end = run + 1 < nr_runs ? o->ends[run + 1] : mid;

			out = merge(&from[start], mid - start, &from[mid], end - mid, out);
			o->ends[nr_merged++] = end;
			start = end;
		}
		nr_runs = nr_merged;
		from = to;
		to = swap;
	}
	return from;
}

#define DIGIT_BITS 11
#define DIGITS	   (1u << DIGIT_BITS)

static unsigned int bits_of(uint64_t v)
{
	return v ? 64 - (unsigned int)__builtin_clzll(v) : 0;
}

/* Compute the range of the heads' times, both ends included. */
static void span_of_heads(const struct order *o, uint64_t *ret_min, uint64_t *ret_max)
{
	*ret_min = UINT64_MAX;
	*ret_max = 0;
	for (size_t run = 0; run < o->nr_runs; run++) {
		const struct order_run *r = &o->runs[run];

		if (r->cut == r->start)
			continue;
		if (o->v[r->start].time_ns < *ret_min)
			*ret_min = o->v[r->start].time_ns;
		if (o->v[r->cut - 1].time_ns > *ret_max)
			*ret_max = o->v[r->cut - 1].time_ns;
	}
}

/* A pass over a digit moves more data than a merge pass, but does not wait for comparisons. */
static bool is_by_digits_cheaper(const struct order *o, size_t nr, uint64_t span_ns)
{
	unsigned int passes = (bits_of(span_ns) + DIGIT_BITS - 1) / DIGIT_BITS;

	return nr > 8 * DIGITS && bits_of(o->nr_runs - 1) >= 2 * passes;
}

/*
 * Compressed recordings have many short runs. Sort the heads by the digits of their times, lowest
 * digit first; entries with equal times keep their order.
 */
static const struct order_entry *sort_heads_by_digits(struct order *o, size_t nr, uint64_t min_ns,
						      uint64_t max_ns)
{
	struct order_entry *from = o->spare, *to = o->spare;

	for (size_t run = 0; run < o->nr_runs; run++) {
		size_t start = o->runs[run].start, len = o->runs[run].cut - start;

		memcpy(to, &o->v[start], len * sizeof(*to));
		to += len;
	}
	keep_rests(o);
	to = &o->v[o->nr];
	for (unsigned int shift = 0; shift < 64 && (max_ns - min_ns) >> shift;
	     shift += DIGIT_BITS) {
		size_t place[DIGITS] = {0}, before = 0;
		struct order_entry *swap = from;

		for (size_t i = 0; i < nr; i++)
			place[(from[i].time_ns - min_ns) >> shift & (DIGITS - 1)]++;
		for (size_t digit = 0; digit < DIGITS; digit++) {
			size_t here = place[digit];

			place[digit] = before;
			before += here;
		}
		for (size_t i = 0; i < nr; i++)
			to[place[(from[i].time_ns - min_ns) >> shift & (DIGITS - 1)]++] = from[i];
		from = to;
		to = swap;
	}
	return from;
}

static const struct order_entry *sort_heads(struct order *o, size_t nr)
{
	uint64_t min_ns, max_ns;
	size_t nr_runs;

	span_of_heads(o, &min_ns, &max_ns);
	if (is_by_digits_cheaper(o, nr, max_ns - min_ns))
		return sort_heads_by_digits(o, nr, min_ns, max_ns);
	nr_runs = merge_heads(o);
	keep_rests(o);
	return merge_all(o, nr_runs);
}

static bool make_spare(struct order *o, size_t nr)
{
	if (o->spare_cap >= nr)
		return true;
	free_spare(o);
	nr += nr / 4;
	o->spare = large_memory_grow(NULL, 0, nr * sizeof(*o->spare));
	if (o->spare)
		o->spare_cap = nr;
	return o->spare;
}

static int hand_out(struct order *o, uint64_t limit_ns)
{
	size_t nr = cut_heads(o, limit_ns);
	const struct order_entry *entries = o->v;
	bool merging = make_spare(o, nr);
	int ret;

	if (!nr)
		return 0;
	if (merging) {
		entries = sort_heads(o, nr);
	} else {
		/* no memory to merge into: sort in place, and hand out from that run */
		sort(o);
		cut_heads(o, limit_ns);
	}
	if (entries[nr - 1].time_ns > o->handed_ns)
		o->handed_ns = entries[nr - 1].time_ns;
	ret = o->sink(o->ctx, entries, nr);
	if (!merging)
		keep_rests(o);
	return ret < 0 ? ret : 0;
}

int order_round(struct order *o)
{
	int ret = hand_out(o, o->flush_ns);

	o->flush_ns = o->newest_ns;
	return ret;
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A time that about half of the entries precede, estimated from a sample of them. */
static uint64_t middle_ns(const struct order *o)
{
	uint64_t times[SHED_SAMPLE] = {0};
	size_t nr = o->nr < SHED_SAMPLE ? o->nr : SHED_SAMPLE;

	for (size_t i = 0; i < nr; i++)
		times[i] = o->v[i * (o->nr / nr)].time_ns;
	qsort(times, nr, sizeof(times[0]), by_time);
	return times[nr / 2];
}

int order_shed(struct order *o)
{
	if (!o->nr)
		return 0;
	o->nr_shed++;
	return hand_out(o, middle_ns(o));
}

int order_flush(struct order *o)
{
	return hand_out(o, UINT64_MAX);
}

void order_min_pos(const struct order *o, uint64_t border, uint64_t *min_below, uint64_t *min_from)
{
	uint64_t below = *min_below, from = *min_from;

	for (size_t i = 0; i < o->nr; i++) {
		uint64_t pos = order_entry_pos(&o->v[i]);

		if (pos < border)
			below = pos < below ? pos : below;
		else
			from = pos < from ? pos : from;
	}
	*min_below = below;
	*min_from = from;
}
