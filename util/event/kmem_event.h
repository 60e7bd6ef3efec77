/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_event: an allocation, a free or another event of the allocators, decoded.
 *
 * It does not depend on its source (a sample, see kmem_decoder.h; a program in the kernel; a line
 * of text). Values that its source lacks are neutral: node NUMA_NO_NODE, everything else 0.
 */
#ifndef EVENT_KMEM_EVENT_H
#define EVENT_KMEM_EVENT_H

#include "util/event/cache_id.h"
#include "util/source/facts.h"

#define PFN_NONE UINT64_MAX /* -1 of a long, whatever its size in the recording */

enum kmem_kind {
	KMEM_OTHER, /* not a kmem event that is accounted */
	KMEM_SLAB_ALLOC,
	KMEM_SLAB_FREE,
	KMEM_SLAB_FREE_RCU, /* will be freed after a grace period */
	KMEM_PAGE_ALLOC,
	KMEM_PAGE_FREE,
	KMEM_PAGE_FREE_BATCHED, /* in addition to the KMEM_PAGE_FREE of the same page */
	KMEM_PAGE_ZONE_LOCKED,	/* taken from the buddy allocator */
	KMEM_PAGE_PCPU_DRAIN,	/* returned to it from a per-CPU list */
	KMEM_PAGE_EXTFRAG,	/* fell back to another migrate type */
	KMEM_VMALLOC_ALLOC,	/* an area of vmalloc space, with its guard page */
	KMEM_VMALLOC_FREE,	/* lazily: the area is purged later */
	KMEM_VMALLOC_PURGE,
	KMEM_PERCPU_ALLOC, /* of the percpu allocator; the page kinds concern per-CPU lists */
	KMEM_PERCPU_FREE,
	KMEM_PERCPU_CREATE, /* a chunk */
	KMEM_PERCPU_DESTROY,
	KMEM_OWN, /* and up: tracepoints that only one account uses */
};

#define KMEM_KINDS     32 /* for a mask of kinds */
#define KIND_BIT(kind) (1u << (kind))

static inline bool kmem_kind_is_slab(enum kmem_kind kind)
{
	return kind == KMEM_SLAB_ALLOC || kind == KMEM_SLAB_FREE || kind == KMEM_SLAB_FREE_RCU;
}

static inline bool kmem_kind_is_page(enum kmem_kind kind)
{
	return kind == KMEM_PAGE_ALLOC || kind == KMEM_PAGE_FREE;
}

/* Kinds of events with a pointer and a size, but without a cache. */
static inline bool kmem_kind_is_range(enum kmem_kind kind)
{
	return kind >= KMEM_VMALLOC_ALLOC && kind <= KMEM_PERCPU_DESTROY;
}

static inline bool kmem_kind_is_internal(enum kmem_kind kind)
{
	return kind == KMEM_PAGE_ZONE_LOCKED || kind == KMEM_PAGE_PCPU_DRAIN ||
	       kind == KMEM_PAGE_FREE_BATCHED || kind == KMEM_PAGE_EXTFRAG;
}

/* Bits of the kinds that rows can have. */
#define KMEM_ALLOCATIONS                                                                           \
	(1u << KMEM_SLAB_ALLOC | 1u << KMEM_PAGE_ALLOC | 1u << KMEM_VMALLOC_ALLOC |                \
	 1u << KMEM_PERCPU_ALLOC)

/* No kernel has a larger order (MAX_PAGE_ORDER is at most 15). A larger one means a broken
 * sample. */
#define PAGE_ORDER_MAX 15

/* The two traces of an allocation (util/accounts/trace_pair.h) are about a microsecond apart,
 * unless an interrupt occurs between them. */
#define TRACE_PAIR_NS 100000

#define OWN_FIELDS	    4
#define OWN_TRACEPOINTS_MAX (KMEM_KINDS - KMEM_OWN)

/*
 * The limit of an object's size: the largest block of the largest pages (PAGE_ORDER_MAX; 256 KiB),
 * so that sums of sizes cannot wrap. (Failed allocations may have requested any number of bytes.)
 */
#define SLAB_BYTES_MAX (1ull << 33)

/* Limits of an area of vmalloc space, and of a percpu allocation on one CPU. */
#define VMALLOC_BYTES_MAX (1ull << 40)
#define PERCPU_BYTES_MAX  (1ull << 24)

/*
 * Passed by value between threads (util/base/handoff.h), so it is small. Values of the tracepoint
 * come from the decoder; values marked "determined" are added later (util/decode/completion.h).
 * Members that most reports use come first, in one cache line; only the used part is passed on
 * (kmem_event_extent()).
 */
