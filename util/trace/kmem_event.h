/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_event: one kmem tracepoint, decoded.
 *
 * A struct kmem_decoder is made once for an event of the recording: it binds by the fields that
 * the event has (include/trace/events/kmem.h changed them often), and turning a
 * sample into a kmem_event is a handful of loads.  A field that an event lacks
 * keeps its neutral value: node NUMA_NO_NODE, everything else 0.
 */
#ifndef TRACE_KMEM_EVENT_H
#define TRACE_KMEM_EVENT_H

#include "util/perfdata/recording.h"
#include "util/trace/event_format.h"

#define PFN_NONE UINT64_MAX /* -1 of a long, whatever its size in the recording */

enum kmem_kind {
	KMEM_OTHER, /* not a kmem event that we account */
	KMEM_SLAB_ALLOC,
	KMEM_SLAB_FREE,
	KMEM_PAGE_ALLOC,
	KMEM_PAGE_FREE,
	KMEM_PAGE_FREE_BATCHED, /* beside the KMEM_PAGE_FREE of the same page */
	KMEM_PAGE_ZONE_LOCKED,	/* taken from the buddy allocator */
	KMEM_PAGE_PCPU_DRAIN,	/* given back to it from a per-CPU list */
	KMEM_PAGE_EXTFRAG,	/* fell back to another migrate type */
};

/* Which kinds of events an allocator's report is made of. */
static inline bool kmem_kind_is_slab(enum kmem_kind kind)
{
	return kind == KMEM_SLAB_ALLOC || kind == KMEM_SLAB_FREE;
}

static inline bool kmem_kind_is_page(enum kmem_kind kind)
{
	return kind == KMEM_PAGE_ALLOC || kind == KMEM_PAGE_FREE;
}

static inline bool kmem_kind_is_internal(enum kmem_kind kind)
{
	return kind == KMEM_PAGE_ZONE_LOCKED || kind == KMEM_PAGE_PCPU_DRAIN ||
	       kind == KMEM_PAGE_FREE_BATCHED || kind == KMEM_PAGE_EXTFRAG;
}

struct kmem_event {
	enum kmem_kind kind;
	const struct sample *sample; /* time, CPU, thread, callchain */
	uint64_t call_site;
	uint64_t ptr;
	uint64_t bytes_req; /* of pages: the analysis works both out from the order */
	uint64_t bytes_alloc;
	uint64_t gfp_flags;
	int64_t node;		/* asked for; NUMA_NO_NODE: any */
	uint64_t pfn;		/* all bits set (of a long of any size): the allocation failed */
	uint64_t page;		/* struct page *, only before 4.1 */
	uint64_t order;		/* a fallback's: the order asked for */
	int64_t migratetype;	/* a fallback's: the type asked for */
	uint64_t percpu_refill; /* the page is for a per-CPU list */
	uint64_t fallback_order;
	int64_t fallback_migratetype;
	uint64_t change_ownership; /* the pageblock changed to the type asked for */
	uint64_t accounted;	   /* charged to a memory cgroup; kmem_cache_alloc since 6.1 */
	bool is_kmalloc;	   /* kmalloc or kmalloc_node */
	const struct field_place *cache; /* of its name; see kmem_event_cache() */
};

/* The cache's name, inside the sample; NULL: not told. */
const char *kmem_event_cache(const struct kmem_event *ev);

struct kmem_decoder;

/*
 * The decoder of an event; *ret_decoder is NULL when it is none of ours. Errors: -EINVAL
 * when a kmem event lacks a field that it must have; -ENOMEM.
 */
int kmem_decoder_new(const struct trace *trace, const struct tep_event *event,
		     struct kmem_decoder **ret_decoder, struct error *err);
void kmem_decoder_free(struct kmem_decoder *d);

enum kmem_kind kmem_decoder_kind(const struct kmem_decoder *d);

/* Does the event tell pages by pfn (since 4.1), or only by the address of struct page? */
bool kmem_decoder_has_pfn(const struct kmem_decoder *d);

/* Errors: -EINVAL when the raw data are too short for the fields. */
int kmem_decoder_decode(const struct kmem_decoder *d, const struct sample *sample,
			struct kmem_event *ret_event);

#endif
