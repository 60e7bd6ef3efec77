/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct read_progress: how far a session has got, reported to the caller of the reader.
 *
 * It sits between the reader, which reports how much of the input it has seen, and the caller's
 * progress function (see source_options). What counts is the part whose records have reached the
 * consumer, not what is still waiting to be put in order.  In a recording without rounds that is
 * nothing until everything has been read.
 */
#ifndef SESSION_READ_PROGRESS_H
#define SESSION_READ_PROGRESS_H

#include "util/session/order.h"
#include "util/session/reader.h"

struct read_progress {
	source_progress_fn fn; /* the caller's */
	void *ctx;
	const struct order *order;
	uint64_t handed;  /* records handed out by the order */
	uint64_t in_hand; /* records about to be handed out */
	uint64_t told;	  /* the value of `handed` when fn was last told */
};

/* options: for the reader, made from the caller's; fn becomes one that reports to p. */
void read_progress_init(struct read_progress *p, const struct order *order,
			struct source_options *options);

/* This many records were handed out, this many of the same round remain. -ECANCELED: stop. */
int read_progress_handed(struct read_progress *p, struct reader *r, size_t nr, size_t rest);

/* Reading has ended, with ret. If the caller ended it, returns 0 and fills facts->stop. */
int read_progress_finish(const struct read_progress *p, const struct reader *r, int ret);

#endif
