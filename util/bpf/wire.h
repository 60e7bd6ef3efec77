/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings that the BPF programs write, and the complete events in them.
 *
 * Included by both sides, kmem.bpf.c and user space. An event is a struct bpf_event, whose union
 * has the layout of its kind. Behind that layout, and not visible here, are the optional data
 * (struct bpf_extra, capture.h): the cgroup id, the kernel frames, and the number and the frames of
 * the user callchain. Everything is in this machine's byte order and naturally aligned; sizes are
 * multiples of 8.
 */
#ifndef BPF_WIRE_H
#define BPF_WIRE_H

#ifdef __bpf__
#include "util/bpf/kernel_types.h"
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

/* User frames follow their number and a word that is free; or is the first frame, and the number
 * does not count it. */
#define BPF_USER_HEAD	16
#define BPF_USER_CALLER (1ull << 32)

/*
 * The fields of the events, one list for each layout. FIELD(type, field, member): `field` of the
 * tracepoint, which becomes `member` of a struct kmem_event (util/event). OTHER(type, name): not
 * part of either. A layout's size is a multiple of 8, and the programs write all of it.
 */
#define BPF_FIELDS_none(FIELD, OTHER)

/* cache: struct kmem_cache *; 0 if unknown (large ones, and where no program can find it). Sizes as
 * the tracepoint reports them; those of a failed allocation may be anything. node: -1 is any. */
#define BPF_FIELDS_kmalloc(FIELD, OTHER)                                                           \
	OTHER(uint64_t, cache)                                                                     \
	FIELD(uint64_t, bytes_req, bytes_req)                                                      \
	FIELD(uint64_t, bytes_alloc, bytes_alloc)                                                  \
	FIELD(uint32_t, gfp_flags, gfp_flags)                                                      \
	FIELD(int32_t, node, node)

/* cache: struct kmem_cache *; 0 if unknown (before 5.19). accounted: 1 for __GFP_ACCOUNT, and for a
 * cache whose objects are all accounted. */
#define BPF_FIELDS_cache_alloc(FIELD, OTHER)                                                       \
	OTHER(uint64_t, cache)                                                                     \
	FIELD(uint32_t, bytes_req, bytes_req)                                                      \
	FIELD(uint32_t, bytes_alloc, bytes_alloc)                                                  \
	FIELD(uint32_t, gfp_flags, gfp_flags)                                                      \
	FIELD(int16_t, node, node)                                                                 \
	FIELD(uint16_t, accounted, accounted)

/* cache: struct kmem_cache *, or its name (const char *): see bpf_capture_cache(). 0: unknown. */
#define BPF_FIELDS_cache_free(FIELD, OTHER) OTHER(uint64_t, cache)

#define BPF_FIELDS_page_alloc(FIELD, OTHER)                                                        \
	FIELD(uint32_t, order, order)                                                              \
	FIELD(uint32_t, gfp_flags, gfp_flags)                                                      \
	FIELD(int32_t, migratetype, migratetype)                                                   \
	OTHER(int32_t, unused)

/* order: 0 for BPF_PAGE_FREE_BATCHED. */
#define BPF_FIELDS_page_free(FIELD, OTHER)                                                         \
	FIELD(uint32_t, order, order)                                                              \
	OTHER(uint32_t, unused)

/* percpu_refill: 0 where the kernel lacks it. */
#define BPF_FIELDS_zone_locked(FIELD, OTHER)                                                       \
	FIELD(uint32_t, order, order)                                                              \
	FIELD(int32_t, migratetype, migratetype)                                                   \
	FIELD(int32_t, percpu_refill, percpu_refill)                                               \
	OTHER(int32_t, unused)

#define BPF_FIELDS_extfrag(FIELD, OTHER)                                                           \
	FIELD(int32_t, alloc_order, order)                                                         \
	FIELD(int32_t, fallback_order, fallback_order)                                             \
	FIELD(int32_t, alloc_migratetype, migratetype)                                             \
	FIELD(int32_t, fallback_migratetype, fallback_migratetype)                                 \
	FIELD(int32_t, change_ownership, change_ownership)                                         \
	OTHER(int32_t, unused)

/* Fields that no account uses become a member that a later one overwrites. */
#define BPF_FIELDS_vmalloc_alloc(FIELD, OTHER)                                                     \
	FIELD(uint64_t, align, bytes_alloc)                                                        \
	FIELD(uint64_t, vstart, bytes_alloc)                                                       \
	FIELD(uint64_t, vend, bytes_alloc)                                                         \
	FIELD(uint64_t, size, bytes_req)                                                           \
	FIELD(int32_t, failed, failed)                                                             \
	OTHER(uint32_t, unused)

