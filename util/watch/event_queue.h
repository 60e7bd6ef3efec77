/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_queue: the events in the ring of one CPU, in time order.
 *
 * Events arrive in order unless the clock steps back slightly, as ktime_get_mono_fast_ns() may, so
 * a new event rarely moves before another. Events stay in the ring; event_queue_taken() returns the
 * position up to which the ring can be released.
 */
#ifndef WATCH_EVENT_QUEUE_H
#define WATCH_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "util/bpf/wire.h"

#define EVENT_QUEUE_ROUNDS 4

struct event_queue {
	struct queue_slot {
		uint64_t time_ns;
		const struct bpf_event *event;
	} * slots; /* [head, tail): waiting events in time order */
	size_t head, tail, cap;
	/* the latest rounds with events not yet taken */
	struct queue_round {
		uint64_t end; /* its position in the ring */
		uint64_t newest_ns;
	} rounds[EVENT_QUEUE_ROUNDS];
	unsigned int nr_rounds;
	uint64_t taken; /* end of the rounds that were taken entirely */
};

/* An empty queue for a ring that was read up to this position. */
void event_queue_init(struct event_queue *q, uint64_t position);
void event_queue_deinit(struct event_queue *q);

/* Add an event after those of equal time. It must stay in place. Errors: -ENOMEM. */
int event_queue_add(struct event_queue *q, const struct bpf_event *event);

/* All events of the ring before this position have been added. */
void event_queue_end_round(struct event_queue *q, uint64_t position);

/* The position up to which the ring has been added. */
static inline uint64_t event_queue_added(const struct event_queue *q)
{
	return q->nr_rounds ? q->rounds[q->nr_rounds - 1].end : q->taken;
}

/*
 * Called when all events older than limit_ns have been taken. Returns the position up to which the
 * ring can be released.
 */
uint64_t event_queue_taken(struct event_queue *q, uint64_t limit_ns);

/* The time of the first event, or UINT64_MAX if there is none. */
static inline uint64_t event_queue_time(const struct event_queue *q)
{
	return q->head < q->tail ? q->slots[q->head].time_ns : UINT64_MAX;
}

/* Remove the first event, if there is one. */
static inline const struct bpf_event *event_queue_take(struct event_queue *q)
{
	return q->slots[q->head++].event;
}

#endif
