/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct delivery: hands samples that are in order to the consumer, on a thread of its own.
 *
 * The session's thread reads, finds events, puts records in order and takes samples apart; they
 * go here, in batches, and the consumer's functions run on the delivery's thread (or on the
 * session's, batch by batch, when there is only one).  Between two drains the consumer alone
 * touches its own state; the session drains before it changes anything that a consumer may look
 * at, save the recording's counts of samples.  Records must stay where they are until they are
 * delivered: see delivery_done().
 * An error of the consumer ends the delivery; it comes out of the next call.
 */
#ifndef PERFDATA_DELIVERY_H
#define PERFDATA_DELIVERY_H

#include "util/perfdata/session.h"

struct delivery;

/* With so many jobs (0: as many as there are CPUs): has the consumer a thread of its own? */
bool delivery_threaded(unsigned int jobs);

/* threaded: on a thread of its own, if one can be had. Errors: -ENOMEM. */
int delivery_new(struct delivery **ret_delivery, const struct session_ops *ops, void *ctx,
		 bool threaded);
void delivery_free(struct delivery *d);

/*
 * Where the next samples, the consumer's turn after those before, are to be written: room for
 * *ret_nr of them, at least one.  delivery_add() then says how many were.  One without an event
 * stands for a COMM or FORK record, at `raw`.  Errors: the consumer's.
 */
struct sample *delivery_room(struct delivery *d, size_t *ret_nr);
int delivery_add(struct delivery *d, size_t nr);

/* Wait until all that was added is delivered. err: filled with the consumer's error, if it left
 * one. */
int delivery_drain(struct delivery *d, struct error *err);

/* How many were added and how many of them, the first ones, are delivered. */
uint64_t delivery_added(const struct delivery *d);
uint64_t delivery_done(struct delivery *d);

#endif
