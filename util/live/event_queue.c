// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/live/event_queue.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Holds thousands of events. */
#define CHUNK_BYTES (256u << 10)
#define SLOTS_MIN   4096
/* What a burst took is given back; this many are kept, so that rounds need not allocate. */
#define SPARE_MAX 64

struct queue_chunk {
	struct queue_chunk *next; /* in the list of spare ones */
	uint32_t used;		  /* bytes of data */
	uint32_t nr;		  /* events in it that were not taken */
	_Alignas(16) uint8_t data[];
};

#define DATA_BYTES (CHUNK_BYTES - (uint32_t)sizeof(struct queue_chunk))

static const uint8_t body_sizes[BPF_KINDS] = BPF_BODY_SIZES;

static size_t size_of(const struct bpf_event *event)
{
	return offsetof(struct queued_event, event) + BPF_EVENT_HEAD +
	       (event->kind < BPF_KINDS ? body_sizes[event->kind] : 0);
}

_Static_assert(offsetof(struct queued_event, event) + sizeof(struct bpf_event) +
			       (BPF_STACK_MAX + 1) * sizeof(uint64_t) <=
		       DATA_BYTES,
	       "the largest event fits into a chunk");

void event_queue_deinit(struct event_queue *q)
{
	while (q->head < q->tail)
		event_queue_drop(q);
	free(q->filling);
	while (q->spare) {
		struct queue_chunk *c = q->spare;

		q->spare = c->next;
		free(c);
	}
	free(q->slots);
	*q = (struct event_queue){.head = 0};
}

/* A chunk with room for so many bytes. */
static struct queue_chunk *chunk_for(struct event_queue *q, size_t bytes)
{
	struct queue_chunk *c = q->filling;

	if (c && DATA_BYTES - c->used >= bytes)
		return c;
	if (c && !c->nr) {
		c->used = 0;
		return c;
	}
	/* the full one becomes a spare one when its last event is taken */
	c = q->spare;
	if (c) {
		q->spare = c->next;
		q->nr_spare--;
	} else {
		c = malloc(CHUNK_BYTES);
	}
	if (!c)
		return NULL;
	c->used = c->nr = 0;
	q->filling = c;
	return c;
}

static int make_room(struct event_queue *q)
{
	size_t nr = q->tail - q->head, cap = q->cap ? q->cap * 2 : SLOTS_MIN;
	struct queue_slot *v;

	if (q->tail < q->cap)
		return 0;
	/* what was taken makes room, if that is worth the move */
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

static void insert(struct event_queue *q, struct queued_event *e)
{
	uint64_t time_ns = e->event.time_ns;
	size_t at = q->tail++;

	for (; at > q->head && q->slots[at - 1].time_ns > time_ns; at--)
		q->slots[at] = q->slots[at - 1];
	q->slots[at] = (struct queue_slot){time_ns, e};
}

int event_queue_add(struct event_queue *q, const struct bpf_event *event,
		    const struct bpf_extra *extra)
{
	size_t size = size_of(event);
	size_t frames = extra->nr_frames * sizeof(uint64_t);
	struct queue_chunk *c = chunk_for(q, size + frames + sizeof(uint64_t));
	struct queued_event *e;

	if (!c || make_room(q))
		return -ENOMEM;
	e = (struct queued_event *)(void *)(c->data + c->used);
	e->cgroup = extra->cgroup;
	e->nr_callchain = 0;
	e->chunk = c->used;
	memcpy(&e->event, event, size - offsetof(struct queued_event, event));
	if (frames) {
		static const uint64_t marker = (uint64_t)PERF_CONTEXT_KERNEL;
		uint8_t *chain = (uint8_t *)e + size;

		memcpy(chain, &marker, sizeof(marker));
		memcpy(chain + sizeof(marker), extra->frames, frames);
		e->nr_callchain = (uint32_t)extra->nr_frames + 1;
		size += frames + sizeof(marker);
	}
	c->used += (uint32_t)size;
	c->nr++;
	insert(q, e);
	return 0;
}

const uint64_t *queued_event_callchain(const struct queued_event *e)
{
	return (const uint64_t *)(const void *)((const uint8_t *)e + size_of(&e->event));
}

void event_queue_drop(struct event_queue *q)
{
	struct queued_event *e = q->slots[q->head++].event;
	struct queue_chunk *c = (struct queue_chunk *)(void *)((uint8_t *)e - e->chunk -
							       offsetof(struct queue_chunk, data));

	if (q->head == q->tail)
		q->head = q->tail = 0;
	if (--c->nr || c == q->filling)
		return;
	if (q->nr_spare == SPARE_MAX) {
		free(c);
		return;
	}
	c->next = q->spare;
	q->spare = c;
	q->nr_spare++;
}
