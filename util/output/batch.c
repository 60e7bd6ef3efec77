// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/output/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/output/synthesize.h"

#define RECORD_MAX 65536 /* its size is u16 */

#define BYTES_MAX (BATCH_BYTES + BATCH_ROOM)
#define NR_MAX	  (BYTES_MAX / sizeof(struct perf_event_header))
#define LIKES_MAX (BYTES_MAX / sizeof(struct sample_head))

_Static_assert(offsetof(struct sample_head, pid) == RECORD_LIKE_TASK_AT &&
		       offsetof(struct sample_head, tid) == RECORD_LIKE_TASK_AT + 4 &&
		       offsetof(struct sample_head, time) == RECORD_LIKE_TIME_AT,
	       "where a sample has what differs");

int batch_init(struct batch *b, struct sample_scan *scan, bool grouped, struct error *err)
{
	/* a batch takes at least a nanosecond */
	*b = (struct batch){.scan = scan,
			    .number = clock_ns(CLOCK_MONOTONIC),
			    .grouped = grouped,
			    .nr_groups = 1};
	/* untouched memory costs nothing */
	b->records = malloc(BYTES_MAX + BATCH_SLACK);
	b->across = malloc(RECORD_MAX);
	if (grouped) {
		b->entries = malloc(NR_MAX * sizeof(*b->entries));
		b->sorted = malloc(NR_MAX * sizeof(*b->sorted));
		b->likes = malloc(LIKES_MAX * sizeof(*b->likes));
		b->groups = calloc(BATCH_GROUPS, sizeof(*b->groups));
	}
	if (b->records && b->across &&
	    (!grouped || (b->entries && b->sorted && b->likes && b->groups)))
		return 0;
	batch_deinit(b);
	return error_nomem(err);
}

void batch_deinit(struct batch *b)
{
	free(b->records);
	free(b->entries);
	free(b->sorted);
	free(b->likes);
	free(b->groups);
	free(b->across);
	*b = (struct batch){0};
}

/* One or two pieces, treated as one. */
struct span {
	const uint8_t *first;
	uint64_t first_len;
	const uint8_t *second;
	uint64_t len;
};

static struct span make_span(const struct iovec *pieces, int nr)
{
	struct span s = {0};

	if (nr) {
		s.first = pieces[0].iov_base;
		s.len = s.first_len = pieces[0].iov_len;
		s.second = s.first + s.first_len; /* it may be empty */
	}
	if (nr > 1) {
		s.second = pieces[1].iov_base;
		s.len += pieces[1].iov_len;
	}
	return s;
}

/* The record at this position. NULL if it is not whole. Headers (8 bytes, aligned) never wrap. */
static const uint8_t *record_at(struct batch *b, const struct span *s, uint64_t at,
				uint16_t *ret_size)
{
	const uint8_t *p = at < s->first_len ? s->first + at : s->second + (at - s->first_len);
	struct perf_event_header h;

	if (s->len - at < sizeof(h))
		return NULL;
	memcpy(&h, p, sizeof(h));
	if (h.size < sizeof(h) || h.size > s->len - at)
		return NULL;
	*ret_size = h.size;
	if (at < s->first_len && at + h.size > s->first_len) {
		size_t part = s->first_len - at;

		memcpy(b->across, p, part);
		memcpy(b->across + part, s->second, h.size - part);
		return b->across;
	}
	return p;
}

/* The position of the time in a record. NULL if the record has none. */
static uint8_t *time_of(uint8_t *record, uint16_t size, uint32_t group)
{
	struct perf_event_header h;

	if (group != BATCH_OTHER)
		return record + offsetof(struct sample_head, time);
	memcpy(&h, record, sizeof(h));
	if (h.type == PERF_RECORD_SAMPLE || size < sizeof(h) + sizeof(struct sample_id))
		return NULL;
	return record + size - sizeof(struct sample_id) + offsetof(struct sample_id, time);
}

/* Sizes of the parts before a name, and of a whole record, without their sample_id. */
#define KSYMBOL_NAME  24
#define BPF_EVENT_END 24

/*
 * The size of a record without old bytes at its end. The kernel adds the size of the sample_id to
 * that of KSYMBOL and BPF_EVENT once for each event that hears of them, so if several do, it sends
 * what was in the buffer, too (perf_event_ksymbol_output() in kernel/events/core.c, seen on 6.18).
 */
static uint16_t size_of_content(const uint8_t *record, uint16_t size)
{
	struct perf_event_header h;
	size_t end;

	memcpy(&h, record, sizeof(h));
	if (h.type == PERF_RECORD_KSYMBOL && size > KSYMBOL_NAME)
		end = KSYMBOL_NAME +
		      (strnlen((const char *)record + KSYMBOL_NAME, size - KSYMBOL_NAME) + 8) / 8 *
			      8;
	else if (h.type == PERF_RECORD_BPF_EVENT)
		end = BPF_EVENT_END;
	else
		return size;
	end += sizeof(struct sample_id);
	return end < size ? (uint16_t)end : size;
}

