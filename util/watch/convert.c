// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/convert.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/known_events.h"

static const struct known_event *const kinds[BPF_KINDS] = {
	[BPF_KMALLOC] = &known_events[EVENT_KMALLOC],
	[BPF_KMALLOC_NODE] = &known_events[EVENT_KMALLOC_NODE],
	[BPF_CACHE_ALLOC] = &known_events[EVENT_KMEM_CACHE_ALLOC],
	[BPF_CACHE_ALLOC_NODE] = &known_events[EVENT_KMEM_CACHE_ALLOC_NODE],
	[BPF_KFREE] = &known_events[EVENT_KFREE],
	[BPF_CACHE_FREE] = &known_events[EVENT_KMEM_CACHE_FREE],
	[BPF_PAGE_ALLOC] = &known_events[EVENT_MM_PAGE_ALLOC],
	[BPF_PAGE_FREE] = &known_events[EVENT_MM_PAGE_FREE],
	[BPF_PAGE_FREE_BATCHED] = &known_events[EVENT_MM_PAGE_FREE_BATCHED],
	[BPF_ZONE_LOCKED] = &known_events[EVENT_MM_PAGE_ALLOC_ZONE_LOCKED],
	[BPF_PCPU_DRAIN] = &known_events[EVENT_MM_PAGE_PCPU_DRAIN],
	[BPF_EXTFRAG] = &known_events[EVENT_MM_PAGE_ALLOC_EXTFRAG],
};

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
	switch (from->kind) {
	case BPF_KMALLOC:
	case BPF_KMALLOC_NODE:
		ret_event->bytes_req = from->kmalloc.bytes_req;
		ret_event->bytes_alloc = from->kmalloc.bytes_alloc;
		ret_event->gfp_flags = from->kmalloc.gfp;
		ret_event->node = from->kmalloc.node;
		break;
	case BPF_CACHE_ALLOC:
	case BPF_CACHE_ALLOC_NODE:
		ret_event->bytes_req = from->cache_alloc.bytes_req;
		ret_event->bytes_alloc = from->cache_alloc.bytes_alloc;
		ret_event->gfp_flags = from->cache_alloc.gfp;
		ret_event->node = from->cache_alloc.node;
		ret_event->accounted = from->cache_alloc.account != 0;
		ret_event->tells_accounted = true;
		break;
	case BPF_PAGE_ALLOC:
		ret_event->order = from->page_alloc.order;
		ret_event->gfp_flags = from->page_alloc.gfp;
		ret_event->migratetype = from->page_alloc.migratetype;
		break;
	case BPF_PAGE_FREE:
	case BPF_PAGE_FREE_BATCHED:
		ret_event->order = from->page_free.order;
		break;
	case BPF_ZONE_LOCKED:
	case BPF_PCPU_DRAIN:
		ret_event->order = from->zone_locked.order;
		ret_event->migratetype = from->zone_locked.migratetype;
		ret_event->percpu_refill = from->zone_locked.percpu_refill > 0;
		break;
	case BPF_EXTFRAG:
		ret_event->order = (uint32_t)from->extfrag.alloc_order;
		ret_event->migratetype = from->extfrag.alloc_migratetype;
		ret_event->fallback_order = (uint32_t)from->extfrag.fallback_order;
		ret_event->fallback_migratetype = from->extfrag.fallback_migratetype;
		ret_event->change_ownership = from->extfrag.change_ownership != 0;
		break;
	default:
		break;
	}
}

_Static_assert(PFN_NONE == UINT64_MAX, "as the programs write it");
