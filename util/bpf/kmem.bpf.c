// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The BPF programs: one on each tracepoint, which writes the event into its CPU's ring.
 *
 * Programs on functions are in probes.bpf.h, which becomes part of the same object. Where kernels
 * differ in a tracepoint's arguments there are several programs for it; programs.c selects the one
 * that fits.
 *
 * The kernel does not call a program that is already running on this CPU. If an interrupt frees
 * memory while a program handles the event that it interrupted, or another task allocates while
 * this one is preempted in a program, the kernel skips the program and counts that
 * (recursion_misses). So each program has a second one, NAME_nested, on the same
 * tracepoint. It handles the event if the first one is active, which means that it was skipped, and
 * otherwise does nothing.
 */
#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf/wire.h"
#include "util/bpf/memory.bpf.h"
#include "util/bpf/ring.bpf.h"
#include "util/bpf/wanted.bpf.h"
#include "util/bpf/event.bpf.h"
#include "util/bpf/probes.bpf.h"

/* The two programs of a kind on a tracepoint. All arguments are numbers. */
#define PROGRAMS(tracepoint, name, kind, call)                                                     \
	SEC("raw_tp/" tracepoint) int name(__u64 *ctx)                                             \
	{                                                                                          \
		return call;                                                                       \
	}                                                                                          \
	SEC("raw_tp/" tracepoint) int name##_nested(__u64 *ctx)                                    \
	{                                                                                          \
		return was_skipped(kind) ? call : 0;                                               \
	}

/* ---- slab ------------------------------------------------------------------------------------ */

static __always_inline int kmalloc_event(__u64 *ctx, uint32_t kind, uint64_t req, uint64_t alloc,
					 uint32_t gfp, int32_t node)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_alloc(ctx, kind, ctx[1], &ring);

	if (!e)
		return 0;
	e->call_site = ctx[0];
	e->ptr = ctx[1];
	e->kmalloc.cache = cache_of(ctx[1]);
	e->kmalloc.bytes_req = req;
	e->kmalloc.bytes_alloc = alloc;
	e->kmalloc.gfp_flags = gfp;
	e->kmalloc.node = node;
	return end(ring);
}

static __always_inline int cache_alloc_event(__u64 *ctx, uint32_t kind, uint64_t cache,
					     uint64_t req, uint64_t alloc, uint32_t gfp,
					     int32_t node)
{
	return put_cache_alloc(ctx, kind, ctx[0], ctx[1], cache, req, alloc, gfp, node);
}

/* Since 6.1: call_site, ptr, bytes_req, bytes_alloc, gfp, node */
PROGRAMS("kmalloc", kmalloc, BPF_KMALLOC,
	 kmalloc_event(ctx, BPF_KMALLOC, ctx[2], ctx[3], ctx[4], ctx[5]))
/* 6.0: call_site, ptr, cache, bytes_req, bytes_alloc, gfp[, node] */
PROGRAMS("kmalloc", kmalloc_6_0, BPF_KMALLOC,
	 kmalloc_event(ctx, BPF_KMALLOC, ctx[3], ctx[4], ctx[5], -1))
PROGRAMS("kmalloc_node", kmalloc_node_6_0, BPF_KMALLOC_NODE,
	 kmalloc_event(ctx, BPF_KMALLOC_NODE, ctx[3], ctx[4], ctx[5], ctx[6]))
/* Before: call_site, ptr, bytes_req, bytes_alloc, gfp[, node] */
PROGRAMS("kmalloc", kmalloc_5_15, BPF_KMALLOC,
	 kmalloc_event(ctx, BPF_KMALLOC, ctx[2], ctx[3], ctx[4], -1))
PROGRAMS("kmalloc_node", kmalloc_node_5_15, BPF_KMALLOC_NODE,
	 kmalloc_event(ctx, BPF_KMALLOC_NODE, ctx[2], ctx[3], ctx[4], ctx[5]))

/* Since 6.1: call_site, ptr, cache, gfp, node. The others as kmalloc. */
PROGRAMS("kmem_cache_alloc", cache_alloc, BPF_CACHE_ALLOC,
	 cache_alloc_event(ctx, BPF_CACHE_ALLOC, ctx[2], 0, 0, ctx[3], ctx[4]))
