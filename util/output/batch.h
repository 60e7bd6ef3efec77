/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct batch: records on their way from a ring buffer to the file.
 *
 * Records are copied out of a ring's pieces (batch_fill(), which shows each to a sample_scan) or
 * made in place; a sample that is like another one keeps only the fields that differ.  For a
 * compressed file they are then put in order, similar ones next to each other, which compresses
 * well (repeats.h), and sample times are rounded down to BATCH_TIME_STEP_NS: the low bits of a
 * clock are noise that cannot be compressed, and an effect takes longer to reach another CPU.
 * Readers sort by time, equal times in file order.  A batch is of one CPU, whose events are closer
 * than a step, so batch_time() keeps their order: no time is before that of the preceding record,
 * and it is later if the file has the two in reverse order.  Memory: twice BATCH_BYTES, kept.
 */
#ifndef OUTPUT_BATCH_H
#define OUTPUT_BATCH_H

#include <sys/uio.h>

#include "util/output/sample_scan.h"
#include "util/perfdata/record_order.h"

#define BATCH_BYTES	   (1U << 20)
#define BATCH_TIME_STEP_NS 64

/* A batch that is not full has room for so much. */
#define BATCH_ROOM (4U << 16)

/* A record may be written in words: so many bytes behind it are free. */
#define BATCH_SLACK 64

#define BATCH_GROUPS 4096 /* how many are told apart */
#define BATCH_OTHER  0	  /* the group of what is not a sample */

/* A record of the batch, and what it resembles. */
struct batch_entry {
	uint32_t at; /* as in struct record_order */
	uint32_t group;
};

struct batch_group {
	uint64_t likeness;
	uint32_t nr; /* of its records in the batch */
};

/* The records of one CPU, from batch to batch. */
struct batch_stream {
	uint64_t last_ns; /* time of the last one, as it was written */
};

struct batch {
	struct sample_scan *scan;
	struct batch_stream *stream;
	uint64_t number; /* of no other batch, nor of this one when it began before */
	bool grouped;
	uint8_t *records; /* in the order in which they came */
	size_t bytes;
	/* if grouped: */
	uint32_t last_group;	   /* of the last record */
	struct record_like *likes; /* in addition to the records */
	uint32_t nr_likes;
	size_t like_bytes; /* of the samples that they stand for */
	struct batch_entry *entries;
	uint32_t nr;
	uint32_t *sorted; /* places of the records, group by group */
	struct batch_group *groups;
	uint32_t nr_groups;
	uint16_t slots[2 * BATCH_GROUPS]; /* by hash: a group; 0: none */
	uint8_t *across;		  /* a record that is split between two pieces */
};

int batch_init(struct batch *b, struct sample_scan *scan, bool grouped, struct error *err);
void batch_deinit(struct batch *b);

/*
 * Take records of the stream, from byte *at of the pieces on, until there are none left or the
 * batch is full; *at moves past them.  Returns 0 or -ENOMEM.
 */
int batch_fill(struct batch *b, struct batch_stream *stream, const struct iovec *pieces, int nr,
	       uint64_t *at);

/*
 * The same for records that are made, not copied: begin, reserve each record, until it is full.
 * The caller passes a record's time through batch_time(), and informs the scan itself.
 */
void batch_begin(struct batch *b, struct batch_stream *stream);

static inline bool batch_full(const struct batch *b)
{
	return b->bytes + b->like_bytes >= BATCH_BYTES;
}

/* The group of records with this likeness, a hash of what they have in common. */
uint32_t batch_new_group(struct batch *b, uint64_t likeness);

static inline size_t batch_slot(uint64_t likeness)
{
	return likeness * 0x9e3779b97f4a7c15ULL >> 51; /* one of 2 * BATCH_GROUPS */
}

static inline uint32_t batch_group(struct batch *b, uint64_t likeness)
{
	uint32_t group = b->slots[batch_slot(likeness)];

	return group && b->groups[group].likeness == likeness ? group
							      : batch_new_group(b, likeness);
}

/* Samples of the same event that come from the same place (struct sample_key) are alike. */
static inline uint64_t batch_likeness(size_t evsel, uint64_t from)
{
	return (from << 8 | from >> 56) ^ evsel;
}

/* The time to write for the next record of the stream, which is in this group. */
static inline uint64_t batch_time(struct batch *b, uint32_t group, uint64_t ns)
{
	uint64_t last_ns = b->stream->last_ns;

	if (!b->grouped)
		return ns;
	if (group != BATCH_OTHER)
		ns -= ns % BATCH_TIME_STEP_NS;
	if (ns <= last_ns)
		ns = last_ns + (group < b->last_group);
	b->last_group = group;
	return b->stream->last_ns = ns;
}

static inline uint8_t *batch_reserve(struct batch *b, uint32_t group, size_t size)
{
	uint8_t *p = b->records + b->bytes;

	if (b->grouped) {
		b->entries[b->nr++] = (struct batch_entry){(uint32_t)b->bytes, group};
		b->groups[group].nr++;
	}
	b->bytes += size;
	return p;
}

/* A sample of this size that is like one of this batch, in whose group it comes. Only if grouped.
 */
static inline void batch_add_like(struct batch *b, uint32_t group, size_t size,
				  const struct record_like *like)
{
	b->entries[b->nr++] = (struct batch_entry){RECORD_LIKE | b->nr_likes, group};
	b->groups[group].nr++;
	b->likes[b->nr_likes++] = *like;
	b->like_bytes += size;
}

/* The records in the order in which they are to be written, if they are grouped. */
struct record_order batch_sort(struct batch *b);

/*
 * Only this many bytes (whole records, in the order that batch_sort() told) could be written:
 * remove the samples of the rest from the scan's counts.
 */
void batch_unwritten(struct batch *b, uint64_t bytes_written);

#endif
