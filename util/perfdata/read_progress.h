/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct read_progress: how far a session is, told to the caller of the reader.
 *
 * It stands between the reader, which tells how much of the input it has seen, and the caller's
 * progress function (see source_options): of that the share counts whose records are in the
 * consumer's hands, not what waits for its place in time.  In a recording without rounds
 * that is nothing until all is read.
 */
#ifndef PERFDATA_READ_PROGRESS_H
#define PERFDATA_READ_PROGRESS_H

#include "util/perfdata/order.h"
#include "util/perfdata/reader.h"

struct read_progress {
	source_progress_fn fn; /* the caller's */
	void *ctx;
	const struct order *order;
	uint64_t handed;  /* records that have left the order */
	uint64_t in_hand; /* records on their way out of it */
	uint64_t told;	  /* handed, when fn heard of it last */
};

/* options: the reader's, from the caller's; fn becomes one that tells p. */
void read_progress_init(struct read_progress *p, const struct order *order,
			struct source_options *options);

/* So many records are handed out, so many of the same round are yet to be. -ECANCELED: stop. */
int read_progress_handed(struct read_progress *p, struct reader *r, size_t nr, size_t rest);

/* The reading is over, with ret. When the caller ended it that is 0, and facts->stop is filled.
 */
int read_progress_finish(const struct read_progress *p, const struct reader *r, int ret);

#endif
