// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs in the kernel: one on each tracepoint, which writes the event into its CPU's ring.
 *
 * What is constant while a capture lasts is in .rodata: the verifier removes the branches that are
 * not needed.  Where kernels differ in a tracepoint's arguments there are several programs for it,
 * of which programs.c loads the one that fits.
 */
#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf/wire.h"

char LICENSE[] SEC("license") = "GPL";

/* Bytes of a kind's record, without and with its frames; 0: not captured. */
const volatile uint32_t record_bytes[BPF_KINDS];
const volatile uint32_t stack_bytes[BPF_KINDS];
const volatile uint32_t own_tgid;		   /* whose events are dropped; 0: nobody's */
const volatile uint32_t gfp_account, slab_account; /* the flags that mean: charged */
const volatile bool filter_tasks;
const volatile bool filter_cgroup;
const volatile bool cgroup_ids;

/* Found out when everything is loaded (calibrate.c). */
uint64_t own_stack_bytes = 16384; /* of a task's kernel stack */
uint64_t vmemmap;		  /* struct page of pfn 0 */
uint32_t page_struct_shift;

bool enabled;

struct bpf_cache_query cache_query; /* for read_cache */

/* The rings by CPU; none for a CPU that is not captured. */
struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__array(values, struct ring);
} rings SEC(".maps");

/* By kind: events for which there was no room. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, BPF_KINDS);
	__type(key, uint32_t);
	__type(value, uint64_t);
} lost SEC(".maps");

/* The tids whose events are wanted. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint32_t);
	__type(value, uint8_t);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint32_t);
} cgroups SEC(".maps");

/* For the helper functions that want a constant, which must not come from a variable. */
static const uint32_t body_sizes[BPF_KINDS] = BPF_BODY_SIZES;

/*
 * Does an interrupt run?  Where the count that says so is not in the task (x86), by the stack:
 * interrupts of all kinds have one of their own, and the arguments, `ctx`, are on it.
 */
static __always_inline bool in_interrupt(const void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint64_t at, stack;

	if (bpf_core_field_exists(task->thread_info.preempt_count))
		return task->thread_info.preempt_count & 0xff0100; /* NMI, hard, serving soft */
	stack = (uint64_t)task->stack;
	/* not to be turned into a subtraction, which the verifier forbids for ctx */
	asm volatile("%0 = %1" : "=r"(at) : "r"(ctx));
	if (at < stack)
		return true;
	asm volatile("%0 += %1" : "+r"(stack) : "r"(own_stack_bytes));
	return at >= stack;
}

static __always_inline bool is_wanted(const void *ctx, uint64_t pid_tgid)
{
	uint32_t tid = (uint32_t)pid_tgid;

	if (own_tgid && pid_tgid >> 32 == own_tgid && !in_interrupt(ctx))
		return false;
	if (filter_tasks && !bpf_map_lookup_elem(&tasks, &tid))
		return false;
	return !filter_cgroup || bpf_current_task_under_cgroup(&cgroups, 0) == 1;
}

static __always_inline uint64_t current_cgroup(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct css_set *set = task->cgroups;
	struct cgroup_subsys_state *css = NULL;

	if (!bpf_core_enum_value_exists(enum cgroup_subsys_id, perf_event_cgrp_id))
		return bpf_get_current_cgroup_id();
	bpf_core_read(&css, sizeof(css),
		      (void **)set->subsys +
			      bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id));
	return BPF_CORE_READ(css, cgroup, kn, id);
}

static __always_inline void count_lost(uint32_t kind)
{
	uint64_t *n = bpf_map_lookup_elem(&lost, &kind);

	if (n)
		++*n;
}

