/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_completer: determines values of an allocation that its tracepoint lacks.
 *
 * They are the call site and the size of pages, the node, and names. A value is only determined if
 * a table groups by its key or a filter needs it. The completer owns the names of threads and the
 * paths of control groups; interned strings go to the caller's struct key_names. Symbols, call
 * sites and source must outlive it.
 */
#ifndef DECODE_COMPLETION_H
#define DECODE_COMPLETION_H

#include "util/decode/callsite.h"
#include "util/event/key.h"
#include "util/event/kmalloc_cache.h"
#include "util/event/kmem_event.h"
#include "util/decode/recent_stacks.h"
#include "util/machine/cgroups.h"
#include "util/machine/threads.h"

#define MAX_STACK_DEFAULT 127
#define RECENT_CACHES	  512  /* a power of two */
#define RECENT_SITES	  8192 /* a power of two */

/* Bits of the keys that come from user callchains. */
#define USER_KEYS                                                                                  \
	(KEY_BIT(KEY_USTACK) | KEY_BIT(KEY_USYM) | KEY_BIT(KEY_UDSO) | KEY_BIT(KEY_USRCLINE))

struct event_completer {
	key_mask_t wanted; /* bits of enum kmem_key */
	unsigned int max_stack;
	uint32_t page_size; /* bytes */
	uint64_t end_ns;    /* reference time of ages */
	struct gfp_masks gfp;
	struct kmalloc_caches kmalloc;
	struct table kmalloc_names; /* size and family -> interned name of a cache */
	struct key_names *names;
	struct threads threads;
	struct cgroups cgroups;
	struct callsite_finder *callsites;
	struct callsite_finder *areas; /* callers of vmalloc; NULL: no such events */
	const struct symbols *symbols;
	const struct source_facts *source;
	struct user_stacks *user; /* may be NULL */
	bool user_in_stack;	  /* KEY_STACK continues into user space */
	bool user_later;	  /* user callchains only by event_completer_fill_user() */
	bool cut_stacks;	  /* some have no more than a call site: there are too many */
	struct recent_stacks stacks;
	uint32_t epoch;	      /* version of identities (util/symbol/symbols.h) */
	struct table modules; /* call site -> interned module, cached */
	/* names of caches by the low bits of the source's id; of kmalloc caches, by the key of
	 * kmalloc_names */
	struct recent_cache {
		uint64_t id;
		uint32_t name;
	} recent_caches[RECENT_CACHES], recent_kmallocs[RECENT_CACHES];
	/* for call sites of slab objects: the latest cache, and the stack without a callchain, as
	 * numbers + 1; 0: unknown */
	struct recent_site {
		uint64_t callsite;
		uint32_t cache, stack;
	} recent_sites[RECENT_SITES];
};

void event_completer_init(struct event_completer *m, struct key_names *names,
			  struct callsite_finder *callsites, const struct symbols *symbols,
			  const struct source_facts *source);
void event_completer_deinit(struct event_completer *m);

/* Numbers of stacks may change their meaning: drop cached ones. */
void event_completer_forget_stacks(struct event_completer *m);

static inline void event_completer_want(struct event_completer *m, enum kmem_key key)
{
	m->wanted |= KEY_BIT(key);
}

static inline bool event_completer_wants(const struct event_completer *m, enum kmem_key key)
{
	return m->wanted >> key & 1;
}

/* Names that came with an event; NULL if unknown. */
struct event_names {
	const char *comm, *cache, *memcg;
	uint64_t cache_id; /* as in struct complete_event */
};

/* The keys whose values need work, except the call site of a slab object. */
#define OTHER_NAMED_KEYS                                                                           \
	(KEY_BIT(KEY_COMM) | KEY_BIT(KEY_MODULE) | CGROUP_KEYS | KEY_BIT(KEY_MEMCG) |              \
	 KEY_BIT(KEY_AGE))
#define NAMED_KEYS                                                                                 \
	(KEY_BIT(KEY_STACK) | KEY_BIT(KEY_CACHE) | KEY_BIT(KEY_ACCOUNTED) | OTHER_NAMED_KEYS |     \
	 USER_KEYS)

/* The requested node, otherwise the CPU's; and whether both are known and differ. */
static inline void event_completer_fill_node(const struct event_completer *m, struct kmem_event *ev)
{
	int32_t here = source_facts_cpu_node(m->source, ev->cpu);

	if (ev->node == NUMA_NO_NODE)
		ev->node = here;
	else if (here != NUMA_NO_NODE && ev->node != here)
		ev->cross_node = true;
}

/* event_completer_fill() of any event. */
int event_completer_fill_any(struct event_completer *m, const struct sample *sample,
			     const struct event_names *names, struct kmem_event *ev);

/*
 * Complete the event of an allocation. Only the sample's callchain and cgroup are used. Slab
 * objects by call site need little, which is done inline. Errors: -ENOMEM.
 */
static inline int event_completer_fill(struct event_completer *m, const struct sample *sample,
				       const struct event_names *names, struct kmem_event *ev)
{
	if (ev->kind != KMEM_SLAB_ALLOC || m->wanted & NAMED_KEYS)
		return event_completer_fill_any(m, sample, names, ev);
	event_completer_fill_node(m, ev);
	return 0;
}

/*
 * The user part of a filled event, with `user_later`: its keys, and its part of KEY_STACK. No
 * filter needs them, and unwinding a copied stack takes longer than everything else, so it is left
 * to events that pass the filter. Errors: -ENOMEM.
 */
int event_completer_fill_user(struct event_completer *m, const struct sample *sample,
			      struct kmem_event *ev);

/*
 * Determine the wanted keys that any event has: comm, node and cgroup. comm: the name that came
 * with the event; may be NULL. Errors: -ENOMEM.
 */
int event_completer_fill_context(struct event_completer *m, const struct sample *sample,
				 const char *comm, struct kmem_event *ev);

#endif
