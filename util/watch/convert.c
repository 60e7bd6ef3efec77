// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/convert.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/known_events.h"

#define KNOWN_EVENT(kind, layout, tracepoint) [BPF_##kind] = &known_events[EVENT_##tracepoint],
static const struct known_event *const kinds[BPF_KINDS] = {BPF_KMEM_EVENTS(KNOWN_EVENT)};

/* NULL for task events and unused kinds. */
static const struct known_event *known_event_of(unsigned int bpf_kind)
{
	return bpf_kind < BPF_KINDS ? kinds[bpf_kind] : NULL;
}

const char *live_kind_name(unsigned int bpf_kind)
{
	const struct known_event *known = known_event_of(bpf_kind);

	return known ? known->name : NULL;
}

enum kmem_kind live_kind(unsigned int bpf_kind)
{
	const struct known_event *known = known_event_of(bpf_kind);

	return known ? (enum kmem_kind)known->neutral.kind : KMEM_OTHER;
}

struct source_event *live_add_event(struct source_facts *f, unsigned int bpf_kind)
{
	struct source_event *ev = calloc(1, sizeof(*ev));

	if (!ev || source_facts_add_event(f, ev)) {
		free(ev);
		return NULL;
	}
	ev->type = PERF_TYPE_TRACEPOINT;
	ev->period = 1;
	ev->kind = (uint8_t)live_kind(bpf_kind);
	ev->name = strdup(live_kind_name(bpf_kind));
	return ev->name ? ev : NULL;
}

#define SET_MEMBER(type, field, member) ret_event->member = body->field;
#define SET_NOTHING(type, name)
#define SET_MEMBERS(kind, layout, tracepoint)                                                      \
	case BPF_##kind: {                                                                         \
		const struct bpf_##layout *body = &from->layout;                                   \
                                                                                                   \
		(void)body;                                                                        \
		BPF_FIELDS_##layout(SET_MEMBER, SET_NOTHING) break;                                \
	}

void live_convert(const struct bpf_event *from, int cpu, struct kmem_event *ret_event)
{
	/* copied: faster than clearing it and setting bits */
	*ret_event = kinds[from->kind]->neutral;
	ret_event->time_ns = from->time_ns;
	ret_event->pid = from->pid;
	ret_event->tid = from->tid;
	ret_event->cpu = cpu;
	ret_event->call_site = from->call_site;
	ret_event->ptr = from->ptr; /* or the page */
	ret_event->has_accounted =
		from->kind == BPF_CACHE_ALLOC || from->kind == BPF_CACHE_ALLOC_NODE;
	switch (from->kind) {
		BPF_KMEM_EVENTS(SET_MEMBERS)
	default:
		break;
	}
}

_Static_assert(PFN_NONE == UINT64_MAX, "as the programs write it");