/* A record with its head and what comes behind its body; NULL: not wanted, or no room. */
static __always_inline struct bpf_event *begin(void *ctx, uint32_t kind)
{
	const uint32_t body_end = BPF_EVENT_HEAD + body_sizes[kind];
	uint64_t pid_tgid = bpf_get_current_pid_tgid();
	uint32_t cpu;
	struct bpf_event *e;
	void *ring;
	long got = 0;

	if (!enabled || !is_wanted(ctx, pid_tgid))
		return NULL;
	cpu = bpf_get_smp_processor_id();
	ring = bpf_map_lookup_elem(&rings, &cpu);
	if (!ring)
		return NULL;
	e = bpf_ringbuf_reserve(ring, record_bytes[kind], 0);
	if (!e) {
		count_lost(kind);
		return NULL;
	}
	e->time_ns = bpf_ktime_get_ns();
	if (cgroup_ids)
		*(uint64_t *)((char *)e + body_end) = current_cgroup();
	if (stack_bytes[kind]) {
		got = bpf_get_stack(ctx, (char *)e + body_end + (cgroup_ids ? 8 : 0),
				    stack_bytes[kind], 0);
		if (got < 0)
			got = 0;
	}
	/* two words, not bit by bit */
	((uint32_t *)e)[2] = (uint32_t)(pid_tgid >> 32) | kind << 24;
	((uint32_t *)e)[3] = (uint32_t)pid_tgid | (uint32_t)(got / 8) << 24;
	return e;
}

static __always_inline int end(struct bpf_event *e)
{
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

/* ---- slab ------------------------------------------------------------------------------------ */

static __always_inline int kmalloc_event(__u64 *ctx, uint32_t kind, uint64_t req, uint64_t alloc,
					 uint32_t gfp, int32_t node)
{
	struct bpf_event *e = begin(ctx, kind);

	if (!e)
		return 0;
	e->call_site = ctx[0];
	e->ptr = ctx[1];
	e->kmalloc.bytes_req = req;
	e->kmalloc.bytes_alloc = alloc;
	e->kmalloc.gfp = gfp;
	e->kmalloc.node = node;
	return end(e);
}

static __always_inline int cache_alloc_event(__u64 *ctx, uint32_t kind, struct kmem_cache *cache,
					     uint32_t req, uint32_t alloc, uint32_t gfp,
					     int32_t node)
{
	struct bpf_event *e = begin(ctx, kind);

	if (!e)
		return 0;
	e->call_site = ctx[0];
	e->ptr = ctx[1];
	e->cache_alloc.cache = (uint64_t)cache;
	e->cache_alloc.bytes_req = req;
	e->cache_alloc.bytes_alloc = alloc;
	e->cache_alloc.gfp = gfp;
	e->cache_alloc.node = (int16_t)node;
	e->cache_alloc.account = (gfp & gfp_account) || (cache && cache->flags & slab_account);
	return end(e);
}

/* since 6.1: call_site, ptr, bytes_req, bytes_alloc, gfp, node */
SEC("tp_btf/kmalloc")
int kmalloc(__u64 *ctx)
{
	return kmalloc_event(ctx, BPF_KMALLOC, ctx[2], ctx[3], ctx[4], ctx[5]);
}

/* since 6.1: call_site, ptr, cache, gfp, node */
SEC("tp_btf/kmem_cache_alloc")
int cache_alloc(__u64 *ctx)
{
	struct kmem_cache *cache = (void *)ctx[2];

	return cache_alloc_event(ctx, BPF_CACHE_ALLOC, cache, cache->object_size, cache->size,
				 ctx[3], ctx[4]);
}

SEC("tp_btf/kfree")
int kfree(__u64 *ctx)
{
	struct bpf_event *e = begin(ctx, BPF_KFREE);

	if (!e)
		return 0;
	e->call_site = ctx[0];
	e->ptr = ctx[1];
	return end(e);
}

/* call_site, ptr, cache or its name */
SEC("tp_btf/kmem_cache_free")
int cache_free(__u64 *ctx)
{
	struct bpf_event *e = begin(ctx, BPF_CACHE_FREE);

	if (!e)
		return 0;
	e->call_site = ctx[0];
	e->ptr = ctx[1];
	e->cache_free.cache = ctx[2];
	return end(e);
}

/* ---- run by us ------------------------------------------------------------------------------- */

SEC("syscall")
int read_cache(void *ctx)
{
	struct bpf_cache_query *q = &cache_query;
	struct kmem_cache *cache = (void *)q->address;
	const char *name = (const char *)q->address;

	q->object_size = q->size = q->flags = 0;
	q->name[0] = '\0';
	if (!q->is_name) {
		q->object_size = BPF_CORE_READ(cache, object_size);
		q->size = BPF_CORE_READ(cache, size);
		q->flags = BPF_CORE_READ(cache, flags);
		name = BPF_CORE_READ(cache, name);
	}
	if (bpf_probe_read_kernel_str(q->name, sizeof(q->name), name) < 0)
		q->name[0] = '\0';
	return 0;
}