#define BPF_FIELDS_vmalloc_free(FIELD, OTHER)                                                      \
	FIELD(uint64_t, nr_lazy_max, bytes_alloc)                                                  \
	FIELD(uint64_t, nr_lazy, bytes_alloc)

#define BPF_FIELDS_vmalloc_purge(FIELD, OTHER)                                                     \
	FIELD(uint64_t, start, bytes_alloc)                                                        \
	FIELD(uint64_t, end, bytes_alloc)                                                          \
	FIELD(uint32_t, npurged, bytes_alloc)                                                      \
	OTHER(uint32_t, unused)

#define BPF_FIELDS_percpu_alloc(FIELD, OTHER)                                                      \
	FIELD(uint64_t, align, bytes_alloc)                                                        \
	FIELD(uint64_t, base_addr, bytes_alloc)                                                    \
	FIELD(int32_t, off, bytes_alloc)                                                           \
	FIELD(uint32_t, gfp_flags, gfp_flags)                                                      \
	FIELD(uint32_t, reserved, accounted)                                                       \
	FIELD(uint32_t, is_atomic, accounted)                                                      \
	FIELD(uint64_t, size, bytes_req)                                                           \
	FIELD(uint64_t, bytes_alloc, bytes_alloc)

#define BPF_FIELDS_percpu_fail(FIELD, OTHER)                                                       \
	FIELD(uint32_t, reserved, accounted)                                                       \
	FIELD(uint32_t, is_atomic, accounted)                                                      \
	FIELD(uint64_t, align, bytes_alloc)                                                        \
	FIELD(uint64_t, size, bytes_req)

#define BPF_FIELDS_percpu_free(FIELD, OTHER)                                                       \
	FIELD(uint64_t, base_addr, bytes_alloc)                                                    \
	FIELD(int32_t, off, bytes_alloc)                                                           \
	OTHER(uint32_t, unused)

#define BPF_FIELDS_percpu_chunk(FIELD, OTHER) FIELD(uint64_t, base_addr, bytes_alloc)

/* An event that one account declares (struct kmem_tracepoint) has its fields in values[], in the
 * order of the declaration; fields that the account does not declare are behind them. */
#define BPF_FIELDS_reclaim_begin(FIELD, OTHER)                                                     \
	FIELD(int32_t, order, values[0])                                                           \
	FIELD(uint32_t, gfp_flags, values[1])

#define BPF_FIELDS_node_reclaim_begin(FIELD, OTHER)                                                \
	FIELD(int32_t, order, values[0])                                                           \
	FIELD(uint32_t, gfp_flags, values[1])                                                      \
	FIELD(int32_t, nid, values[2])                                                             \
	OTHER(uint32_t, unused)

#define BPF_FIELDS_reclaim_end(FIELD, OTHER) FIELD(uint64_t, nr_reclaimed, values[0])

#define BPF_FIELDS_try_to_compact(FIELD, OTHER)                                                    \
	FIELD(int32_t, order, values[0])                                                           \
	FIELD(uint32_t, gfp_mask, values[1])                                                       \
	FIELD(int32_t, prio, values[2])                                                            \
	OTHER(uint32_t, unused)

#define BPF_FIELDS_compaction(FIELD, OTHER)                                                        \
	FIELD(int32_t, sync, values[0])                                                            \
	FIELD(int32_t, status, values[1])                                                          \
	FIELD(uint64_t, zone_start, values[2])                                                     \
	FIELD(uint64_t, zone_end, values[3])                                                       \
	FIELD(uint64_t, migrate_pfn, values[2])                                                    \
	FIELD(uint64_t, free_pfn, values[3])

/* The fields behind pid are 0 where the kernel lacks them (before 6.9), and comm is empty. */
#define BPF_FIELDS_mark_victim(FIELD, OTHER)                                                       \
	FIELD(int32_t, pid, values[0])                                                             \
	FIELD(uint32_t, uid, values[1])                                                            \
	FIELD(uint64_t, total_vm, values[2])                                                       \
	FIELD(uint64_t, file_rss, values[2])                                                       \
	FIELD(uint64_t, shmem_rss, values[2])                                                      \
	FIELD(uint64_t, pgtables, values[2])                                                       \
	FIELD(uint64_t, anon_rss, values[2])                                                       \
	FIELD(int64_t, oom_score_adj, values[3])                                                   \
	OTHER(char, comm[16])

