/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct batch: records on their way from a ring buffer to the file.
 *
 * Records are copied out of a ring's pieces (batch_fill(), which shows each to a sample_scan) or
 * made in place. A sample that is like another one only keeps the fields that differ. For a
 * compressed file, records are then sorted so that similar ones are adjacent, which compresses well
 * (repeats.h). Sample times are rounded down to BATCH_TIME_STEP_NS: the low bits of a clock are
 * noise that cannot be compressed, and an effect takes longer than a step to reach another CPU.
 *
 * Readers sort by time, equal times in file order. A batch is of one CPU, whose events may be
 * closer than a step, so batch_time() keeps their order: no time is before that of the preceding
 * record, and it is later if the file has the two in reverse order. Memory: twice BATCH_BYTES,
 * reused.
 */
#ifndef OUTPUT_BATCH_H
#define OUTPUT_BATCH_H

#include <sys/uio.h>

#include "util/output/sample_scan.h"
#include "util/perfdata/record_order.h"

#define BATCH_BYTES	   (1U << 20)
#define BATCH_TIME_STEP_NS 64

/* Free space that a batch has unless it is full. */
#define BATCH_ROOM (4U << 16)

/* Free bytes after a record, which may be written in whole words. */
#define BATCH_SLACK 64

#define BATCH_GROUPS 4096 /* maximum number of groups */
#define BATCH_OTHER  0	  /* the group of records that are not samples */

/* A record of the batch, and its group. */
struct batch_entry {
	uint32_t at; /* as in struct record_order */
	uint32_t group;
};

struct batch_group {
	uint64_t likeness;
	uint32_t nr; /* number of its records in the batch */
};

/* The stream of one CPU's records, from batch to batch. */
struct batch_stream {
	uint64_t last_ns; /* time of the last one, as written */
};

struct batch {
	struct sample_scan *scan;
	struct batch_stream *stream;
	uint64_t number; /* unique among batches; changes when the batch begins again */
	bool grouped;
	uint8_t *records; /* in the order of arrival */
	size_t bytes;
	/* if grouped: */
	uint32_t last_group;	   /* group of the last record */
	struct record_like *likes; /* samples in addition to the records */
	uint32_t nr_likes;
	size_t like_bytes; /* bytes of the samples that they represent */
	struct batch_entry *entries;
	uint32_t nr;
	uint32_t *sorted; /* positions of the records, by group */
	struct batch_group *groups;
	uint32_t nr_groups;
	uint16_t slots[2 * BATCH_GROUPS]; /* by hash: a group; 0: none */
	uint8_t *across;		  /* a record that is split between two pieces */
};

int batch_init(struct batch *b, struct sample_scan *scan, bool grouped, struct error *err);
void batch_deinit(struct batch *b);

/*
 * Take records of the stream, from byte *at of the pieces on, until the end or until the batch is
 * full; *at moves past them. Returns 0, or -ENOMEM.
 */
int batch_fill(struct batch *b, struct batch_stream *stream, const struct iovec *pieces, int nr,
	       uint64_t *at);

/*
 * The same for records that are made, not copied: begin, then reserve each record, until it is
 * full. The caller passes a record's time through batch_time(), and informs the scan.
 */
void batch_begin(struct batch *b, struct batch_stream *stream);

static inline bool batch_full(const struct batch *b)
{
	return b->bytes + b->like_bytes >= BATCH_BYTES;
}

/* The group of records with this likeness, a hash of their common data. */
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

/* Samples of one event from one place (struct sample_key) are alike. */
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

/* Add a sample of this size that is like one of this batch, in the same group. Only if grouped. */
static inline void batch_add_like(struct batch *b, uint32_t group, size_t size,
				  const struct record_like *like)
{
	b->entries[b->nr++] = (struct batch_entry){RECORD_LIKE | b->nr_likes, group};
	b->groups[group].nr++;
	b->likes[b->nr_likes++] = *like;
	b->like_bytes += size;
}

/* The records in the order for writing, if they are grouped. */
struct record_order batch_sort(struct batch *b);

/*
 * Only this number of bytes (whole records, in the order of batch_sort()) could be written: remove
 * the samples of the rest from the scan's counts.
 */
void batch_unwritten(struct batch *b, uint64_t bytes_written);

#endif
