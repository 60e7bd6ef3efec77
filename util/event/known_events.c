// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/known_events.h"

#include <string.h>

#include "util/tracepoint/event_format.h"

#define EVENT_OF_SLAB(event, of_kind, of_cache)                                                    \
	{                                                                                          \
		.name = (event), .neutral = {                                                      \
			.node = NUMA_NO_NODE,                                                      \
			.kind = (of_kind),                                                         \
			.is_kmalloc = (of_cache) == CACHE_ID_KMALLOC,                              \
			.in_window = true,                                                         \
			.cache_id = (of_cache),                                                    \
		}                                                                                  \
	}
#define SLAB(tracepoint, of_kind, of_cache) EVENT_OF_SLAB("kmem:" tracepoint, of_kind, of_cache)
#define PROBE(function, of_kind, of_cache)  EVENT_OF_SLAB("perf_kmem:" function, of_kind, of_cache)
#define PAGE(tracepoint, of_kind)	    OTHER("kmem:" tracepoint, of_kind)
#define OTHER(tracepoint, of_kind)                                                                 \
	{                                                                                          \
		.name = (tracepoint), .neutral = {                                                 \
			.node = NUMA_NO_NODE,                                                      \
			.kind = (of_kind),                                                         \
			.in_window = true,                                                         \
		}                                                                                  \
	}

/* A new tracepoint is a line here and one in enum known_event_id. */
const struct known_event known_events[KNOWN_EVENTS] = {
	[EVENT_kmalloc] = SLAB("kmalloc", KMEM_SLAB_ALLOC, CACHE_ID_KMALLOC),
	/* until 6.1, "mm/slub: drop kmalloc_node" */
	[EVENT_kmalloc_node] = SLAB("kmalloc_node", KMEM_SLAB_ALLOC, CACHE_ID_KMALLOC),
	[EVENT_kmem_cache_alloc] = SLAB("kmem_cache_alloc", KMEM_SLAB_ALLOC, CACHE_ID_OWN),
	/* likewise */
	[EVENT_kmem_cache_alloc_node] =
		SLAB("kmem_cache_alloc_node", KMEM_SLAB_ALLOC, CACHE_ID_OWN),
	[EVENT_kfree] = SLAB("kfree", KMEM_SLAB_FREE, CACHE_ID_ANY),
	[EVENT_kmem_cache_free] = SLAB("kmem_cache_free", KMEM_SLAB_FREE, CACHE_ID_OWN),
	[EVENT_mm_page_alloc] = PAGE("mm_page_alloc", KMEM_PAGE_ALLOC),
	[EVENT_mm_page_free] = PAGE("mm_page_free", KMEM_PAGE_FREE),
	/* the names of both until 3.3 */
	[EVENT_mm_page_free_direct] = PAGE("mm_page_free_direct", KMEM_PAGE_FREE),
	[EVENT_mm_pagevec_free] = PAGE("mm_pagevec_free", KMEM_PAGE_FREE_BATCHED),
	[EVENT_mm_page_free_batched] = PAGE("mm_page_free_batched", KMEM_PAGE_FREE_BATCHED),
	[EVENT_mm_page_alloc_zone_locked] =
		PAGE("mm_page_alloc_zone_locked", KMEM_PAGE_ZONE_LOCKED),
	[EVENT_mm_page_pcpu_drain] = PAGE("mm_page_pcpu_drain", KMEM_PAGE_PCPU_DRAIN),
	[EVENT_mm_page_alloc_extfrag] = PAGE("mm_page_alloc_extfrag", KMEM_PAGE_EXTFRAG),
	[EVENT_kvfree_call_rcu] = PROBE("kvfree_call_rcu", KMEM_SLAB_FREE_RCU, CACHE_ID_ANY),
	/* without a cache it frees objects of any */
	[EVENT_kmem_cache_free_bulk] = PROBE("kmem_cache_free_bulk", KMEM_SLAB_FREE, CACHE_ID_ANY),
	[EVENT_kmem_cache_alloc_bulk] =
		PROBE("kmem_cache_alloc_bulk", KMEM_SLAB_ALLOC, CACHE_ID_OWN),
	[EVENT_alloc_vmap_area] = OTHER("vmalloc:alloc_vmap_area", KMEM_VMALLOC_ALLOC),
	[EVENT_free_vmap_area_noflush] = OTHER("vmalloc:free_vmap_area_noflush", KMEM_VMALLOC_FREE),
	[EVENT_purge_vmap_area_lazy] = OTHER("vmalloc:purge_vmap_area_lazy", KMEM_VMALLOC_PURGE),
	[EVENT_percpu_alloc_percpu] = OTHER("percpu:percpu_alloc_percpu", KMEM_PERCPU_ALLOC),
	/* without a pointer */
	[EVENT_percpu_alloc_percpu_fail] =
		OTHER("percpu:percpu_alloc_percpu_fail", KMEM_PERCPU_ALLOC),
	[EVENT_percpu_free_percpu] = OTHER("percpu:percpu_free_percpu", KMEM_PERCPU_FREE),
	[EVENT_percpu_create_chunk] = OTHER("percpu:percpu_create_chunk", KMEM_PERCPU_CREATE),
	[EVENT_percpu_destroy_chunk] = OTHER("percpu:percpu_destroy_chunk", KMEM_PERCPU_DESTROY),
};