#define BPF_LAYOUTS(LAYOUT)                                                                        \
	LAYOUT(none)                                                                               \
	LAYOUT(kmalloc)                                                                            \
	LAYOUT(cache_alloc)                                                                        \
	LAYOUT(cache_free)                                                                         \
	LAYOUT(page_alloc)                                                                         \
	LAYOUT(page_free)                                                                          \
	LAYOUT(zone_locked)                                                                        \
	LAYOUT(extfrag)                                                                            \
	LAYOUT(reclaim_begin)                                                                      \
	LAYOUT(node_reclaim_begin)                                                                 \
	LAYOUT(reclaim_end)                                                                        \
	LAYOUT(try_to_compact)                                                                     \
	LAYOUT(compaction)                                                                         \
	LAYOUT(mark_victim)                                                                        \
	LAYOUT(vmalloc_alloc)                                                                      \
	LAYOUT(vmalloc_free)                                                                       \
	LAYOUT(vmalloc_purge)                                                                      \
	LAYOUT(percpu_alloc)                                                                       \
	LAYOUT(percpu_fail)                                                                        \
	LAYOUT(percpu_free)                                                                        \
	LAYOUT(percpu_chunk)

/*
 * The events: EVENT(kind, layout, subsystem, name of the tracepoint). kmalloc_node and
 * kmem_cache_alloc_node are events before 6.1.
 */
#define BPF_KNOWN_EVENTS(EVENT) /* of util/event/known_events.h, which has the same names */       \
	EVENT(KMALLOC, kmalloc, kmem, kmalloc)                                                     \
	EVENT(KMALLOC_NODE, kmalloc, kmem, kmalloc_node)                                           \
	EVENT(CACHE_ALLOC, cache_alloc, kmem, kmem_cache_alloc)                                    \
	EVENT(CACHE_ALLOC_NODE, cache_alloc, kmem, kmem_cache_alloc_node)                          \
	EVENT(KFREE, cache_free, kmem, kfree)                                                      \
	EVENT(CACHE_FREE, cache_free, kmem, kmem_cache_free)                                       \
	EVENT(PAGE_ALLOC, page_alloc, kmem, mm_page_alloc)                                         \
	EVENT(PAGE_FREE, page_free, kmem, mm_page_free)                                            \
	EVENT(PAGE_FREE_BATCHED, page_free, kmem, mm_page_free_batched)                            \
	EVENT(ZONE_LOCKED, zone_locked, kmem, mm_page_alloc_zone_locked)                           \
	EVENT(PCPU_DRAIN, zone_locked, kmem, mm_page_pcpu_drain)                                   \
	EVENT(EXTFRAG, extfrag, kmem, mm_page_alloc_extfrag)                                       \
	EVENT(VMALLOC_ALLOC, vmalloc_alloc, vmalloc, alloc_vmap_area)                              \
	EVENT(VMALLOC_FREE, vmalloc_free, vmalloc, free_vmap_area_noflush)                         \
	EVENT(VMALLOC_PURGE, vmalloc_purge, vmalloc, purge_vmap_area_lazy)                         \
	EVENT(PERCPU_ALLOC, percpu_alloc, percpu, percpu_alloc_percpu)                             \
	EVENT(PERCPU_FAIL, percpu_fail, percpu, percpu_alloc_percpu_fail)                          \
	EVENT(PERCPU_FREE, percpu_free, percpu, percpu_free_percpu)                                \
	EVENT(PERCPU_CREATE, percpu_chunk, percpu, percpu_create_chunk)                            \
	EVENT(PERCPU_DESTROY, percpu_chunk, percpu, percpu_destroy_chunk)

#define BPF_OWN_EVENTS(EVENT) /* which one account declares */                                     \
	EVENT(DIRECT_RECLAIM_BEGIN, reclaim_begin, vmscan, mm_vmscan_direct_reclaim_begin)         \
	EVENT(DIRECT_RECLAIM_END, reclaim_end, vmscan, mm_vmscan_direct_reclaim_end)               \
	EVENT(MEMCG_RECLAIM_BEGIN, reclaim_begin, vmscan, mm_vmscan_memcg_reclaim_begin)           \
	EVENT(MEMCG_RECLAIM_END, reclaim_end, vmscan, mm_vmscan_memcg_reclaim_end)                 \
	EVENT(NODE_RECLAIM_BEGIN, node_reclaim_begin, vmscan, mm_vmscan_node_reclaim_begin)        \
	EVENT(NODE_RECLAIM_END, reclaim_end, vmscan, mm_vmscan_node_reclaim_end)                   \
	EVENT(COMPACTION_TRY, try_to_compact, compaction, mm_compaction_try_to_compact_pages)      \
	EVENT(COMPACTION_BEGIN, compaction, compaction, mm_compaction_begin)                       \
	EVENT(COMPACTION_END, compaction, compaction, mm_compaction_end)                           \
	EVENT(MARK_VICTIM, mark_victim, oom, mark_victim)

