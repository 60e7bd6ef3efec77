// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/same_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Number of buffers whose events are joined; events of further buffers are not. */
#define BUFFERS_MAX 64

struct slot {
	struct cpu_event event;
	uint64_t buffers; /* bits: buffers that have it */
	struct strbuf data, stack;
};

struct same_events {
	same_events_fn fn;
	void *ctx;
	struct slot slots[SAME_EVENTS_NR];
	size_t first, nr;
	uint64_t nr_joined;
};

struct same_events *same_events_new(same_events_fn fn, void *ctx)
{
	struct same_events *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fn = fn;
	s->ctx = ctx;
	for (size_t i = 0; i < SAME_EVENTS_NR; i++) {
		strbuf_init(&s->slots[i].data);
		strbuf_init(&s->slots[i].stack);
	}
	return s;
}

void same_events_free(struct same_events *s)
{
	for (size_t i = 0; s && i < SAME_EVENTS_NR; i++) {
		strbuf_deinit(&s->slots[i].data);
		strbuf_deinit(&s->slots[i].stack);
	}
	free(s);
}

static struct slot *slot_at(struct same_events *s, size_t i)
{
	return &s->slots[(s->first + i) % SAME_EVENTS_NR];
}

static int hand_out_first(struct same_events *s)
{
	struct slot *slot = slot_at(s, 0);

	s->first = (s->first + 1) % SAME_EVENTS_NR;
	s->nr--;
	return s->fn(s->ctx, &slot->event);
}

static int keep_stack(struct slot *slot, const struct cpu_event *e)
{
	strbuf_reset(&slot->stack);
	if (!e->callchain)
		return 0;
	if (strbuf_add(&slot->stack, e->callchain, e->nr_callchain * sizeof(*e->callchain)))
		return -ENOMEM;
	/* from malloc(), so it is aligned */
	slot->event.callchain = (const uint64_t *)(const void *)slot->stack.buf;
	slot->event.nr_callchain = e->nr_callchain;
	return 0;
}

/* Offset of common_flags: an interrupt between two buffers may set NEED_RESCHED. */
#define FLAGS_AT 2

static bool is_same(const struct cpu_event *a, const struct cpu_event *b)
{
	size_t from = a->size > FLAGS_AT ? FLAGS_AT + 1 : a->size;

	return a->cpu == b->cpu && a->id == b->id && a->size == b->size &&
	       !memcmp(a->data + from, b->data + from, a->size - from);
}

/* Find the oldest equal event that this buffer has not had yet. */
static struct slot *find(struct same_events *s, const struct cpu_event *e, uint64_t bit)
{
	for (size_t i = 0; i < s->nr; i++) {
		struct slot *slot = slot_at(s, i);

		if (!(slot->buffers & bit) && is_same(&slot->event, e))
			return slot;
	}
	return NULL;
}

int same_events_add(struct same_events *s, const struct cpu_event *e, uint32_t buffer)
{
	uint64_t bit = buffer < BUFFERS_MAX ? 1ULL << buffer : 0;
	struct slot *slot;
	int ret = 0;

	while (!ret && s->nr &&
	       (s->nr == SAME_EVENTS_NR ||
		slot_at(s, 0)->event.time_ns + SAME_EVENTS_NS < e->time_ns))
		ret = hand_out_first(s);
	if (ret < 0)
		return ret;
	slot = bit ? find(s, e, bit) : NULL;
	if (slot) {
		s->nr_joined++;
		slot->buffers |= bit;
		return slot->event.callchain ? 0 : keep_stack(slot, e);
	}
	slot = slot_at(s, s->nr);
	slot->event = *e;
	slot->event.callchain = NULL;
	slot->event.nr_callchain = 0;
	slot->buffers = bit;
	strbuf_reset(&slot->data);
	if (strbuf_add(&slot->data, e->data, e->size) || keep_stack(slot, e))
		return -ENOMEM;
	slot->event.data = (const uint8_t *)slot->data.buf;
	s->nr++;
	return 0;
}

int same_events_flush(struct same_events *s)
{
	int ret = 0;

	while (ret >= 0 && s->nr)
		ret = hand_out_first(s);
	return ret < 0 ? ret : 0;
}

uint64_t same_events_joined(const struct same_events *s)
{
	return s->nr_joined;
}
