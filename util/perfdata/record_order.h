/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct record_order: records in memory, and the order in which to write them.
 *
 * The i-th of nr records starts at bytes + at[i]; its size is in its header. If RECORD_LIKE is set
 * in at[i], the rest is an index into likes: the record equals another one, except for the fields
 * that differ in any two samples. It owns none of its memory.
 */
#ifndef PERFDATA_RECORD_ORDER_H
#define PERFDATA_RECORD_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/perf_event.h>

#define RECORD_LIKE 0x80000000U

/* A sample that equals the one at bytes + at, except for these fields. They do not overlap, and
 * have this order in the sample. */
struct record_like {
	uint32_t at;
	uint16_t tid_at;    /* offset of a second copy of its tid, 4 bytes */
	uint16_t object_at; /* offset of 8 bytes: the object */
	uint32_t pid, tid;
	uint64_t time;
	uint64_t object;
};

/* Offsets of pid, tid and time in such a sample; the second tid comes after them. */
#define RECORD_LIKE_TASK_AT 24 /* u32 pid, tid */
#define RECORD_LIKE_TIME_AT 32

struct record_order {
	const uint8_t *bytes;
	const uint32_t *at;
	size_t nr;
	const struct record_like *likes;
};

/* Returns the fields of the i-th record that differ from another one, or NULL if it is complete. */
static inline const struct record_like *record_order_like(const struct record_order *o, size_t i)
{
	return o->at[i] & RECORD_LIKE ? &o->likes[o->at[i] & ~RECORD_LIKE] : NULL;
}

/* Returns the i-th record, or the record that it is like. */
static inline const uint8_t *record_order_get(const struct record_order *o, size_t i,
					      uint16_t *ret_size)
{
	const struct record_like *like = record_order_like(o, i);
	const uint8_t *record = o->bytes + (like ? like->at : o->at[i]);

	memcpy(ret_size, record + offsetof(struct perf_event_header, size), sizeof(*ret_size));
	return record;
}

#endif