#define BPF_PROBE_EVENTS(EVENT) /* on functions, as they have no tracepoint: probes.h */           \
	EVENT(FREE_RCU, none, perf_kmem, kvfree_call_rcu)                                          \
	EVENT(FREE_BULK, cache_free, perf_kmem, kmem_cache_free_bulk)                              \
	EVENT(ALLOC_BULK, cache_alloc, perf_kmem, kmem_cache_alloc_bulk)

#define BPF_MEMORY_EVENTS(EVENT)                                                                   \
	BPF_KNOWN_EVENTS(EVENT) BPF_OWN_EVENTS(EVENT) BPF_PROBE_EVENTS(EVENT)

#define BPF_TASK_EVENTS(EVENT)                                                                     \
	EVENT(TASK_NEW, task_new, task, task_newtask)                                              \
	EVENT(TASK_COMM, task_comm, task, task_rename)                                             \
	EVENT(TASK_EXIT, none, sched, sched_process_exit)

#define BPF_EVENTS(EVENT) BPF_MEMORY_EVENTS(EVENT) BPF_TASK_EVENTS(EVENT)

#define BPF_KIND(kind, layout, system, tracepoint) BPF_##kind,
enum bpf_kind { BPF_EVENTS(BPF_KIND) BPF_KINDS };

/* A set of kinds, one bit each. */
typedef uint64_t bpf_kinds_t;
#define BPF_BIT(kind) ((bpf_kinds_t)1 << (kind))
#define BPF_ALL_KINDS (BPF_BIT(BPF_KINDS) - 1)

#define BPF_KIND_BIT(kind, layout, system, tracepoint) | BPF_BIT(BPF_##kind)
#define BPF_PROBE_KINDS				       (0u BPF_PROBE_EVENTS(BPF_KIND_BIT))
#define BPF_TASK_KINDS				       (0u BPF_TASK_EVENTS(BPF_KIND_BIT))

#define BPF_COMM_LEN 16 /* the kernel's TASK_COMM_LEN */

/* struct bpf_kmalloc, and so on. */
#define BPF_MEMBER(type, field, member) type field;
#define BPF_OTHER(type, name)		type name;
#define BPF_STRUCT(layout)                                                                         \
	struct bpf_##layout {                                                                      \
		BPF_FIELDS_##layout(BPF_MEMBER, BPF_OTHER)                                         \
	};
BPF_LAYOUTS(BPF_STRUCT)

/*
 * The new task; the event's own pid and tid are those of its parent. Its name is empty if it equals
 * its parent's. A kernel thread's name differs since 6.5 ("kernel: Allow a kernel thread's name to
 * be set in copy_process"), and the thread is never renamed.
 */
struct bpf_task_new {
	uint32_t pid, tid;
	char comm[BPF_COMM_LEN];
};

/* A task has a new name. The task need not be the one of the event's pid and tid. */
struct bpf_task_comm {
	uint32_t pid, tid;
	char comm[BPF_COMM_LEN];
};

struct bpf_event {
	uint64_t time_ns;    /* CLOCK_MONOTONIC */
	uint32_t pid : 24;   /* of the initial pid namespace; below 2^22 */
	uint32_t kind : 8;   /* enum bpf_kind */
	uint32_t tid : 24;   /* 0: the idle task */
	uint32_t frames : 8; /* private to this folder: the parts that struct bpf_extra has */
	uint64_t call_site;  /* slab kinds; otherwise 0 */
	union {
		uint64_t ptr; /* slab kinds; 0: failed, or kfree(NULL) */
		uint64_t pfn; /* page kinds; ~0: failed, as the tracepoint reports it */
	};
#define BPF_UNION_MEMBER(layout) struct bpf_##layout layout;
	union { /* the member is the layout of the kind */
		BPF_LAYOUTS(BPF_UNION_MEMBER)
		struct bpf_task_new task_new;
		struct bpf_task_comm task_comm;
	};
};

