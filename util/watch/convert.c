// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/convert.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/known_events.h"
#include "util/kmem/accounts.h"

#define NAME(kind, layout, system, tracepoint) [BPF_##kind] = #system ":" #tracepoint,
static const char *const names[BPF_KINDS] = {BPF_MEMORY_EVENTS(NAME)};

#define KNOWN_EVENT(kind, layout, system, tracepoint)                                              \
	[BPF_##kind] = &known_events[EVENT_##tracepoint],
static const struct known_event *const known[BPF_KINDS] = {BPF_KNOWN_EVENTS(KNOWN_EVENT)
								   BPF_PROBE_EVENTS(KNOWN_EVENT)};

const char *live_kind_name(unsigned int bpf_kind)
{
	return bpf_kind < BPF_KINDS ? names[bpf_kind] : NULL;
}

/* The neutral values of an event that an account declares. */
static struct kmem_event own_neutral(const char *name)
{
	struct own_tracepoint own[OWN_TRACEPOINTS_MAX];
	size_t nr = accounts_tracepoints(own);
	struct kmem_event neutral = {.node = NUMA_NO_NODE, .kind = KMEM_OTHER, .in_window = true};

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(own[i].tracepoint->name, name)) {
			neutral.kind = (uint8_t)own[i].kind;
			neutral.own = (uint8_t)own[i].own;
		}
	return neutral;
}

struct kmem_event live_neutral(unsigned int bpf_kind)
{
	const char *name = live_kind_name(bpf_kind);

	if (!name)
		return (struct kmem_event){.kind = KMEM_OTHER};
	return known[bpf_kind] ? known[bpf_kind]->neutral : own_neutral(name);
}

enum kmem_kind live_kind(unsigned int bpf_kind)
{
	return (enum kmem_kind)live_neutral(bpf_kind).kind;
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
#define SET_MEMBERS(kind, layout, system, tracepoint)                                              \
	case BPF_##kind: {                                                                         \
		const struct bpf_##layout *body = &from->layout;                                   \
                                                                                                   \
		(void)body;                                                                        \
		BPF_FIELDS_##layout(SET_MEMBER, SET_NOTHING) break;                                \
	}

void live_convert(const struct bpf_event *from, int cpu, const struct kmem_event *neutral,
		  struct kmem_event *ret_event)
{
	/* copied: faster than clearing it and setting bits */
	*ret_event = *neutral;
	ret_event->time_ns = from->time_ns;
	ret_event->pid = from->pid;
	ret_event->tid = from->tid;
	ret_event->cpu = cpu;
	ret_event->call_site = from->call_site;
	ret_event->ptr = from->ptr; /* or the page */
	ret_event->has_accounted = from->kind == BPF_CACHE_ALLOC ||
				   from->kind == BPF_CACHE_ALLOC_NODE ||
				   from->kind == BPF_ALLOC_BULK;
	switch (from->kind) {
		BPF_MEMORY_EVENTS(SET_MEMBERS)
	default:
		break;
	}
}

_Static_assert(PFN_NONE == UINT64_MAX, "as the programs write it");