static int add(struct batch *b, const uint8_t *record, uint16_t ring_size)
{
	const uint16_t size = size_of_content(record, ring_size);
	uint32_t group = BATCH_OTHER;
	struct sample_key key;
	uint8_t *copy, *time;
	uint64_t ns;

	if (sample_scan_record(b->scan, record, size, &key))
		return -ENOMEM;
	if (b->grouped && key.evsel != SAMPLE_SCAN_OTHER)
		group = batch_group(b, batch_likeness(key.evsel, key.from));
	copy = batch_reserve(b, group, size);
	memcpy(copy, record, size);
	memcpy(copy + offsetof(struct perf_event_header, size), &size, sizeof(size));
	time = time_of(copy, size, group);
	if (time) {
		memcpy(&ns, time, sizeof(ns));
		ns = batch_time(b, group, ns);
		memcpy(time, &ns, sizeof(ns));
	}
	return 0;
}

/* ---- groups ---- */

static void forget_groups(struct batch *b)
{
	b->nr_groups = 1;
	memset(b->slots, 0, sizeof(b->slots));
}

uint32_t batch_new_group(struct batch *b, uint64_t likeness)
{
	const size_t nr_slots = sizeof(b->slots) / sizeof(b->slots[0]);
	size_t slot = batch_slot(likeness);

	for (; b->slots[slot]; slot = (slot + 1) % nr_slots)
		if (b->groups[b->slots[slot]].likeness == likeness)
			return b->slots[slot];
	/* too many: share groups until the next batch begins */
	if (b->nr_groups == BATCH_GROUPS)
		return 1 + (uint32_t)(likeness % (BATCH_GROUPS - 1));
	b->slots[slot] = (uint16_t)b->nr_groups;
	b->groups[b->nr_groups] = (struct batch_group){.likeness = likeness};
	return b->nr_groups++;
}

void batch_begin(struct batch *b, struct batch_stream *stream)
{
	for (uint32_t i = 0; i < b->nr_groups && b->grouped; i++)
		b->groups[i].nr = 0;
	if (b->nr_groups == BATCH_GROUPS)
		forget_groups(b);
	b->number++;
	b->stream = stream;
	b->last_group = BATCH_OTHER;
	b->bytes = b->like_bytes = 0;
	b->nr = b->nr_likes = 0;
}

static struct record_order sorted_order(const struct batch *b)
{
	return (struct record_order){b->records, b->sorted, b->nr, b->likes};
}

struct record_order batch_sort(struct batch *b)
{
	uint32_t start = 0;

	for (uint32_t i = 0; i < b->nr_groups; i++) {
		uint32_t nr = b->groups[i].nr;

		b->groups[i].nr = start;
		start += nr;
	}
	for (uint32_t i = 0; i < b->nr; i++)
		b->sorted[b->groups[b->entries[i].group].nr++] = b->entries[i].at;
	return sorted_order(b);
}

/* ---- from a ring ---- */

int batch_fill(struct batch *b, struct batch_stream *stream, const struct iovec *pieces, int nr,
	       uint64_t *at)
{
	const struct span s = make_span(pieces, nr);

	batch_begin(b, stream);
	while (*at < s.len && !batch_full(b)) {
		uint16_t size;
		const uint8_t *record = record_at(b, &s, *at, &size);

		if (!record) {
			/* The kernel never writes this; avoid an endless loop. */
			*at = s.len;
			break;
		}
		if (add(b, record, size))
			return -ENOMEM;
		*at += size;
	}
	return 0;
}

static void forget_sample(struct sample_scan *scan, const uint8_t *record, size_t size)
{
	size_t evsel = sample_scan_evsel(scan, record, size);

	if (evsel != SAMPLE_SCAN_OTHER)
		sample_scan_forget(scan, evsel, 1);
}

void batch_unwritten(struct batch *b, uint64_t bytes_written)
{
	const struct record_order sorted = sorted_order(b);
	uint64_t bytes = 0;
	uint16_t size;

	for (size_t i = 0; bytes < b->bytes + b->like_bytes; i++, bytes += size) {
		const struct record_order next = {b->records, (uint32_t[]){(uint32_t)bytes}, 1,
						  NULL};
		const uint8_t *record = b->grouped ? record_order_get(&sorted, i, &size)
						   : record_order_get(&next, 0, &size);

		if (bytes >= bytes_written)
			forget_sample(b->scan, record, size);
	}
}