struct kmem_event {
	/* so aligned, its size is a multiple of 8 on i386, too, as kmem_event_extent() needs */
	_Alignas(8) uint64_t time_ns;
	uint32_t pid, tid;
	int32_t cpu;	    /* -1: not recorded */
	int32_t node;	    /* the requested node; NUMA_NO_NODE: any */
	uint32_t gfp_flags; /* a gfp_t, whatever the width of its field */
	uint8_t kind;	    /* enum kmem_kind */
	uint8_t accounted;  /* charged to a memory cgroup; in kmem_cache_alloc since 6.1 */
	union {
		uint8_t percpu_refill;	  /* KMEM_PAGE_ZONE_LOCKED: for a per-CPU list */
		uint8_t change_ownership; /* KMEM_PAGE_EXTFRAG: the pageblock's type as well */
		uint8_t failed;		  /* KMEM_VMALLOC_ALLOC */
		uint8_t own;		  /* KMEM_OWN: number of the account's tracepoint */
	};
	bool is_kmalloc : 1;	/* kmalloc or kmalloc_node */
	bool by_address : 1;	/* `page` is the address of a struct page, as before 4.1 */
	bool has_accounted : 1; /* otherwise `accounted` is determined later */
	/* determined */
	bool in_window : 1;    /* in the requested time windows; true until determined */
	bool late : 1;	       /* after all windows, by at most TRACE_PAIR_NS */
	bool filtered_out : 1; /* tracked, but never counted: see struct account_ops */
	bool cross_node : 1;   /* another node than the CPU's was requested */
	/* not determined: other events of the source contradict its pageblock */
	bool pageblock_unclear : 1;
	uint64_t call_site; /* for pages: determined */
	union {
		struct {
			union {
				uint64_t ptr;  /* slab, vmalloc, percpu; 0: it failed */
				uint64_t page; /* pfn; PFN_NONE, or 0: the allocation failed */
			};
			union {
				/* for page allocations: determined; of a percpu allocation on one
				 * CPU, until it is determined for all */
				uint64_t bytes_req;
				struct { /* KMEM_PAGE_EXTFRAG */
					uint32_t fallback_order;
					int32_t fallback_migratetype;
				};
			};
			union {
				/* slab; KMEM_VMALLOC_FREE: pages that wait to be purged;
				 * KMEM_VMALLOC_PURGE: number of areas */
				uint64_t bytes_alloc;
				struct { /* page; for a fallback: the requested type */
					uint32_t order;
					int32_t migratetype;
				};
			};
			union {
				uint32_t cache_id; /* slab: see cache_id.h */
				struct {	   /* page, from sources that inspect memory */
					int8_t block_migratetype; /* of its pageblock */
					uint8_t migrate_reason;	  /* enum migrate_reason */
					uint8_t age_class;	  /* determined; enum age_class */
					int8_t zone;		  /* in the node; -1: unknown */
				};
			};
			uint32_t stack; /* determined, like the following ones */
		};
		uint64_t values[OWN_FIELDS]; /* KMEM_OWN: its fields, sign-extended */
	};
	/* determined: numbers of interned names, for allocations */
	union {
		uint32_t cache; /* slab */
		uint32_t memcg; /* page: the charged cgroup */
		uint32_t use;	/* vmalloc: enum area_use */
	};
	uint32_t comm;
	union {
		uint32_t module;
		uint32_t task_comm; /* KMEM_OWN: see struct kmem_tracepoint */
	};
	uint32_t cgroup;
	uint32_t ustack, usym, udso, usrcline; /* of user space */
	uint32_t container, pod, unit;	       /* parts of the cgroup's path */
};

/* A tracepoint that only one account uses (util/kmem/account.h). */
struct kmem_tracepoint {
	const char *name;		/* "kmem:rss_stat" */
	const char *fields[OWN_FIELDS]; /* numeric fields, which become values[] of the event */
	unsigned int nr_needed;		/* number of required fields, which come first */
	bool callchain;			/* record the kernel callchain, for call_site */
	bool optional;			/* some kernels are built without it */
	unsigned int task_field;	/* from 1: the field with a tid, for task_comm; 0: none */
};

/* A tracepoint of an account, and the kind of its events. */
struct own_tracepoint {
	const struct kmem_tracepoint *tracepoint;
	unsigned int kind; /* KMEM_OWN and up */
	unsigned int own;  /* its number in the account */
};

/* Whether its sizes are possible: the order of pages, and objects up to SLAB_BYTES_MAX. */
static inline bool kmem_event_is_sound(const struct kmem_event *ev)
{
	/* for frees the sizes are 0 */
	if (kmem_kind_is_slab(ev->kind))
		return (ev->bytes_req <= SLAB_BYTES_MAX && ev->bytes_alloc <= SLAB_BYTES_MAX) ||
		       !ev->ptr;
	if (ev->kind < KMEM_VMALLOC_ALLOC)
		return ev->order <= PAGE_ORDER_MAX;
	if (ev->kind == KMEM_PERCPU_ALLOC)
		return ev->bytes_req <= PERCPU_BYTES_MAX || !ev->ptr;
	return !kmem_kind_is_range(ev->kind) || ev->bytes_req <= VMALLOC_BYTES_MAX || ev->failed;
}

/* An allocation that failed. */
static inline bool kmem_event_has_failed(const struct kmem_event *ev)
{
	/* page is in the place of ptr */
	return KMEM_ALLOCATIONS >> ev->kind & 1 &&
	       (!ev->ptr || (ev->kind == KMEM_PAGE_ALLOC && ev->page == PFN_NONE));
}

#endif
