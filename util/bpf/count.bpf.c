// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts in the kernel instead of events: hits and bytes by call site and cache, for each CPU.
 *
 * A row belongs to one kind of event, so the program that writes to it on a CPU is never
 * interrupted by another that does.
 */
#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf/wire.h"
#include "util/bpf/wanted.bpf.h"

const volatile bool filter_cpus;

/* Memory for all rows is there from the beginning: none may be allocated inside an allocation. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__type(key, struct bpf_count_key);
	__type(value, struct bpf_count_figures);
} rows SEC(".maps");

/* By kind: events for which there was no row left. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, BPF_KINDS);
	__type(key, uint32_t);
	__type(value, uint64_t);
} uncounted SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint32_t);
} cpus SEC(".maps");

static __always_inline bool is_counted(const void *ctx, uint32_t kind)
{
	if (!enabled)
		return false;
	if (filter_cpus) {
		uint32_t cpu = bpf_get_smp_processor_id();
		const uint32_t *wanted = bpf_map_lookup_elem(&cpus, &cpu);

		if (!wanted || !*wanted)
			return false;
	}
	if (!own_tgid && !filter_tasks && !filter_cgroup)
		return true;
	return is_wanted(ctx, kind, bpf_get_current_pid_tgid());
}

static __always_inline int count(uint32_t kind, uint64_t call_site, uint64_t cache,
				 uint32_t object_bytes, uint32_t gfp, uint64_t req, uint64_t alloc)
{
	struct bpf_count_key key = {call_site, cache, object_bytes, gfp & BPF_COUNT_GFP, kind, 0};
	struct bpf_count_figures *f = bpf_map_lookup_elem(&rows, &key);
	struct bpf_count_figures none = {0};
	uint64_t *lost;

	if (!f) {
		bpf_map_update_elem(&rows, &key, &none, BPF_NOEXIST);
		f = bpf_map_lookup_elem(&rows, &key);
	}
	if (f) {
		f->hits++;
		f->bytes_req += req;
		f->bytes_alloc += alloc;
		return 0;
	}
	lost = bpf_map_lookup_elem(&uncounted, &kind);
	if (lost)
		++*lost;
	return 0;
}

/* Of a failed allocation nothing but that it failed. */
static __always_inline int count_kmalloc(__u64 *ctx, uint32_t kind, uint64_t req, uint64_t alloc,
					 uint32_t gfp)
{
	if (!is_counted(ctx, kind))
		return 0;
	if (!ctx[1])
		return count(kind, ctx[0], 0, 0, gfp, 0, 0);
	return count(kind, ctx[0], 0, (uint32_t)alloc, gfp, req, alloc);
}

static __always_inline int count_cache_alloc(__u64 *ctx, uint32_t kind, struct kmem_cache *cache,
					     uint64_t req, uint64_t alloc, uint32_t gfp)
{
	if (!is_counted(ctx, kind))
		return 0;
	if (!argument(ctx, 1))
		return count(kind, ctx[0], (uint64_t)cache, 0, gfp, 0, 0);
	if (cache) {
		req = cache->object_size;
		alloc = cache->size;
	}
	return count(kind, ctx[0], (uint64_t)cache, (uint32_t)alloc, gfp, req, alloc);
}

static __always_inline int count_free(__u64 *ctx, uint32_t kind, uint64_t cache)
{
	return is_counted(ctx, kind) ? count(kind, ctx[0], cache, 0, 0, 0, 0) : 0;
}

#define PROGRAM(how, tracepoint, name, call)                                                       \
	SEC(how "/" tracepoint) int name(__u64 *ctx)                                               \
	{                                                                                          \
		return call;                                                                       \
	}

/* The variants are those of kmem.bpf.c, by the same names. */
PROGRAM("raw_tp", "kmalloc", kmalloc, count_kmalloc(ctx, BPF_KMALLOC, ctx[2], ctx[3], ctx[4]))
PROGRAM("raw_tp", "kmalloc", kmalloc_6_0, count_kmalloc(ctx, BPF_KMALLOC, ctx[3], ctx[4], ctx[5]))
PROGRAM("raw_tp", "kmalloc_node", kmalloc_node_6_0,
	count_kmalloc(ctx, BPF_KMALLOC_NODE, ctx[3], ctx[4], ctx[5]))
PROGRAM("raw_tp", "kmalloc", kmalloc_5_15, count_kmalloc(ctx, BPF_KMALLOC, ctx[2], ctx[3], ctx[4]))
PROGRAM("raw_tp", "kmalloc_node", kmalloc_node_5_15,
	count_kmalloc(ctx, BPF_KMALLOC_NODE, ctx[2], ctx[3], ctx[4]))

PROGRAM("tp_btf", "kmem_cache_alloc", cache_alloc,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC, (struct kmem_cache *)ctx[2], 0, 0, ctx[3]))
PROGRAM("tp_btf", "kmem_cache_alloc", cache_alloc_6_0,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC, (struct kmem_cache *)ctx[2], ctx[3], ctx[4],
			  ctx[5]))
PROGRAM("tp_btf", "kmem_cache_alloc_node", cache_alloc_node_6_0,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC_NODE, (struct kmem_cache *)ctx[2], ctx[3], ctx[4],
			  ctx[5]))
PROGRAM("raw_tp", "kmem_cache_alloc", cache_alloc_5_15,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC, NULL, ctx[2], ctx[3], ctx[4]))
PROGRAM("raw_tp", "kmem_cache_alloc_node", cache_alloc_node_5_15,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC_NODE, NULL, ctx[2], ctx[3], ctx[4]))

PROGRAM("raw_tp", "kfree", kfree, count_free(ctx, BPF_KFREE, 0))
PROGRAM("raw_tp", "kmem_cache_free", cache_free, count_free(ctx, BPF_CACHE_FREE, ctx[2]))
PROGRAM("raw_tp", "kmem_cache_free", cache_free_5_11, count_free(ctx, BPF_CACHE_FREE, 0))
