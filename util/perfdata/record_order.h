/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct record_order: records in memory, and the order in which they are to be written.
 *
 * The i-th of nr records begins at bytes + at[i]; its size is in its header.  Or it is like another
 * one (RECORD_LIKE is set in at[i], the rest is an index into likes), and only what no two samples
 * have in common is its own.  Nothing is owned.
 */
#ifndef PERFDATA_RECORD_ORDER_H
#define PERFDATA_RECORD_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/perf_event.h>

#define RECORD_LIKE 0x80000000U

/* A sample that is as the one at bytes + at, but for these. In this order in it, not overlapping.
 */
struct record_like {
	uint32_t at;
	uint16_t tid_at;    /* where it has its tid again: 4 bytes */
	uint16_t object_at; /* and 8 bytes */
	uint32_t pid, tid;
	uint64_t time;
	uint64_t object;
};

/* Where a sample has these; both tids are behind it. */
#define RECORD_LIKE_TASK_AT 24 /* u32 pid, tid */
#define RECORD_LIKE_TIME_AT 32

struct record_order {
	const uint8_t *bytes;
	const uint32_t *at;
	size_t nr;
	const struct record_like *likes;
};

/* What the i-th record is like, and its own; NULL: it is all its own. */
static inline const struct record_like *record_order_like(const struct record_order *o, size_t i)
{
	return o->at[i] & RECORD_LIKE ? &o->likes[o->at[i] & ~RECORD_LIKE] : NULL;
}

/* The i-th record, or the one that it is like. */
static inline const uint8_t *record_order_get(const struct record_order *o, size_t i,
					      uint16_t *ret_size)
{
	const struct record_like *like = record_order_like(o, i);
	const uint8_t *record = o->bytes + (like ? like->at : o->at[i]);

	memcpy(ret_size, record + offsetof(struct perf_event_header, size), sizeof(*ret_size));
	return record;
}

#endif
