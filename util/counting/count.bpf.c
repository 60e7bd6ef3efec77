// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts in the kernel instead of events: hits and bytes by call site and cache, for each CPU.
 *
 * Each CPU and kind of event has its own table of rows with open addressing. So no other program
 * that writes to it can interrupt the one that does, and finding a row needs no call. Rows are
 * never released.
 */
#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf/wire.h"
#include "util/bpf/memory.bpf.h"
#include "util/bpf/wanted.bpf.h"

const volatile bool filter_cpus;

const volatile uint32_t table_rows; /* rows in each table: a power of two */
const volatile uint32_t tables;	    /* tables of each CPU */
const volatile uint8_t table_of[BPF_KINDS];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct bpf_count_row_memory);
} rows SEC(".maps");

/* Events for which the table was full, by kind. */
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

static __always_inline bool is_counted(const void *ctx, uint32_t kind, uint32_t cpu)
{
	if (!enabled)
		return false;
	if (filter_cpus) {
		const uint32_t *wanted = bpf_map_lookup_elem(&cpus, &cpu);

		if (!wanted || !*wanted)
			return false;
	}
	if (!own_tgid && !filter_tasks && !filter_cgroup)
		return true;
	return is_wanted(ctx, kind, bpf_get_current_pid_tgid());
}

static __always_inline bool is_same(const struct bpf_count_key *a, const struct bpf_count_key *b)
{
	return a->call_site == b->call_site && a->cache == b->cache &&
	       a->object_bytes == b->object_bytes && a->gfp == b->gfp;
}

static __always_inline int count(const void *ctx, uint32_t kind, uint64_t call_site, uint64_t cache,
				 uint32_t object_bytes, uint32_t gfp, uint64_t req)
{
	const struct bpf_count_key key = {call_site, cache, object_bytes, gfp & BPF_COUNT_GFP};
	uint32_t cpu = bpf_get_smp_processor_id(), first, at;
	uint64_t *lost;

	if (!is_counted(ctx, kind, cpu))
		return 0;
	first = (cpu * tables + table_of[kind]) * table_rows;
	at = (call_site ^ cache << 8 ^ object_bytes ^ key.gfp) * 0x9e3779b97f4a7c15ull >> 32;
	for (uint32_t i = 0; i < BPF_COUNT_PROBES; i++) {
		uint32_t index = first + ((at + i) & (table_rows - 1));
		struct bpf_count_row_memory *row = bpf_map_lookup_elem(&rows, &index);

		if (!row)
			break;
		if (!row->hits) {
			row->key = key;
			row->bytes_req = req;
			/* orders the stores: a reader that sees hits also sees the key */
			__sync_lock_test_and_set(&row->hits, 1);
			return 0;
		}
		if (is_same(&row->key, &key)) {
			row->hits++;
			row->bytes_req += req;
			return 0;
		}
	}
	lost = bpf_map_lookup_elem(&uncounted, &kind);
	if (lost)
		++*lost;
	return 0;
}

/* A failed allocation is only counted as failed. */
static __always_inline int count_kmalloc(const __u64 *ctx, uint32_t kind, uint64_t req,
					 uint64_t alloc, uint32_t gfp)
{
	if (!ctx[1])
		return count(ctx, kind, ctx[0], 0, 0, gfp, 0);
	return count(ctx, kind, ctx[0], 0, (uint32_t)alloc, gfp, req);
}

static __always_inline int count_cache_alloc(const __u64 *ctx, uint32_t kind, uint64_t cache,
					     uint64_t req, uint64_t alloc, uint32_t gfp)
{
	if (!ctx[1])
		return count(ctx, kind, ctx[0], cache, 0, gfp, 0);
	if (cache) {
		req = read_cache_u32(cache, object_size);
		alloc = read_cache_u32(cache, size);
	}
	return count(ctx, kind, ctx[0], cache, (uint32_t)alloc, gfp, req);
}

static __always_inline int count_free(const __u64 *ctx, uint32_t kind, uint64_t cache)
{
	return count(ctx, kind, ctx[0], cache, 0, 0, 0);
}

#define PROGRAM(tracepoint, name, call)                                                            \
	SEC("raw_tp/" tracepoint) int name(__u64 *ctx)                                             \
	{                                                                                          \
		return call;                                                                       \
	}

/* The variants of kmem.bpf.c, with the same names. */
PROGRAM("kmalloc", kmalloc, count_kmalloc(ctx, BPF_KMALLOC, ctx[2], ctx[3], ctx[4]))
PROGRAM("kmalloc", kmalloc_6_0, count_kmalloc(ctx, BPF_KMALLOC, ctx[3], ctx[4], ctx[5]))
PROGRAM("kmalloc_node", kmalloc_node_6_0,
	count_kmalloc(ctx, BPF_KMALLOC_NODE, ctx[3], ctx[4], ctx[5]))
PROGRAM("kmalloc", kmalloc_5_15, count_kmalloc(ctx, BPF_KMALLOC, ctx[2], ctx[3], ctx[4]))
PROGRAM("kmalloc_node", kmalloc_node_5_15,
	count_kmalloc(ctx, BPF_KMALLOC_NODE, ctx[2], ctx[3], ctx[4]))

PROGRAM("kmem_cache_alloc", cache_alloc,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC, ctx[2], 0, 0, ctx[3]))
PROGRAM("kmem_cache_alloc", cache_alloc_6_0,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC, ctx[2], ctx[3], ctx[4], ctx[5]))
PROGRAM("kmem_cache_alloc_node", cache_alloc_node_6_0,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC_NODE, ctx[2], ctx[3], ctx[4], ctx[5]))
PROGRAM("kmem_cache_alloc", cache_alloc_5_15,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC, 0, ctx[2], ctx[3], ctx[4]))
PROGRAM("kmem_cache_alloc_node", cache_alloc_node_5_15,
	count_cache_alloc(ctx, BPF_CACHE_ALLOC_NODE, 0, ctx[2], ctx[3], ctx[4]))

PROGRAM("kfree", kfree, count_free(ctx, BPF_KFREE, 0))
PROGRAM("kmem_cache_free", cache_free, count_free(ctx, BPF_CACHE_FREE, ctx[2]))
PROGRAM("kmem_cache_free", cache_free_5_11, count_free(ctx, BPF_CACHE_FREE, 0))
