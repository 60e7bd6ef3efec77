/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_event: one kmem tracepoint, decoded.
 *
 * It is the same whatever it was made of (a sample, see kmem_decoder.h; what a program in the
 * kernel wrote; a line of text).  What its source does not say keeps its neutral value: node
 * NUMA_NO_NODE, everything else 0.
 */
#ifndef EVENT_KMEM_EVENT_H
#define EVENT_KMEM_EVENT_H

#include "util/event/cache_id.h"
#include "util/source/facts.h"

#define PFN_NONE UINT64_MAX /* -1 of a long, whatever its size in the recording */

enum kmem_kind {
	KMEM_OTHER, /* not a kmem event that we account */
	KMEM_SLAB_ALLOC,
	KMEM_SLAB_FREE,
	KMEM_PAGE_ALLOC,
	KMEM_PAGE_FREE,
	KMEM_PAGE_FREE_BATCHED, /* in addition to the KMEM_PAGE_FREE of the same page */
	KMEM_PAGE_ZONE_LOCKED,	/* taken from the buddy allocator */
	KMEM_PAGE_PCPU_DRAIN,	/* given back to it from a per-CPU list */
	KMEM_PAGE_EXTFRAG,	/* fell back to another migrate type */
	KMEM_OWN,		/* and up: of tracepoints that one account alone looks at */
};

#define KMEM_KINDS     32 /* bits of a mask */
#define KIND_BIT(kind) (1u << (kind))

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

/* Bits of the kinds of which rows can be. */
#define KMEM_ALLOCATIONS (1u << KMEM_SLAB_ALLOC | 1u << KMEM_PAGE_ALLOC)

/* No kernel allocates larger blocks (MAX_PAGE_ORDER is at most 15); a larger order means a broken
 * sample. */
#define PAGE_ORDER_MAX 15

/* The two traces of an allocation (util/kmem/trace_pair.h) are about a microsecond apart, unless an
 * interrupt comes in between. */
#define TRACE_PAIR_NS 100000

#define OWN_FIELDS	    4
#define OWN_TRACEPOINTS_MAX (KMEM_KINDS - KMEM_OWN)

/*
 * No object is larger: this is the largest block of the largest pages (PAGE_ORDER_MAX; 256 KiB). So
 * sums of sizes cannot wrap.  (Failed allocations may have asked for any number of bytes.)
 */
#define SLAB_BYTES_MAX (1ull << 33)

/*
 * Passed by value, and small: events go from one thread to another (util/base/handoff.h).  What the
 * tracepoint says comes from the decoder; what is marked "determined" is added later
 * (util/decode/completion.h).  What most reports look at comes first, in one cache line; only as
 * much as they look at is passed on (kmem_event_extent()).
 */
struct kmem_event {
	uint64_t time_ns;
	uint32_t pid, tid;
	int32_t cpu;	    /* -1: not recorded */
	int32_t node;	    /* the one asked for; NUMA_NO_NODE: any */
	uint32_t gfp_flags; /* a gfp_t, whatever the width of its field */
	uint8_t kind;	    /* enum kmem_kind */
	uint8_t accounted;  /* charged to a memory cgroup; in kmem_cache_alloc since 6.1 */
	union {
		uint8_t percpu_refill;	  /* KMEM_PAGE_ZONE_LOCKED: for a per-CPU list */
		uint8_t change_ownership; /* KMEM_PAGE_EXTFRAG: the pageblock's type as well */
		uint8_t own;		  /* KMEM_OWN: which of the account's tracepoints */
	};
	bool is_kmalloc : 1;	  /* kmalloc or kmalloc_node */
	bool by_address : 1;	  /* `page` is the address of a struct page, as before 4.1 */
	bool tells_accounted : 1; /* else `accounted` is determined later */
	/* determined */
	bool in_window : 1;    /* in the requested time windows; true until determined */
	bool late : 1;	       /* after all windows; only the first trace of a pair was in them */
	bool filtered_out : 1; /* tracked, but never counted: see struct account_ops */
	bool cross_node : 1;   /* a node other than the CPU's was asked for */
	/* not determined: in which pageblock it lies is contradicted by others of the source */
	bool pageblock_unclear : 1;
	uint64_t call_site; /* for pages: determined */
	union {
		struct {
			union {
				uint64_t ptr;  /* slab */
				uint64_t page; /* pfn; PFN_NONE, or 0: the allocation failed */
			};
			union {
				uint64_t bytes_req; /* for page allocations: determined */
				struct {	    /* KMEM_PAGE_EXTFRAG */
					uint32_t fallback_order;
					int32_t fallback_migratetype;
				};
			};
			union {
				uint64_t bytes_alloc; /* slab */
				struct {	      /* page; for a fallback: what was asked for */
					uint32_t order;
					int32_t migratetype;
				};
			};
			union {
				uint32_t cache_id; /* slab: see cache_id.h */
				struct {	   /* page, if a source looks at memory */
					int8_t block_migratetype; /* of its pageblock */
					uint8_t migrate_reason;	  /* enum migrate_reason */
					uint8_t age_class;	  /* determined; enum age_class */
					int8_t zone;		  /* in the node; -1: unknown */
				};
			};
			uint32_t stack; /* determined, as are the next ones */
		};
		uint64_t values[OWN_FIELDS]; /* KMEM_OWN: its fields, signed ones extended */
	};
	/* determined: numbers of interned names, for allocations */
	union {
		uint32_t cache; /* slab */
		uint32_t memcg; /* page: the one that is charged */
	};
	uint32_t comm, module, cgroup;
	uint32_t ustack, usym, udso, usrcline; /* of user space */
};

/* A tracepoint that only one account looks at (util/kmem/account.h). */
struct kmem_tracepoint {
	const char *name;		/* "kmem:rss_stat" */
	const char *fields[OWN_FIELDS]; /* numbers, that become values[] of the event */
	unsigned int nr_needed;		/* the first ones, without which it means nothing */
	bool callchain;			/* recorded with the kernel's, for call_site */
};

/* A tracepoint of an account, and what its events are. */
struct own_tracepoint {
	const struct kmem_tracepoint *tracepoint;
	unsigned int kind; /* KMEM_OWN and up */
	unsigned int own;  /* its number in the account */
};

/* Its sizes can be: the order of the pages is one, no object is larger than SLAB_BYTES_MAX. */
static inline bool kmem_event_is_sound(const struct kmem_event *ev)
{
	if (!kmem_kind_is_slab(ev->kind))
		return ev->order <= PAGE_ORDER_MAX || ev->kind >= KMEM_OWN;
	/* for frees the sizes are 0 */
	return (ev->bytes_req <= SLAB_BYTES_MAX && ev->bytes_alloc <= SLAB_BYTES_MAX) || !ev->ptr;
}

#endif