PROGRAMS("kmem_cache_alloc", cache_alloc_6_0, BPF_CACHE_ALLOC,
	 cache_alloc_event(ctx, BPF_CACHE_ALLOC, ctx[2], ctx[3], ctx[4], ctx[5], -1))
PROGRAMS("kmem_cache_alloc_node", cache_alloc_node_6_0, BPF_CACHE_ALLOC_NODE,
	 cache_alloc_event(ctx, BPF_CACHE_ALLOC_NODE, ctx[2], ctx[3], ctx[4], ctx[5], ctx[6]))
PROGRAMS("kmem_cache_alloc", cache_alloc_5_15, BPF_CACHE_ALLOC,
	 cache_alloc_event(ctx, BPF_CACHE_ALLOC, 0, ctx[2], ctx[3], ctx[4], -1))
PROGRAMS("kmem_cache_alloc_node", cache_alloc_node_5_15, BPF_CACHE_ALLOC_NODE,
	 cache_alloc_event(ctx, BPF_CACHE_ALLOC_NODE, 0, ctx[2], ctx[3], ctx[4], ctx[5]))

PROGRAMS("kfree", kfree, BPF_KFREE,
	 put_cache_free(ctx, BPF_KFREE, ctx[0], ctx[1], cache_of(ctx[1])))

/* call_site, ptr, and since 5.12 the cache's name, since 6.1 the cache */
PROGRAMS("kmem_cache_free", cache_free, BPF_CACHE_FREE,
	 put_cache_free(ctx, BPF_CACHE_FREE, ctx[0], ctx[1], ctx[2]))
PROGRAMS("kmem_cache_free", cache_free_5_11, BPF_CACHE_FREE,
	 put_cache_free(ctx, BPF_CACHE_FREE, ctx[0], ctx[1], 0))

/* ---- pages ----------------------------------------------------------------------------------- */

/* Determined before the programs are attached (facts.c). */
uint64_t vmemmap; /* struct page of pfn 0 */
uint64_t page_struct_bytes;
uint32_t page_struct_shift; /* its binary logarithm; 0 if it is not a power of two */

static __always_inline uint64_t page_to_pfn(uint64_t page)
{
	if (!page)
		return ~0ull;
	page -= vmemmap;
	return page_struct_shift ? page >> page_struct_shift : page / page_struct_bytes;
}

static __always_inline struct bpf_event *begin_page(__u64 *ctx, uint32_t kind,
						    struct bpf_ring_head **ret_ring)
{
	struct bpf_event *e = begin_alloc(ctx, kind, ctx[0], ret_ring);

	if (e) {
		e->call_site = 0;
		e->pfn = page_to_pfn(ctx[0]);
	}
	return e;
}

/* page, order, gfp, migratetype */
static __always_inline int page_alloc_event(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_page(ctx, BPF_PAGE_ALLOC, &ring);

	if (!e)
		return 0;
	e->page_alloc.order = ctx[1];
	e->page_alloc.gfp_flags = ctx[2];
	e->page_alloc.migratetype = ctx[3];
	e->page_alloc.unused = 0;
	return end(ring);
}

static __always_inline int page_free_event(__u64 *ctx, uint32_t kind, uint32_t order)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_page(ctx, kind, &ring);

	if (!e)
		return 0;
	e->page_free.order = order;
	e->page_free.unused = 0;
	return end(ring);
}

static __always_inline int zone_event(__u64 *ctx, uint32_t kind, int32_t percpu_refill)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_page(ctx, kind, &ring);

	if (!e)
		return 0;
	e->zone_locked.order = ctx[1];
	e->zone_locked.migratetype = ctx[2];
	e->zone_locked.percpu_refill = percpu_refill;
	e->zone_locked.unused = 0;
	return end(ring);
}

