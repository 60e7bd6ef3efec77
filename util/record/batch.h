/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct batch: records on their way from a ring buffer to the file.
 *
 * batch_fill() copies whole records out of a ring's pieces and shows each to a sample_scan.  For a
 * compressed file, the records of one event and call site are put next to each other, which
 * compresses well (similar bytes at a fixed distance), and sample times are rounded down to
 * BATCH_TIME_STEP_NS: the low bits of a clock are noise that cannot be compressed; recording an
 * event takes ten times as long, and for something to depend on another CPU takes longer still.  A
 * batch is of one CPU, so each event's records stay in order; readers sort by time anyway.  Memory:
 * about BATCH_BYTES, kept between fills.
 */
#ifndef RECORD_BATCH_H
#define RECORD_BATCH_H

#include <sys/uio.h>

#include "util/base/strbuf.h"
#include "util/record/sample_scan.h"

#define BATCH_BYTES	   (4U << 20)
#define BATCH_TIME_STEP_NS 64

/* A record may be written in words: so many bytes behind it are free. */
#define BATCH_SLACK 64

struct batch {
	struct sample_scan *scan;
	bool grouped;
	struct strbuf *groups; /* for the rest, then one per evsel; ungrouped: only one */
	size_t nr_groups;
	struct iovec *pieces; /* with room for all groups */
	uint8_t *across;      /* a record that is split between two pieces */
	uint64_t *samples;    /* in this batch, per evsel */
	size_t bytes;	      /* in this batch */
};

/*
 * The call sites of an event are spread over this many groups.  Allocations at one call site have
 * the same sizes, flags and cache: with one group per event a mixed load takes 6.6 bytes per event,
 * with these 5.8.
 */
#define BATCH_EVENT_GROUPS 32

static inline size_t batch_group(size_t evsel, uint64_t call_site)
{
	return 1 + evsel * BATCH_EVENT_GROUPS +
	       (call_site * 0x9e3779b97f4a7c15ULL >> 32) % BATCH_EVENT_GROUPS;
}

int batch_init(struct batch *b, struct sample_scan *scan, bool grouped, struct error *err);
void batch_deinit(struct batch *b);

/*
 * Take records, from byte *at of the pieces on, until there are none left or BATCH_BYTES have been
 * collected; *at moves past them.  Returns the number of pieces in b->pieces to be written (0:
 * nothing was left), valid until the next fill; or -ENOMEM.
 */
int batch_fill(struct batch *b, const struct iovec *pieces, int nr, uint64_t *at);

/*
 * The same for records that are made, not copied: begin, room for each record, end.
 *
 * batch_sample_room() is where a sample of the evsel is to be written at once; its time goes
 * through batch_time(), and what else the scan wants to know is for the caller to tell it.
 * batch_other_room() is for any other record.  NULL: no memory.  The batch may grow somewhat beyond
 * BATCH_BYTES, but is to be written then.
 */
void batch_begin(struct batch *b);
uint8_t *batch_grow(struct batch *b, struct strbuf *group, size_t size);
int batch_end(struct batch *b);

static inline uint64_t batch_time(const struct batch *b, uint64_t ns)
{
	return b->grouped ? ns - ns % BATCH_TIME_STEP_NS : ns;
}

static inline uint8_t *batch_room(struct batch *b, struct strbuf *group, size_t size)
{
	uint8_t *p;

	if (group->cap < group->len + size + BATCH_SLACK)
		return batch_grow(b, group, size);
	p = (uint8_t *)group->buf + group->len;
	group->len += size;
	b->bytes += size;
	return p;
}

static inline uint8_t *batch_other_room(struct batch *b, size_t size)
{
	return batch_room(b, b->groups, size);
}

static inline uint8_t *batch_sample_room(struct batch *b, size_t evsel, uint64_t call_site,
					 size_t size)
{
	size_t group = b->grouped ? batch_group(evsel, call_site) : 0;

	b->samples[evsel]++;
	return batch_room(b, &b->groups[group], size);
}

/*
 * Only this many bytes (whole records) of the pieces could be written: remove the samples of the
 * rest from the scan's counts.
 */
void batch_unwritten(struct batch *b, int nr_pieces, uint64_t bytes_written);

#endif
