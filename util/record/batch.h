/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct batch: records on their way from a ring buffer to the file.
 *
 * batch_fill() copies whole records out of a ring's pieces and shows each to a
 * sample_scan.  For a file that is packed, the records of one event and call site are put side by
 * side, which the packer likes (alike bytes at a fixed distance), and sample times are rounded down
 * to BATCH_TIME_STEP_NS: the low bits of a clock are noise that cannot be packed, and a traced
 * event takes ten times as long, and what depends on another CPU longer still.  A batch is of one
 * CPU, so each event's records stay in order; readers sort by time anyway.  Memory: about
 * BATCH_BYTES, kept between fills.
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
	struct strbuf *groups; /* the rest first, then one for each evsel; not grouped: one */
	size_t nr_groups;
	struct iovec *pieces; /* room for all groups */
	uint8_t *across;      /* a record that lies across two pieces */
	uint64_t *samples;    /* in this batch, per evsel */
};

int batch_init(struct batch *b, struct sample_scan *scan, bool grouped, struct error *err);
void batch_deinit(struct batch *b);

/*
 * Take records, from byte *at of the pieces on, until there are none left or BATCH_BYTES are
 * together; *at moves behind them.  Returns the number of pieces in b->pieces to be
 * written (0: nothing was left), valid until the next fill; or -ENOMEM.
 */
int batch_fill(struct batch *b, const struct iovec *pieces, int nr, uint64_t *at);

/*
 * The pieces could not be written, but for so many bytes of them (whole records): take the samples
 * of the rest out of the scan's counts.
 */
void batch_unwritten(struct batch *b, int nr_pieces, uint64_t bytes_written);

#endif