PROGRAMS("mm_page_alloc", page_alloc, BPF_PAGE_ALLOC, page_alloc_event(ctx))
PROGRAMS("mm_page_free", page_free, BPF_PAGE_FREE, page_free_event(ctx, BPF_PAGE_FREE, ctx[1]))
PROGRAMS("mm_page_free_batched", page_free_batched, BPF_PAGE_FREE_BATCHED,
	 page_free_event(ctx, BPF_PAGE_FREE_BATCHED, 0))
/* page, order, migratetype, and since 5.19 percpu_refill */
PROGRAMS("mm_page_alloc_zone_locked", zone_locked, BPF_ZONE_LOCKED,
	 zone_event(ctx, BPF_ZONE_LOCKED, ctx[3]))
PROGRAMS("mm_page_alloc_zone_locked", zone_locked_5_18, BPF_ZONE_LOCKED,
	 zone_event(ctx, BPF_ZONE_LOCKED, 0))
PROGRAMS("mm_page_pcpu_drain", pcpu_drain, BPF_PCPU_DRAIN, zone_event(ctx, BPF_PCPU_DRAIN, 0))

/* Reads the tracepoint's record, not its arguments: only the record has change_ownership. */
SEC("tp/kmem/mm_page_alloc_extfrag")
int extfrag(struct trace_event_raw_mm_page_alloc_extfrag *record)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(record, BPF_EXTFRAG, &ring);

	if (e) {
		e->call_site = 0;
		e->pfn = record->pfn;
		e->extfrag.alloc_order = record->alloc_order;
		e->extfrag.fallback_order = record->fallback_order;
		e->extfrag.alloc_migratetype = record->alloc_migratetype;
		e->extfrag.fallback_migratetype = record->fallback_migratetype;
		e->extfrag.change_ownership = record->change_ownership;
		e->extfrag.unused = 0;
		end(ring);
	}
	return 1; /* 0 would hide it from other users' perf events */
}

/* ---- vmalloc and percpu memory -------------------------------------------------------------- */

/* addr, size, align, vstart, vend, failed */
static __always_inline int vmalloc_alloc_event(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, BPF_VMALLOC_ALLOC, &ring);

	if (!e)
		return 0;
	e->call_site = 0;
	e->ptr = ctx[0];
	e->vmalloc_alloc.align = ctx[2];
	e->vmalloc_alloc.vstart = ctx[3];
	e->vmalloc_alloc.vend = ctx[4];
	e->vmalloc_alloc.size = ctx[1];
	e->vmalloc_alloc.failed = ctx[5];
	e->vmalloc_alloc.unused = 0;
	return end(ring);
}

/* va_start, nr_lazy, nr_lazy_max */
static __always_inline int vmalloc_free_event(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, BPF_VMALLOC_FREE, &ring);

	if (!e)
		return 0;
	e->call_site = 0;
	e->ptr = ctx[0];
	e->vmalloc_free.nr_lazy_max = ctx[2];
	e->vmalloc_free.nr_lazy = ctx[1];
	return end(ring);
}

/* start, end, npurged */
static __always_inline int vmalloc_purge_event(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, BPF_VMALLOC_PURGE, &ring);

	if (!e)
		return 0;
	e->call_site = e->ptr = 0;
	e->vmalloc_purge.start = ctx[0];
	e->vmalloc_purge.end = ctx[1];
	e->vmalloc_purge.npurged = ctx[2];
	e->vmalloc_purge.unused = 0;
	return end(ring);
}

/* call_site, reserved, is_atomic, size, align, base_addr, off, ptr, bytes_alloc, gfp_flags */
static __always_inline int percpu_alloc_event(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, BPF_PERCPU_ALLOC, &ring);

	if (!e)
		return 0;
	e->call_site = ctx[0];
	e->ptr = ctx[7];
	e->percpu_alloc.align = ctx[4];
	e->percpu_alloc.base_addr = ctx[5];
	e->percpu_alloc.off = ctx[6];
	e->percpu_alloc.gfp_flags = ctx[9];
	e->percpu_alloc.reserved = ctx[1] & 1;
	e->percpu_alloc.is_atomic = ctx[2] & 1;
	e->percpu_alloc.size = ctx[3];
	e->percpu_alloc.bytes_alloc = ctx[8];
	return end(ring);
}

