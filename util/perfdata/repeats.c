// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/repeats.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Shorter repeats are not worth an entry in the list. */
#define MIN_SAME 6

/* zstd's format allows only one length above 65535 per block. */
#define MAX_SAME 65535

/* A repeat that still grows: from `start` to the end of the block. */
struct run {
	uint32_t start;
	uint32_t distance;
};

/* Place of the last record with a certain size. */
struct last {
	uint16_t size; /* 0: none */
	uint32_t at;
};

int repeats_init(struct repeats *r)
{
	*r = (struct repeats){
		.bytes = calloc(1, REPEATS_BLOCK + REPEATS_SLACK),
		.v = malloc((REPEATS_BLOCK / MIN_SAME + 1) * sizeof(*r->v)),
	};
	if (r->bytes && r->v)
		return 0;
	repeats_deinit(r);
	return -ENOMEM;
}

void repeats_deinit(struct repeats *r)
{
	free(r->bytes);
	free(r->v);
	*r = (struct repeats){0};
}

/* End the run before `at`; the caller starts the next one. */
static inline void end_run(struct repeats *r, const struct run *run, uint32_t at)
{
	if (at - run->start < MIN_SAME)
		return;
	r->v[r->nr++] = (struct repeat){run->distance, run->start - r->end, at - run->start, 0};
	r->end = at;
}

/* Find the bytes that differ between two words, in memory order: [*ret_from, *ret_to). */
static inline void differing(uint64_t diff, uint32_t *ret_from, uint32_t *ret_to)
{
	uint32_t zeros_low = (uint32_t)__builtin_ctzll(diff) / 8;
	uint32_t zeros_high = (uint32_t)__builtin_clzll(diff) / 8;
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	*ret_from = little ? zeros_low : zeros_high;
	*ret_to = 8 - (little ? zeros_high : zeros_low);
}

/* Copy a record to the end of the block, comparing it with an earlier one in the block. */
static inline void copy_and_compare(struct repeats *r, struct run *run, const uint8_t *record,
				    uint32_t size, uint32_t distance)
{
	uint8_t *to = r->bytes + r->len;

	if (run->distance != distance || r->len - run->start + size > MAX_SAME) {
		end_run(r, run, r->len);
		*run = (struct run){r->len, distance};
	}
	for (uint32_t i = 0; i < size; i += 8) {
		uint64_t now, before;
		uint32_t a, b;

		memcpy(&now, record + i, sizeof(now));
		memcpy(&before, to + i - distance, sizeof(before));
		memcpy(to + i, &now, sizeof(now));
		if (now == before)
			continue;
		differing(now ^ before, &a, &b);
		end_run(r, run, r->len + i + a);
		run->start = r->len + i + b;
	}
}

/* ---- a sample that is like the previous one ---- */

/* Set its own 8 bytes (or first 4 of them) at this place of the block, which has those of the other
 * record. */
static inline void set_own(struct repeats *r, struct run *run, uint32_t at, const void *own,
			   size_t len)
{
	uint64_t now = 0, before = 0;
	uint32_t a, b;

	memcpy(&now, own, len);
	memcpy(&before, r->bytes + at, len);
	if (now == before)
		return;
	memcpy(r->bytes + at, own, len);
	differing(now ^ before, &a, &b);
	end_run(r, run, at + a);
	run->start = at + b;
}

/* Append a record that is like the last one of the block. */
static inline void repeat_last(struct repeats *r, struct run *run, const struct record_like *like,
			       uint32_t size)
{
	uint8_t *to = r->bytes + r->len, words[REPEATS_SLACK];

	if (run->distance != size || r->len - run->start + size > MAX_SAME) {
		end_run(r, run, r->len);
		*run = (struct run){r->len, size};
	}
	for (uint32_t i = 0; i < size; i += sizeof(words)) {
		memcpy(words, to - size + i, sizeof(words));
		memcpy(to + i, words, sizeof(words));
	}
	set_own(r, run, r->len + RECORD_LIKE_TASK_AT, &like->pid, 2 * sizeof(uint32_t));
	set_own(r, run, r->len + RECORD_LIKE_TIME_AT, &like->time, sizeof(like->time));
	set_own(r, run, r->len + like->tid_at, &like->tid, sizeof(like->tid));
	set_own(r, run, r->len + like->object_at, &like->object, sizeof(like->object));
}

/* Append it as a complete record. */
static const uint8_t *make_own(struct repeats *r, const struct record_like *like,
			       const uint8_t *record, uint32_t size)
{
	uint8_t *to = r->bytes + r->len;

	memcpy(to, record, size);
	memcpy(to + RECORD_LIKE_TASK_AT, &like->pid, 2 * sizeof(uint32_t));
	memcpy(to + RECORD_LIKE_TIME_AT, &like->time, sizeof(like->time));
	memcpy(to + like->tid_at, &like->tid, sizeof(like->tid));
	memcpy(to + like->object_at, &like->object, sizeof(like->object));
	return to;
}

/* ---- a block ---- */

size_t repeats_fill(struct repeats *r, const struct record_order *records, size_t from)
{
	struct last last[REPEATS_SIZES] = {0};
	const uint8_t *last_like =
		NULL; /* the last record of the block, or the one that it is like */
	struct run run = {0};
	size_t i = from;

	r->len = r->nr = r->end = 0;
	for (; i < records->nr; i++) {
		uint16_t size;
		const struct record_like *like = record_order_like(records, i);
		const uint8_t *record = record_order_get(records, i, &size);
		struct last *l = &last[size / 8 % REPEATS_SIZES];
		bool repeats_last = like && record == last_like;

		if (r->len + size > REPEATS_BLOCK)
			break;
		last_like = record;
		if (like && !repeats_last)
			record = make_own(r, like, record, size);
		if (repeats_last) {
			repeat_last(r, &run, like, size);
		} else if (l->size == size && size % 8 == 0) {
			copy_and_compare(r, &run, record, size, r->len - l->at);
		} else {
			end_run(r, &run, r->len);
			memmove(r->bytes + r->len, record, size);
			run.start = r->len + size;
		}
		*l = (struct last){size, r->len};
		r->len += size;
	}
	end_run(r, &run, r->len);
	return i - from;
}
