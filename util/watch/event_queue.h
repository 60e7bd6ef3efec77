/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_queue: the events that are in the ring of one CPU, in time order.
 *
 * Events come in that order unless the clock steps back, which ktime_get_mono_fast_ns() may do by
 * little, so a new event rarely moves past another.  They stay in the ring; event_queue_taken()
 * says how much of it can be given back.
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
	} * slots; /* [head, tail) wait, in time order */
	size_t head, tail, cap;
	/* the latest rounds of which not all has been taken */
	struct queue_round {
		uint64_t end; /* its position in the ring */
		uint64_t newest_ns;
	} rounds[EVENT_QUEUE_ROUNDS];
	unsigned int nr_rounds;
	uint64_t taken; /* the end of those of which all has been */
};

/* Empty, of a ring that was read up to this position. */
void event_queue_init(struct event_queue *q, uint64_t position);
void event_queue_deinit(struct event_queue *q);

/* Add an event behind those of its time; it must stay where it is. Errors: -ENOMEM. */
int event_queue_add(struct event_queue *q, const struct bpf_event *event);

/* All events of the ring before this position have been added. */
void event_queue_end_round(struct event_queue *q, uint64_t position);

/* The position up to which the ring has been added. */
static inline uint64_t event_queue_added(const struct event_queue *q)
{
	return q->nr_rounds ? q->rounds[q->nr_rounds - 1].end : q->taken;
}

/*
 * All that is older than limit_ns has been taken: the position of the ring before which nothing is
 * needed any more.
 */
uint64_t event_queue_taken(struct event_queue *q, uint64_t limit_ns);

/* The time of the first event; UINT64_MAX: there is none. */
static inline uint64_t event_queue_time(const struct event_queue *q)
{
	return q->head < q->tail ? q->slots[q->head].time_ns : UINT64_MAX;
}

/* Take the first event, if there is one. */
static inline const struct bpf_event *event_queue_take(struct event_queue *q)
{
	return q->slots[q->head++].event;
}

#endif