/* reserved, is_atomic, size, align */
static __always_inline int percpu_fail_event(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, BPF_PERCPU_FAIL, &ring);

	if (!e)
		return 0;
	e->call_site = e->ptr = 0;
	e->percpu_fail.reserved = ctx[0] & 1;
	e->percpu_fail.is_atomic = ctx[1] & 1;
	e->percpu_fail.align = ctx[3];
	e->percpu_fail.size = ctx[2];
	return end(ring);
}

/* base_addr, off, ptr */
static __always_inline int percpu_free_event(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, BPF_PERCPU_FREE, &ring);

	if (!e)
		return 0;
	e->call_site = 0;
	e->ptr = ctx[2];
	e->percpu_free.base_addr = ctx[0];
	e->percpu_free.off = ctx[1];
	e->percpu_free.unused = 0;
	return end(ring);
}

/* base_addr */
static __always_inline int percpu_chunk_event(__u64 *ctx, uint32_t kind)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, kind, &ring);

	if (!e)
		return 0;
	e->call_site = e->ptr = 0;
	e->percpu_chunk.base_addr = ctx[0];
	return end(ring);
}

PROGRAMS("alloc_vmap_area", vmalloc_alloc, BPF_VMALLOC_ALLOC, vmalloc_alloc_event(ctx))
PROGRAMS("free_vmap_area_noflush", vmalloc_free, BPF_VMALLOC_FREE, vmalloc_free_event(ctx))
PROGRAMS("purge_vmap_area_lazy", vmalloc_purge, BPF_VMALLOC_PURGE, vmalloc_purge_event(ctx))
/* call_site, bytes_alloc and gfp_flags since 5.19 */
PROGRAMS("percpu_alloc_percpu", percpu_alloc, BPF_PERCPU_ALLOC, percpu_alloc_event(ctx))
PROGRAMS("percpu_alloc_percpu_fail", percpu_fail, BPF_PERCPU_FAIL, percpu_fail_event(ctx))
PROGRAMS("percpu_free_percpu", percpu_free, BPF_PERCPU_FREE, percpu_free_event(ctx))
PROGRAMS("percpu_create_chunk", percpu_create, BPF_PERCPU_CREATE,
	 percpu_chunk_event(ctx, BPF_PERCPU_CREATE))
PROGRAMS("percpu_destroy_chunk", percpu_destroy, BPF_PERCPU_DESTROY,
	 percpu_chunk_event(ctx, BPF_PERCPU_DESTROY))

/* ---- waiting for memory ---------------------------------------------------------------------- */

/* A program for an event that no interrupt causes, so it needs no second one. */
#define PROGRAM(tracepoint, name, call)                                                            \
	SEC("raw_tp/" tracepoint) int name(__u64 *ctx)                                             \
	{                                                                                          \
		return call;                                                                       \
	}

static __always_inline struct bpf_event *begin_own(void *ctx, uint32_t kind,
						   struct bpf_ring_head **ret_ring)
{
	struct bpf_event *e = begin(ctx, kind, ret_ring);

	if (e)
		e->call_site = e->ptr = 0;
	return e;
}

static __always_inline int reclaim_begin_event(__u64 *ctx, uint32_t kind, int32_t order,
					       uint32_t gfp_flags)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_own(ctx, kind, &ring);

	if (!e)
		return 0;
	e->reclaim_begin.order = order;
	e->reclaim_begin.gfp_flags = gfp_flags;
	return end(ring);
}

/* nr_reclaimed; since 7.0 also the memory cgroup */
static __always_inline int reclaim_end_event(__u64 *ctx, uint32_t kind)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_own(ctx, kind, &ring);

	if (!e)
		return 0;
	e->reclaim_end.nr_reclaimed = ctx[0];
	return end(ring);
}

/* nid, order, gfp_flags */
static __always_inline int node_reclaim_begin_event(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_own(ctx, BPF_NODE_RECLAIM_BEGIN, &ring);

	if (!e)
		return 0;
	e->node_reclaim_begin.order = ctx[1];
	e->node_reclaim_begin.gfp_flags = ctx[2];
	e->node_reclaim_begin.nid = ctx[0];
	e->node_reclaim_begin.unused = 0;
	return end(ring);
}

