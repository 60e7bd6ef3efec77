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

struct batch {
	struct sample_scan *scan;
	bool grouped;
	struct strbuf *groups; /* for the rest, then one per evsel; ungrouped: only one */
	size_t nr_groups;
	struct iovec *pieces; /* with room for all groups */
	uint8_t *across;      /* a record that is split between two pieces */
	uint64_t *samples;    /* in this batch, per evsel */
};

int batch_init(struct batch *b, struct sample_scan *scan, bool grouped, struct error *err);
void batch_deinit(struct batch *b);

/*
 * Take records, from byte *at of the pieces on, until there are none left or BATCH_BYTES have been
 * collected; *at moves past them.  Returns the number of pieces in b->pieces to be written (0:
 * nothing was left), valid until the next fill; or -ENOMEM.
 */
int batch_fill(struct batch *b, const struct iovec *pieces, int nr, uint64_t *at);

/*
 * Only this many bytes (whole records) of the pieces could be written: remove the samples of the
 * rest from the scan's counts.
 */
void batch_unwritten(struct batch *b, int nr_pieces, uint64_t bytes_written);

#endif
