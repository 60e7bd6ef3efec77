/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes an event: its header, its optional data, and the layouts of slab events.  Included once.
 *
 * A program calls begin(), writes the layout of the kind, and calls end() (ring.bpf.h).
 * Constants of a capture are in .rodata: the verifier removes the branches that are not needed.
 */
#ifndef BPF_EVENT_BPF_H
#define BPF_EVENT_BPF_H

#ifdef __bpf__

#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf/wire.h"
#include "util/bpf/memory.bpf.h"
#include "util/bpf/ring.bpf.h"
#include "util/bpf/wanted.bpf.h"
#include "util/bpf/unwind.bpf.h"
#include "util/bpf/user_frames.bpf.h"

/* Bytes of a kind's kernel frames. */
const volatile uint32_t stack_bytes[BPF_KINDS];
const volatile uint32_t gfp_account,
	slab_account; /* flags that mean: charged to the memory cgroup */
const volatile bool cgroup_ids;
const volatile bool only_failed[BPF_KINDS]; /* allocations of the kind that succeed are dropped */

/* Determined before the programs are attached (facts.c, attached.c). */
uint32_t skip_frames; /* number of innermost frames that belong to the probe */
uint32_t program_ids[BPF_KINDS];
uint64_t active_from[BPF_KINDS]; /* offset of its active count from `per_cpu`; 0: unknown */

/* Holds its own address. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} per_cpu SEC(".maps");

/* For helper functions that need a constant, which must not come from a variable. */
static const uint32_t body_sizes[BPF_KINDS] = BPF_BODY_SIZES;

/* Whether the first program of this kind was skipped: it was if it is active, because then it runs
 * below us. */
static __always_inline bool was_skipped(uint32_t kind)
{
	uint32_t key = 0;
	uint64_t *self = bpf_map_lookup_elem(&per_cpu, &key);
	struct bpf_ring_head *ring;

	if (!self || !active_from[kind])
		return false;
	if (!*self)
		*self = (uint64_t)self;
	/* read back as a number: the verifier knows it as a pointer otherwise */
	if (!read_u32(*(volatile uint64_t *)self + active_from[kind]))
		return false;
	ring = this_ring();
	if (ring)
		ring->caught[kind]++;
	return true;
}

/* ---- a record -------------------------------------------------------------------------------- */

static __always_inline uint64_t current_cgroup(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct css_set *set = task->cgroups;
	struct cgroup_subsys_state *css = NULL;

	if (!bpf_core_enum_value_exists(enum cgroup_subsys_id, perf_event_cgrp_id))
		return bpf_get_current_cgroup_id();
	bpf_probe_read_kernel(
		&css, sizeof(css),
		(void *)set + bpf_core_field_offset(set->subsys) +
			8 * bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id));
	return BPF_CORE_READ(css, cgroup, kn, id);
}

/* An event with its header and the data behind its body, for end(). NULL if it is not wanted, or
 * the ring is full. */
static __always_inline struct bpf_event *begin(void *ctx, uint32_t kind,
					       struct bpf_ring_head **ret_ring)
{
	const uint32_t body_end = BPF_EVENT_HEAD + body_sizes[kind];
	uint64_t pid_tgid = bpf_get_current_pid_tgid();
	struct bpf_ring_head *ring;
	struct bpf_event *e;
	uint64_t end_of_event;
	uint32_t nr_frames = 0;

	if (!record_bytes[kind] || !enabled || !is_wanted(ctx, kind, pid_tgid))
		return NULL;
	ring = this_ring();
	if (!ring)
		return NULL;
	enter(ring);
	e = reserve(ring, kind, &end_of_event);
	if (!e) {
		end(ring);
		return NULL;
	}
	*ret_ring = ring;
	e->time_ns = time_of(ring, end_of_event);
	if (cgroup_ids)
		*(uint64_t *)((char *)e + body_end) = current_cgroup();
	if (stack_bytes[kind])
		nr_frames = get_frames(ctx, kind, ring, stack_bytes[kind] / 8, skip_frames,
				       (uint64_t *)((char *)e + body_end + (cgroup_ids ? 8 : 0)),
				       &((uint32_t *)e)[3]);
	if (user_stack_bytes[kind])
		add_user_frames(ctx, kind,
				(uint64_t *)((char *)e + body_end + (cgroup_ids ? 8 : 0) +
					     stack_bytes[kind]));
	/* two words instead of single bits */
	((uint32_t *)e)[2] = (uint32_t)(pid_tgid >> 32) | kind << 24;
	((uint32_t *)e)[3] = (uint32_t)pid_tgid | nr_frames << 24;
	return e;
}

/* ---- slab ------------------------------------------------------------------------------------ */

/* memory: what was allocated; 0 if that failed */
static __always_inline struct bpf_event *begin_alloc(void *ctx, uint32_t kind, uint64_t memory,
						     struct bpf_ring_head **ret_ring)
{
	return only_failed[kind] && memory ? NULL : begin(ctx, kind, ret_ring);
}

/* The cache is read here, where it is certain to exist. req, alloc: used if there is no cache. */
static __always_inline int put_cache_alloc(void *ctx, uint32_t kind, uint64_t call_site,
					   uint64_t ptr, uint64_t cache, uint64_t req,
					   uint64_t alloc, uint32_t gfp, int32_t node)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin_alloc(ctx, kind, ptr, &ring);

	if (!e)
		return 0;
	e->call_site = call_site;
	e->ptr = ptr;
	e->cache_alloc.cache = cache;
	e->cache_alloc.bytes_req = cache ? read_cache_u32(cache, object_size) : (uint32_t)req;
	e->cache_alloc.bytes_alloc = cache ? read_cache_u32(cache, size) : (uint32_t)alloc;
	e->cache_alloc.gfp_flags = gfp;
	e->cache_alloc.node = (int16_t)node;
	e->cache_alloc.accounted =
		gfp & gfp_account || (cache && read_cache_u32(cache, flags) & slab_account);
	return end(ring);
}

static __always_inline int put_free(void *ctx, uint32_t kind, uint64_t call_site, uint64_t ptr)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, kind, &ring);

	if (!e)
		return 0;
	e->call_site = call_site;
	e->ptr = ptr;
	return end(ring);
}

static __always_inline int put_cache_free(void *ctx, uint32_t kind, uint64_t call_site,
					  uint64_t ptr, uint64_t cache)
{
	struct bpf_ring_head *ring;
	struct bpf_event *e = begin(ctx, kind, &ring);

	if (!e)
		return 0;
	e->call_site = call_site;
	e->ptr = ptr;
	e->cache_free.cache = cache;
	return end(ring);
}

#endif

#endif