/* order, gfp_mask, prio */
static __always_inline int compaction_try_event(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_own(ctx, BPF_COMPACTION_TRY, &ring);

	if (!e)
		return 0;
	e->try_to_compact.order = ctx[0];
	e->try_to_compact.gfp_mask = ctx[1];
	e->try_to_compact.prio = ctx[2];
	e->try_to_compact.unused = 0;
	return end(ring);
}

static __always_inline int compaction_event(__u64 *ctx, uint32_t kind, uint64_t zone_start,
					    uint64_t migrate_pfn, uint64_t free_pfn,
					    uint64_t zone_end, bool sync, int32_t status)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_own(ctx, kind, &ring);

	if (!e)
		return 0;
	e->compaction.sync = sync;
	e->compaction.status = status;
	e->compaction.zone_start = zone_start;
	e->compaction.zone_end = zone_end;
	e->compaction.migrate_pfn = migrate_pfn;
	e->compaction.free_pfn = free_pfn;
	return end(ring);
}

#define CONTROL(member) BPF_CORE_READ((struct compact_control *)ctx[0], member)

/* order, gfp_flags */
PROGRAM("mm_vmscan_direct_reclaim_begin", direct_reclaim_begin,
	reclaim_begin_event(ctx, BPF_DIRECT_RECLAIM_BEGIN, ctx[0], ctx[1]))
PROGRAM("mm_vmscan_memcg_reclaim_begin", memcg_reclaim_begin,
	reclaim_begin_event(ctx, BPF_MEMCG_RECLAIM_BEGIN, ctx[0], ctx[1]))
/* Since 7.0: gfp_flags, order, the memory cgroup */
PROGRAM("mm_vmscan_direct_reclaim_begin", direct_reclaim_begin_7_0,
	reclaim_begin_event(ctx, BPF_DIRECT_RECLAIM_BEGIN, ctx[1], ctx[0]))
PROGRAM("mm_vmscan_memcg_reclaim_begin", memcg_reclaim_begin_7_0,
	reclaim_begin_event(ctx, BPF_MEMCG_RECLAIM_BEGIN, ctx[1], ctx[0]))
PROGRAM("mm_vmscan_direct_reclaim_end", direct_reclaim_end,
	reclaim_end_event(ctx, BPF_DIRECT_RECLAIM_END))
PROGRAM("mm_vmscan_memcg_reclaim_end", memcg_reclaim_end,
	reclaim_end_event(ctx, BPF_MEMCG_RECLAIM_END))
PROGRAM("mm_vmscan_node_reclaim_begin", node_reclaim_begin, node_reclaim_begin_event(ctx))
PROGRAM("mm_vmscan_node_reclaim_end", node_reclaim_end,
	reclaim_end_event(ctx, BPF_NODE_RECLAIM_END))
PROGRAM("mm_compaction_try_to_compact_pages", compaction_try, compaction_try_event(ctx))
/* control, zone_start, zone_end, sync[, status] */
PROGRAM("mm_compaction_begin", compaction_begin,
	compaction_event(ctx, BPF_COMPACTION_BEGIN, ctx[1], CONTROL(migrate_pfn), CONTROL(free_pfn),
			 ctx[2], ctx[3], 0))
PROGRAM("mm_compaction_end", compaction_end,
	compaction_event(ctx, BPF_COMPACTION_END, ctx[1], CONTROL(migrate_pfn), CONTROL(free_pfn),
			 ctx[2], ctx[3], ctx[4]))
/* Before 6.1: zone_start, migrate_pfn, free_pfn, zone_end, sync[, status] */
PROGRAM("mm_compaction_begin", compaction_begin_5_15,
	compaction_event(ctx, BPF_COMPACTION_BEGIN, ctx[0], ctx[1], ctx[2], ctx[3], ctx[4], 0))
PROGRAM("mm_compaction_end", compaction_end_5_15,
	compaction_event(ctx, BPF_COMPACTION_END, ctx[0], ctx[1], ctx[2], ctx[3], ctx[4], ctx[5]))

