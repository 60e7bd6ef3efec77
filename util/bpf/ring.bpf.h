/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writers' end of the rings: reserving and completing an event of this CPU.  Included once.
 *
 * struct bpf_ring_head describes the layout of a ring. The events of a ring are in time order.
 * Writers on a CPU must be nested. Since 7.0 the kernel may preempt a program on a tracepoint, so
 * where it does, preemption is disabled from enter() to end(). It may preempt programs on functions
 * on any version: see begin_turn() in probes.bpf.h.
 * Constants are in .rodata: the verifier removes the branches that are not needed.
 */
#ifndef BPF_RING_BPF_H
#define BPF_RING_BPF_H

#ifdef __bpf__

#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include "util/bpf/wire.h"

const volatile uint32_t record_bytes[BPF_KINDS]; /* size of each kind; 0: it is not captured */
const volatile uint32_t chunk_shift;		 /* binary logarithm of a chunk's size in bytes */
const volatile bool orders_stores;  /* on this machine other CPUs see stores in order */
const volatile bool has_preempt;    /* programs may use bpf_preempt_disable() */
const volatile bool is_preemptible; /* programs on tracepoints may be preempted; has_preempt */

void bpf_preempt_disable(void) __ksym __weak;
void bpf_preempt_enable(void) __ksym __weak;

/* Indexed by CPU. A BPF ring buffer would cost a lock and two calls for each event. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct bpf_ring_head);
} rings SEC(".maps");

/* Chunks of all rings. Their size is set before the program is loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(uint64_t));
} chunks SEC(".maps");

/* NULL if this CPU is not captured. */
static __always_inline struct bpf_ring_head *this_ring(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	struct bpf_ring_head *ring = bpf_map_lookup_elem(&rings, &cpu);

	return ring && ring->bytes ? ring : NULL;
}

static __always_inline struct bpf_event *event_at(struct bpf_ring_head *ring, uint64_t position)
{
	uint32_t chunk = ring->first_chunk + ((position & (ring->bytes - 1)) >> chunk_shift);
	void *begin = bpf_map_lookup_elem(&chunks, &chunk);

	return begin ? begin + (position & ((1u << chunk_shift) - 8)) : NULL;
}

/* Begin to write. Each enter() needs an end(). */
static __always_inline void enter(struct bpf_ring_head *ring)
{
	if (is_preemptible)
		bpf_preempt_disable();
	*(volatile uint64_t *)&ring->depth = *(volatile uint64_t *)&ring->depth + 1;
	barrier();
}

/* Reserve a slot for an event: the next one, if an interrupt took the same. NULL: the event is
 * lost. */
static __always_inline struct bpf_event *reserve(struct bpf_ring_head *ring, uint32_t kind,
						 uint64_t *ret_end)
{
	for (int tries = 0; tries < 4; tries++) {
		uint64_t at = *(volatile uint64_t *)&ring->reserved;
		uint64_t end = at + record_bytes[kind];

		if (end - *(volatile uint64_t *)&ring->consumed > ring->bytes)
			break;
		if (__sync_val_compare_and_swap(&ring->reserved, at, end) != at)
			continue;
		*ret_end = end;
		return event_at(ring, at);
	}
	ring->lost[kind]++;
	return NULL;
}

/*
 * The time of an event. If an interrupt wrote events since this one was reserved, it gets their
 * earlier time: times in a ring never decrease.
 */
static __always_inline uint64_t time_of(struct bpf_ring_head *ring, uint64_t end_of_event)
{
	uint64_t now = bpf_ktime_get_ns();
	const struct bpf_event *next;

	if (*(volatile uint64_t *)&ring->reserved == end_of_event)
		return now;
	next = event_at(ring, end_of_event);
	return next ? next->time_ns : now;
}

static __always_inline int end(struct bpf_ring_head *ring)
{
	uint64_t depth = *(volatile uint64_t *)&ring->depth;

	if (orders_stores)
		barrier();
	else
		__sync_lock_test_and_set(&ring->depth, depth);
	if (depth == 1)
		*(volatile uint64_t *)&ring->committed = *(volatile uint64_t *)&ring->reserved;
	*(volatile uint64_t *)&ring->depth = depth - 1;
	if (is_preemptible)
		bpf_preempt_enable();
	return 0;
}

#endif

#endif
