// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/event_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 4096

void event_queue_init(struct event_queue *q, uint64_t position)
{
	*q = (struct event_queue){.taken = position};
}

void event_queue_deinit(struct event_queue *q)
{
	free(q->slots);
	*q = (struct event_queue){.head = 0};
}

static int make_room(struct event_queue *q)
{
	size_t nr = q->tail - q->head, cap = q->cap ? q->cap * 2 : SLOTS_MIN;
	struct queue_slot *v;

	/* reuse the space of taken events, if that is worth the move */
	if (q->cap && nr <= q->cap / 2) {
		memmove(q->slots, q->slots + q->head, nr * sizeof(*q->slots));
		q->head = 0;
		q->tail = nr;
		return 0;
	}
	v = reallocarray(q->slots, cap, sizeof(*v));
	if (!v)
		return -ENOMEM;
	q->slots = v;
	q->cap = cap;
	return 0;
}

int event_queue_add(struct event_queue *q, const struct bpf_event *event)
{
	uint64_t time_ns = event->time_ns;
	size_t at;

	if (q->tail == q->cap && make_room(q))
		return -ENOMEM;
	for (at = q->tail++; at > q->head && q->slots[at - 1].time_ns > time_ns; at--)
		q->slots[at] = q->slots[at - 1];
	q->slots[at] = (struct queue_slot){time_ns, event};
	return 0;
}

void event_queue_end_round(struct event_queue *q, uint64_t position)
{
	uint64_t newest_ns = q->head < q->tail ? q->slots[q->tail - 1].time_ns : 0;

	/* too many waiting rounds are merged */
	if (q->nr_rounds == EVENT_QUEUE_ROUNDS)
		q->nr_rounds--;
	q->rounds[q->nr_rounds++] = (struct queue_round){position, newest_ns};
}

uint64_t event_queue_taken(struct event_queue *q, uint64_t limit_ns)
{
	unsigned int done = 0;

	if (q->head == q->tail)
		q->head = q->tail = 0;
	while (done < q->nr_rounds && q->rounds[done].newest_ns < limit_ns)
		q->taken = q->rounds[done++].end;
	q->nr_rounds -= done;
	memmove(q->rounds, q->rounds + done, q->nr_rounds * sizeof(q->rounds[0]));
	return q->taken;
}