#define VICTIM(member) (bpf_core_field_exists(record->member) ? record->member : 0)

/* Reads the tracepoint's record: its arguments are the process, or only its number. */
SEC("tp/oom/mark_victim")
int mark_victim(struct trace_event_raw_mark_victim *record)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_own(record, BPF_MARK_VICTIM, &ring);

	if (!e)
		return 1;
	e->mark_victim.pid = record->pid;
	e->mark_victim.uid = VICTIM(uid);
	e->mark_victim.total_vm = VICTIM(total_vm);
	e->mark_victim.anon_rss = VICTIM(anon_rss);
	e->mark_victim.file_rss = VICTIM(file_rss);
	e->mark_victim.shmem_rss = VICTIM(shmem_rss);
	e->mark_victim.pgtables = VICTIM(pgtables);
	e->mark_victim.oom_score_adj = VICTIM(oom_score_adj);
	*(uint64_t *)e->mark_victim.comm = 0;
	if (bpf_core_field_exists(record->__data_loc_comm))
		bpf_probe_read_kernel_str(e->mark_victim.comm, BPF_COMM_LEN,
					  (void *)record + (uint16_t)record->__data_loc_comm);
	end(ring);
	return 1; /* as above */
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* task, clone_flags: called in the parent */
SEC("tp_btf/task_newtask")
int task_new(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0], *parent = bpf_get_current_task_btf();
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, BPF_TASK_NEW, &ring);
	uint64_t names[2][BPF_COMM_LEN / 8];

	if (!e)
		return 0;
	e->call_site = e->ptr = 0;
	e->task_new.pid = task->tgid;
	e->task_new.tid = task->pid;
	__builtin_memcpy(names[0], task->comm, BPF_COMM_LEN);
	__builtin_memcpy(names[1], parent->comm, BPF_COMM_LEN);
	if (names[0][0] == names[1][0] && names[0][1] == names[1][1])
		names[0][0] = names[0][1] = 0;
	__builtin_memcpy(e->task_new.comm, names[0], BPF_COMM_LEN);
	return end(ring);
}

/* task, and its new name */
SEC("tp_btf/task_rename")
int task_comm(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, BPF_TASK_COMM, &ring);
	uint64_t name = 0;

	if (!e)
		return 0;
	e->call_site = e->ptr = 0;
	e->task_comm.pid = task->tgid;
	e->task_comm.tid = task->pid;
	/* before 6.14 a program may only read arguments that point to a struct */
	bpf_probe_read_kernel(&name, sizeof(name), &ctx[1]);
	bpf_probe_read_kernel_str(e->task_comm.comm, BPF_COMM_LEN, (void *)name);
	return end(ring);
}

/* The current task exits. Its last events come after this. */
SEC("tp_btf/sched_process_exit")
int task_exit(__u64 *ctx)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, BPF_TASK_EXIT, &ring);

	if (!e)
		return 0;
	e->call_site = e->ptr = 0;
	return end(ring);
}

/* ---- called by us ---------------------------------------------------------------------------- */

uint64_t per_cpu_map;

/* For each program: the offset of its active counts from `per_cpu`. */
SEC("iter/bpf_prog")
int find_active(struct bpf_iter__bpf_prog *ctx)
{
	struct bpf_prog *prog = ctx->prog;
	void *mine = NULL;
	uint32_t id;

	if (!prog)
		return 0;
	id = prog->aux->id;
	/* written and read back as a number: the verifier knows it as a pointer otherwise */
	*(volatile uint64_t *)&per_cpu_map = (uint64_t)&per_cpu;
	bpf_probe_read_kernel(&mine, sizeof(mine),
			      (void *)*(volatile uint64_t *)&per_cpu_map +
				      bpf_core_field_offset(struct bpf_array, pptrs));
	for (uint32_t kind = 0; kind < BPF_KINDS; kind++)
		if (id == program_ids[kind] && mine)
			active_from[kind] = (uint64_t)prog->active - (uint64_t)mine;
	return 0;
}
