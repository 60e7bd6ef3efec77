/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct read_progress: how far a session has got, reported to the caller of the reader.
 *
 * It sits between the reader, which reports how much of the input it has read, and the caller's
 * progress function (see source_options). Only records that have reached the consumer count as
 * done, not those that wait to be put in order. In a recording without rounds the progress is
 * therefore 0 until everything has been read.
 */
#ifndef SESSION_READ_PROGRESS_H
#define SESSION_READ_PROGRESS_H

#include "util/session/order.h"
#include "util/session/reader.h"

struct read_progress {
	source_progress_fn fn; /* the caller's function */
	void *ctx;
	const struct order *order;
	uint64_t handed;   /* records handed out by the order */
	uint64_t in_hand;  /* records of the current round still to be handed out */
	uint64_t reported; /* value of `handed` at the last call of fn */
};

/* Replaces the progress function in the caller's options, which then go to the reader, by one that
 * reports to p. */
void read_progress_init(struct read_progress *p, const struct order *order,
			struct source_options *options);

/* Note that nr records were handed out and `rest` of the same round remain. -ECANCELED: stop. */
int read_progress_handed(struct read_progress *p, struct reader *r, size_t nr, size_t rest);

/* Called when reading has ended with `ret`. If the caller stopped it, returns 0 and fills
 * facts->stop. */
int read_progress_finish(const struct read_progress *p, const struct reader *r, int ret);

#endif
