/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_queue: the events of one CPU between its ring buffer and the merge, in time order.
 *
 * Events come nearly in that order: that of an interrupt may stand before the one that it
 * interrupted, so a new event rarely moves further than past one other.  They are copied into
 * chunks, which are used again as soon as all of their events have been taken.
 */
#ifndef LIVE_EVENT_QUEUE_H
#define LIVE_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "util/bpf/capture.h"

/* An event that waits; `callchain` is as in a sample, with its marker. */
struct queued_event {
	uint64_t cgroup;
	uint32_t nr_callchain;
	uint32_t chunk;		/* private: where it is in its chunk */
	struct bpf_event event; /* what its kind does not have is not there, but the callchain */
};

struct queue_chunk;

struct event_queue {
	struct queue_slot {
		uint64_t time_ns;
		struct queued_event *event;
	} * slots; /* [head, tail) wait, in time order */
	size_t head, tail, cap;
	struct queue_chunk *filling; /* takes new events */
	struct queue_chunk *spare;
	unsigned int nr_spare;
};

/* Zeroed memory is an empty queue. */
void event_queue_deinit(struct event_queue *q);

/* Copy an event behind those of its time. Errors: -ENOMEM. */
int event_queue_add(struct event_queue *q, const struct bpf_event *event,
		    const struct bpf_extra *extra);

/* The time of the first event; UINT64_MAX: there is none. */
static inline uint64_t event_queue_time(const struct event_queue *q)
{
	return q->head < q->tail ? q->slots[q->head].time_ns : UINT64_MAX;
}

/* The first event, if there is one; it stays valid until event_queue_drop(). */
static inline const struct queued_event *event_queue_first(const struct event_queue *q)
{
	return q->slots[q->head].event;
}

/* Its callchain, of nr_callchain entries. */
const uint64_t *queued_event_callchain(const struct queued_event *e);

void event_queue_drop(struct event_queue *q);

#endif
