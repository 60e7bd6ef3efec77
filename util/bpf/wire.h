/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs in the kernel write into the rings: complete events.  And the rings.
 *
 * Included by both sides, kmem.bpf.c and the rest.  An event is a struct bpf_event, whose union has
 * the member of its kind; behind that member, and not visible here, are the cgroup id, the
 * frames of the callchain, and the number and the frames of that of user space, where these were
 * asked for (struct bpf_extra, capture.h).  All is in this
 * machine's byte order, naturally aligned, and sizes are multiples of 8.
 */
#ifndef BPF_WIRE_H
#define BPF_WIRE_H

#ifdef __bpf__
#include "util/bpf/kernel_types.h"
#else
#include <stddef.h>
#include <stdint.h>
#endif

enum bpf_kind {
	BPF_KMALLOC,
	BPF_KMALLOC_NODE, /* an event of its own before 6.1 */
	BPF_CACHE_ALLOC,
	BPF_CACHE_ALLOC_NODE, /* likewise */
	BPF_KFREE,
	BPF_CACHE_FREE,
	BPF_PAGE_ALLOC,
	BPF_PAGE_FREE,
	BPF_PAGE_FREE_BATCHED,
	BPF_ZONE_LOCKED, /* mm_page_alloc_zone_locked */
	BPF_PCPU_DRAIN,
	BPF_EXTFRAG,
	BPF_TASK_NEW,
	BPF_TASK_COMM,
	BPF_TASK_EXIT,
	BPF_KINDS
};

#define BPF_COMM_LEN 16 /* the kernel's TASK_COMM_LEN */

/* Sizes as the tracepoint reports them: of a failed allocation they may be anything. */
struct bpf_kmalloc {
	uint64_t bytes_req, bytes_alloc;
	uint32_t gfp;
	int32_t node; /* -1: any */
};

struct bpf_cache_alloc {
	uint64_t cache; /* struct kmem_cache *; 0: not known (before 5.19) */
	uint32_t bytes_req, bytes_alloc;
	uint32_t gfp;
	int16_t node;	  /* -1: any */
	uint16_t account; /* 1: __GFP_ACCOUNT or a cache whose objects are all accounted */
};

struct bpf_cache_free {
	uint64_t cache; /* struct kmem_cache *, or the name (const char *): see bpf_capture_cache()
			 */
};

struct bpf_page_alloc {
	uint32_t order;
	uint32_t gfp;
	int32_t migratetype;
	int32_t unused;
};

struct bpf_page_free {
	uint32_t order; /* 0 for BPF_PAGE_FREE_BATCHED */
	uint32_t unused;
};

struct bpf_zone_locked { /* and BPF_PCPU_DRAIN */
	uint32_t order;
	int32_t migratetype;
	int32_t percpu_refill; /* -1: this kernel does not say */
	int32_t unused;
};

struct bpf_extfrag {
	int32_t alloc_order, fallback_order;
	int32_t alloc_migratetype, fallback_migratetype;
	int32_t change_ownership;
	int32_t unused;
};

/*
 * The new task; the event's own pid and tid are those of its parent.  Its name is empty unless it
 * differs from its parent's.  That of a kernel thread differs since 6.5 ("kernel: Allow a kernel
 * thread's name to be set in copy_process"), and the thread is never renamed.
 */
struct bpf_task_new {
	uint32_t pid, tid;
	char comm[BPF_COMM_LEN];
};

/* A task has a new name; this task need not be the one that the event's pid and tid name. */
struct bpf_task_comm {
	uint32_t pid, tid;
	char comm[BPF_COMM_LEN];
};

struct bpf_event {
	uint64_t time_ns;    /* CLOCK_MONOTONIC */
	uint32_t pid : 24;   /* of the initial pid namespace; below 2^22 */
	uint32_t kind : 8;   /* enum bpf_kind */
	uint32_t tid : 24;   /* 0: the idle task */
	uint32_t frames : 8; /* private to this folder: how many struct bpf_extra tells */
	uint64_t call_site;  /* slab kinds; else 0 */
	union {
		uint64_t ptr; /* slab kinds; 0: failed, or kfree(NULL) */
		uint64_t pfn; /* page kinds; ~0: failed, as the tracepoint reports it */
	};
	union {
		struct bpf_kmalloc kmalloc;	    /* BPF_KMALLOC, BPF_KMALLOC_NODE */
		struct bpf_cache_alloc cache_alloc; /* BPF_CACHE_ALLOC, BPF_CACHE_ALLOC_NODE */
		struct bpf_cache_free cache_free;   /* BPF_CACHE_FREE */
		struct bpf_page_alloc page_alloc;   /* BPF_PAGE_ALLOC */
		struct bpf_page_free page_free;	    /* BPF_PAGE_FREE, BPF_PAGE_FREE_BATCHED */
		struct bpf_zone_locked zone_locked; /* BPF_ZONE_LOCKED, BPF_PCPU_DRAIN */
		struct bpf_extfrag extfrag;	    /* BPF_EXTFRAG */
		struct bpf_task_new task_new;	    /* BPF_TASK_NEW */
		struct bpf_task_comm task_comm;	    /* BPF_TASK_COMM */
	};
};

