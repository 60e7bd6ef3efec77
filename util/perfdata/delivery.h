/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct delivery: hands records that are in order to the consumer, on a thread of its own.
 *
 * The session's thread reads, finds events and puts records in order; what is in order goes
 * here, in batches, and the consumer's functions run on the delivery's thread (or at once when
 * there is only one).  Between two drains the consumer alone touches its own state
 * and the counts that delivery keeps in the recording (nr_samples, first_ns, last_ns); the
 * session drains before it changes anything else that a consumer may look at.  Records
 * must stay where they are until they are delivered: see delivery_done().
 * An error of the consumer ends the delivery; it comes out of the next call.
 */
#ifndef PERFDATA_DELIVERY_H
#define PERFDATA_DELIVERY_H

#include "util/perfdata/session.h"

/* A record for the consumer; event NULL: a COMM or FORK. */
struct delivery_entry {
	const uint8_t *data;
	struct recorded_event *event;
	uint64_t pos;
};

/* Samples too small for their fields. */
struct delivery_bad {
	uint64_t nr, bytes;
	uint64_t first_pos;
};

struct delivery;

/* threaded: on a thread of its own, if one can be had. Errors: -ENOMEM. */
int delivery_new(struct delivery **ret_delivery, struct recording *recording,
		 const struct session_ops *ops, void *ctx, bool threaded);
void delivery_free(struct delivery *d);

/*
 * Where the next entries, the consumer's turn after those before, are to be written: room for
 * *ret_nr of them, at least one.  delivery_add() then says how many were. Errors: the consumer's.
 */
struct delivery_entry *delivery_room(struct delivery *d, size_t *ret_nr);
int delivery_add(struct delivery *d, size_t nr);

/* Wait until all that was added is delivered. err: filled with the consumer's error, if it left
 * one. */
int delivery_drain(struct delivery *d, struct error *err);

/* How many entries were added and how many of them, the first ones, are delivered. */
uint64_t delivery_added(const struct delivery *d);
uint64_t delivery_done(struct delivery *d);

/* Valid after a drain. */
const struct delivery_bad *delivery_bad(const struct delivery *d);

#endif