const struct known_event *known_event_find(const char *system, const char *name, size_t len)
{
	size_t system_len = strlen(system);

	for (size_t i = 0; i < KNOWN_EVENTS; i++) {
		const char *known = known_events[i].name;

		if (!strncmp(known, system, system_len) && known[system_len] == ':' &&
		    strlen(known) == system_len + 1 + len &&
		    !memcmp(known + system_len + 1, name, len))
			return &known_events[i];
	}
	return NULL;
}

bool event_type_has_field(const struct event_type *type, const char *name)
{
	return !type->format || trace_field(type->format, name).kind == FIELD_NUMBER;
}

void event_kinds_init(struct event_kinds *k, const struct source_facts *facts)
{
	*k = (struct event_kinds){.lost_of_all = 0};
	/* before 6.0 only the number of lost events is known */
	if (!facts->knows_lost_events)
		k->lost_of_all = source_facts_lost_percent(facts) / 100;
	k->only_seen = facts->only_seen_events;
}

/* NULL: it is not among them. */
static const struct known_event *known_of(const struct tep_event *format,
					  const struct source_event *ev)
{
	if (format)
		return known_event_find(trace_event_system(format), trace_event_name(format),
					strlen(trace_event_name(format)));
	for (size_t i = 0; ev->name && i < KNOWN_EVENTS; i++)
		if (!strcmp(known_events[i].name, ev->name))
			return &known_events[i];
	return NULL;
}

void event_kinds_add(struct event_kinds *k, enum kmem_kind kind, const struct tep_event *format,
		     const struct source_event *ev)
{
	const struct known_event *known = known_of(format, ev);
	struct event_kind *v = &k->v[kind];

	v->samples += ev->nr_samples;
	v->lost += ev->nr_lost + ev->nr_undelivered;
	v->period = ev->period > v->period ? ev->period : v->period;
	v->has_chains |= ev->has_callchain;
	v->has_user_stacks |= ev->has_user_stack;
	if (known)
		k->recorded |= 1u << (known - known_events);
}

const char *event_kinds_missing_free(const struct event_kinds *k, enum kmem_kind alloc)
{
	static const struct {
		enum known_event_id alloc, free, old_free;
	} pairs[] = {
		{EVENT_kmalloc, EVENT_kfree, EVENT_kfree},
		{EVENT_kmalloc_node, EVENT_kfree, EVENT_kfree},
		{EVENT_kmem_cache_alloc, EVENT_kmem_cache_free, EVENT_kmem_cache_free},
		{EVENT_kmem_cache_alloc_node, EVENT_kmem_cache_free, EVENT_kmem_cache_free},
		{EVENT_mm_page_alloc, EVENT_mm_page_free, EVENT_mm_page_free_direct},
		{EVENT_alloc_vmap_area, EVENT_free_vmap_area_noflush, EVENT_free_vmap_area_noflush},
		{EVENT_percpu_alloc_percpu, EVENT_percpu_free_percpu, EVENT_percpu_free_percpu},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct known_event *free = &known_events[pairs[i].free];

		if (known_events[pairs[i].alloc].neutral.kind != alloc ||
		    !(k->recorded >> pairs[i].alloc & 1))
			continue;
		/* an event that was recorded may not have occurred */
		if (k->only_seen && k->v[free->neutral.kind].samples)
			continue;
		if (!((k->recorded >> pairs[i].free | k->recorded >> pairs[i].old_free) & 1))
			return free->name;
	}
	return NULL;
}