/* The bytes of an event up to its union. */
#define BPF_EVENT_HEAD 32

/* The bytes of the union's member of each kind, by enum bpf_kind. */
#define BPF_BODY_SIZES                                                                             \
	{                                                                                          \
		[BPF_KMALLOC] = sizeof(struct bpf_kmalloc),                                        \
		[BPF_KMALLOC_NODE] = sizeof(struct bpf_kmalloc),                                   \
		[BPF_CACHE_ALLOC] = sizeof(struct bpf_cache_alloc),                                \
		[BPF_CACHE_ALLOC_NODE] = sizeof(struct bpf_cache_alloc),                           \
		[BPF_CACHE_FREE] = sizeof(struct bpf_cache_free),                                  \
		[BPF_PAGE_ALLOC] = sizeof(struct bpf_page_alloc),                                  \
		[BPF_PAGE_FREE] = sizeof(struct bpf_page_free),                                    \
		[BPF_PAGE_FREE_BATCHED] = sizeof(struct bpf_page_free),                            \
		[BPF_ZONE_LOCKED] = sizeof(struct bpf_zone_locked),                                \
		[BPF_PCPU_DRAIN] = sizeof(struct bpf_zone_locked),                                 \
		[BPF_EXTFRAG] = sizeof(struct bpf_extfrag),                                        \
		[BPF_TASK_NEW] = sizeof(struct bpf_task_new),                                      \
		[BPF_TASK_COMM] = sizeof(struct bpf_task_comm),                                    \
	}

/* What count.bpf.c counts by; the kind is another table. */
struct bpf_count_key {
	uint64_t call_site;
	uint64_t cache;	       /* as in events; 0 for kmalloc and kfree */
	uint32_t object_bytes; /* taken by each object; 0: they failed, or are freed */
	uint32_t gfp;	       /* of BPF_COUNT_GFP: what chooses a cache of kmalloc */
};

/* DMA, RECLAIMABLE, ACCOUNT: the same on all kernels so far */
#define BPF_COUNT_GFP 0x400011u

struct bpf_count_row_memory {
	struct bpf_count_key key;
	uint64_t hits; /* 0: the row is free */
	uint64_t bytes_req;
};

/* How many rows are looked at before an event counts as lost. */
#define BPF_COUNT_PROBES 32

/*
 * The events of one CPU: a ring of bytes, which the programs write and the reader maps.
 *
 * A position counts all bytes since the beginning.  The ring is cut into chunks, each the value of
 * an element of the map `chunks`: an event begins at its position modulo the size of the ring, and
 * where that is near the end of a chunk it goes on in the chunk's last bytes, which no position
 * leads to.  There is nothing between events: how long one is follows from its kind.
 *
 * Programs on a CPU write one inside another, as interrupts do: one that begins later ends earlier.
 * So when the outermost one ends, all that was reserved is complete.
 */
struct bpf_ring_head {
	uint64_t first_chunk;
	uint64_t bytes;				   /* 0: this CPU is not captured */
	uint64_t reserved;			   /* where the next event begins */
	uint64_t committed;			   /* up to here they are complete */
	uint64_t depth;				   /* how many programs are writing */
	uint64_t lost[BPF_KINDS];		   /* events for which there was no room */
	uint64_t caught[BPF_KINDS];		   /* events that only the second program saw */
	uint64_t walked, not_walked, walked_wrong; /* callchains: see unwind.bpf.h */
	/* written by the reader alone, so in a cache line of its own: up to here it needs nothing
	 * any more */
	uint64_t consumed __attribute__((aligned(64)));
};

/* At most; a ring that is smaller is one chunk. */
#define BPF_CHUNK_BYTES 65536

/*
 * What the program calibrate sees of one page allocation by a thread of ours, in its own context:
 * where things are that no symbol tells.
 */
#define BPF_CALIBRATION_FRAMES 32
#define BPF_CALIBRATIONS       16

struct bpf_calibration {
	uint64_t page;		     /* struct page * */
	uint64_t stack, stack_usage; /* the task's kernel stack, and an address in it */
	uint64_t preempt_count;	     /* of this CPU; ~0: not read */
	int64_t frames_bytes;
	uint64_t frames[BPF_CALIBRATION_FRAMES];
};

/* What unwind.bpf.h remembers: return addresses; a power of two. */
#define BPF_RETURNS 32768

/* Code that tracers put return addresses of instead of the true ones. */
#define BPF_TRAMPOLINES 3

/* What the program find_symbol is asked, and its answer. */
struct bpf_symbol_query {
	char name[40];
	uint64_t address; /* 0: not known */
};

/* What the program read_cache is asked, and its answer. */
struct bpf_cache_query {
	uint64_t address; /* of the cache, or of its name */
	uint32_t is_name;
	uint32_t object_size, size, flags; /* of struct kmem_cache */
	char name[64];			   /* empty: not readable */
};

#endif
