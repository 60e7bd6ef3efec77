/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs on functions that free or allocate slab objects without a tracepoint.  Included
 * once.
 *
 * probes.c selects the ones that fit the running kernel.
 */
#ifndef BPF_PROBES_BPF_H
#define BPF_PROBES_BPF_H

#ifdef __bpf__

#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include "util/bpf/wire.h"
#include "util/bpf/memory.bpf.h"
#include "util/bpf/unwind.bpf.h"
#include "util/bpf/event.bpf.h"

/* The two programs of a kind, attached to a function; see probes.c. */
#define PROBES(how, name, kind, call)                                                              \
	SEC(how) int name(__u64 *ctx)                                                              \
	{                                                                                          \
		return call;                                                                       \
	}                                                                                          \
	SEC(how) int name##_nested(__u64 *ctx)                                                     \
	{                                                                                          \
		return was_skipped(kind) ? call : 0;                                               \
	}

#define PROBE_WORDS 9
#define KERNEL_TEXT 0xffffffff80000000ull /* and modules: x86-64 */
#define BULK_MAX    (1u << 16)		  /* objects of one call */

/*
 * Read the arguments of the function, and after them what the trampoline has on its stack: with
 * fexit the result, the saved frame pointer, an address in the function, and the function's return
 * address, which is the call site (x86; elsewhere it is not found). The arguments are read as
 * numbers: the verifier knows them as pointers otherwise.
 */
static __always_inline uint64_t read_call(void *ctx, uint32_t kind, uint64_t words[PROBE_WORDS])
{
	uint64_t call_site = 0;

	bpf_probe_read_kernel(words, PROBE_WORDS * 8, ctx);
	for (int i = 2; i + 1 < PROBE_WORDS; i++)
		if (!call_site && is_in_probed(kind, words[i]))
			call_site = words[i + 1];
	return call_site;
}

struct turn {
	struct bpf_ring_head *ring;
	bool is_taken;
};

/*
 * The kernel never disables preemption for these programs. If two of them preempted each other
 * while they write, writers would not be nested. Where they cannot disable preemption themselves,
 * only one of them writes at a time on each CPU, not counting those in interrupts, and the events
 * of others are lost.
 */
static __always_inline bool begin_turn(struct turn *t, void *ctx, uint32_t kind)
{
	t->ring = this_ring();
	t->is_taken = !has_preempt && !in_interrupt(ctx);
	if (!enabled || !t->ring)
		return false;
	if (has_preempt)
		bpf_preempt_disable();
	if (!t->is_taken || !__sync_val_compare_and_swap(&t->ring->probing, 0, 1))
		return true;
	t->ring->lost[kind]++;
	return false;
}

static __always_inline void end_turn(const struct turn *t)
{
	barrier();
	if (t->is_taken)
		*(volatile uint64_t *)&t->ring->probing = 0;
	if (has_preempt)
		bpf_preempt_enable();
}

/* head, and ptr; until 6.3 instead of ptr the offset of head, or ptr if there is no head */
static __always_inline int free_rcu_event(__u64 *ctx, bool has_offset)
{
	uint64_t w[PROBE_WORDS] = {0}, call_site = read_call(ctx, BPF_FREE_RCU, w);
	struct turn turn;

	if (begin_turn(&turn, ctx, BPF_FREE_RCU)) {
		put_free(ctx, BPF_FREE_RCU, call_site, has_offset && w[0] ? w[0] - w[1] : w[1]);
		end_turn(&turn);
	}
	return 0;
}

struct bulk {
	void *ctx;
	uint64_t call_site, cache, objects;
	uint32_t gfp;
};

static uint64_t bulk_object(const struct bulk *b, uint32_t i)
{
	return read_u64(b->objects + i * 8ull);
}

static long free_one(uint32_t i, void *of)
{
	struct bulk *b = of;
	uint64_t ptr = bulk_object(b, i);
	struct turn turn;

	if (ptr && begin_turn(&turn, b->ctx, BPF_FREE_BULK)) {
		put_cache_free(b->ctx, BPF_FREE_BULK, b->call_site, ptr, b->cache);
		end_turn(&turn);
	}
	return 0;
}

static long allocate_one(uint32_t i, void *of)
{
	struct bulk *b = of;
	struct turn turn;

	if (begin_turn(&turn, b->ctx, BPF_ALLOC_BULK)) {
		put_cache_alloc(b->ctx, BPF_ALLOC_BULK, b->call_site, bulk_object(b, i), b->cache,
				0, 0, b->gfp, -1);
		end_turn(&turn);
	}
	return 0;
}

/* cache (NULL: each object has its own), number of objects, objects */
static __always_inline int free_bulk_event(__u64 *ctx)
{
	uint64_t w[PROBE_WORDS] = {0};
	struct bulk b = {.ctx = ctx, .call_site = read_call(ctx, BPF_FREE_BULK, w)};

	b.cache = w[0];
	b.objects = w[2];
	bpf_loop(w[1] < BULK_MAX ? w[1] : BULK_MAX, free_one, &b, 0);
	return 0;
}

/* cache, gfp, number of objects, objects; returns whether all were allocated, or their number */
static __always_inline int alloc_bulk_event(__u64 *ctx, bool returns_bool)
{
	uint64_t w[PROBE_WORDS] = {0};
	struct bulk b = {.ctx = ctx, .call_site = read_call(ctx, BPF_ALLOC_BULK, w)};
	uint32_t nr;

	b.cache = w[0];
	b.gfp = w[1];
	b.objects = w[3];
	/*
	 * Kernels of the 7 series may jump to a trampoline that calls the function ("bpf
	 * trampoline support jmp mode"): it has no address in the function on its stack, and the
	 * result and the frame pointer are followed by the call site.
	 */
	if (!b.call_site && w[6] >= KERNEL_TEXT)
		b.call_site = w[6];
	/* only the byte of a bool is defined */
	nr = returns_bool ? ((uint8_t)w[4] ? (uint32_t)w[2] : 0) : (uint32_t)w[4];
	bpf_loop(nr < BULK_MAX ? nr : 0, allocate_one, &b, 0);
	return 0;
}

PROBES("fentry", free_rcu, BPF_FREE_RCU, free_rcu_event(ctx, false))
PROBES("fentry", free_rcu_6_2, BPF_FREE_RCU, free_rcu_event(ctx, true))
PROBES("fentry", free_bulk, BPF_FREE_BULK, free_bulk_event(ctx))
PROBES("fexit", alloc_bulk, BPF_ALLOC_BULK, alloc_bulk_event(ctx, true))
PROBES("fexit", alloc_bulk_6_18, BPF_ALLOC_BULK, alloc_bulk_event(ctx, false))

#endif

#endif