/* The size of an event up to its union, in bytes. */
#define BPF_EVENT_HEAD 32

/* Whether the layout of the kind has `cache`. */
static inline bool bpf_kind_has_cache(enum bpf_kind kind)
{
	return kind <= BPF_CACHE_FREE || kind == BPF_FREE_BULK || kind == BPF_ALLOC_BULK;
}

/* The member `cache` of an event that has it. */
static inline uint64_t bpf_event_cache(const struct bpf_event *ev)
{
	/* all these layouts begin with it */
	return ev->cache_free.cache;
}

/* The size of each kind's member of the union, in bytes. */
#define BPF_BODY_SIZE(kind, layout, system, tracepoint) [BPF_##kind] = sizeof(struct bpf_##layout),
#define BPF_BODY_SIZES                                                                             \
	{                                                                                          \
		BPF_EVENTS(BPF_BODY_SIZE)                                                          \
	}

/* The key of util/counting/count.bpf.c's rows; the kind selects the table. */
struct bpf_count_key {
	uint64_t call_site;
	uint64_t cache;	       /* as in events; 0 for kmalloc and kfree */
	uint32_t object_bytes; /* allocated for each object; 0 for failures and frees */
	uint32_t gfp;	       /* bits of BPF_COUNT_GFP: they select a cache of kmalloc */
};

/* DMA, RECLAIMABLE, ACCOUNT: equal on all kernels so far */
#define BPF_COUNT_GFP 0x400011u

struct bpf_count_row_memory {
	struct bpf_count_key key;
	uint64_t hits; /* 0: the row is free */
	uint64_t bytes_req;
};

/* Number of rows examined before an event counts as lost. */
#define BPF_COUNT_PROBES 32

/*
 * The events of one CPU: a ring of bytes, which the programs write and the reader maps.
 *
 * A position counts all bytes since the start. The ring is cut into chunks, each the value of an
 * element of the map `chunks`. An event begins at its position modulo the size of the ring. Near
 * the end of a chunk it continues in the chunk's last bytes, which have no positions. Events are
 * adjacent: the kind determines the length.
 *
 * Programs on a CPU write nested, as interrupts do: one that begins later ends earlier. So when the
 * outermost one ends, everything reserved is complete.
 */
struct bpf_ring_head {
	uint64_t first_chunk;
	uint64_t bytes;				   /* 0 if this CPU is not captured */
	uint64_t reserved;			   /* position of the next event */
	uint64_t committed;			   /* position up to which events are complete */
	uint64_t depth;				   /* number of programs that are writing */
	uint64_t probing;			   /* a program that may be preempted is writing */
	uint64_t lost[BPF_KINDS];		   /* the ring was full, or probing */
	uint64_t caught[BPF_KINDS];		   /* events that only the second program saw */
	uint64_t walked, not_walked, walked_wrong; /* callchains: see unwind.bpf.h */
	/* written only by the reader, so in its own cache line: position up to which the ring is
	 * released */
	uint64_t consumed __attribute__((aligned(64)));
};

/* The maximum; a smaller ring is one chunk. */
#define BPF_CHUNK_BYTES 65536

/*
 * The program calibrate's view of one page allocation by a thread of ours, in that thread's
 * context, for values without symbols.
 */
#define BPF_CALIBRATION_FRAMES 32
#define BPF_CALIBRATIONS       16

struct bpf_calibration {
	uint64_t page;		     /* struct page * */
	uint64_t stack, stack_usage; /* the task's kernel stack, and an address in it */
	uint64_t preempt_count;	     /* of this CPU; ~0 if it was not read */
	int64_t frames_bytes;
	uint64_t frames[BPF_CALIBRATION_FRAMES];
};

/* Return addresses that unwind.bpf.h remembers; a power of two. */
#define BPF_RETURNS 32768

/* Code whose addresses tracers put in place of return addresses. */
#define BPF_TRAMPOLINES 3

/* The program find_symbol's question and answer. */
struct bpf_symbol_query {
	char name[40];
	uint64_t address; /* 0 if unknown */
};

/* The program read_cache's question and answer. */
struct bpf_cache_query {
	uint64_t address; /* address of the cache, or of its name */
	uint32_t is_name;
	uint32_t object_size, size, flags; /* offsets in struct kmem_cache */
	char name[64];			   /* empty if not readable */
};

#endif
