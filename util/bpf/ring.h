/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_rings: the reader's end of the rings that the programs write, one for each CPU (struct
 * bpf_ring_head has the layout).
 *
 * Both of their maps are mapped into our memory, so only bpf_rings_map() and bpf_rings_deinit()
 * call the kernel.
 */
#ifndef BPF_RING_H
#define BPF_RING_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/bpf/wire.h"

struct bpf_map;
struct cpulist;

struct bpf_rings {
	int *cpus;	       /* each ring's CPU */
	uint64_t *complete_ns; /* of each ring: see bpf_ring_look() */
	unsigned int nr;
	uint64_t bytes; /* size of each ring */
	uint32_t chunk_shift;
	size_t stride;		     /* distance between chunks */
	struct bpf_ring_head *heads; /* by CPU number */
	size_t heads_bytes;
	uint8_t *chunks;
	size_t chunks_bytes;
};

/* bytes: rounded up to a power of two of pages. longest: size limit of an event in bytes; a
 * multiple of 8. */
int bpf_rings_init(struct bpf_rings *r, const struct cpulist *cpus, uint64_t bytes,
		   uint32_t longest, struct error *err);

/* Set the sizes of the maps `rings` and `chunks`, before they are loaded. Returns 0, or -errno. */
int bpf_rings_size(const struct bpf_rings *r, struct bpf_map *heads, struct bpf_map *chunks);

/* Map them, and let the programs write; called after they are loaded. */
int bpf_rings_map(struct bpf_rings *r, const struct bpf_map *heads, const struct bpf_map *chunks,
		  struct error *err);
void bpf_rings_deinit(struct bpf_rings *r);

static inline struct bpf_ring_head *bpf_ring_head(const struct bpf_rings *r, unsigned int i)
{
	return &r->heads[r->cpus[i]];
}

/* The position up to which the events are complete; not before the released part. */
uint64_t bpf_ring_end(const struct bpf_rings *r, unsigned int i);

/*
 * The same; complete_ns is set to the time (CLOCK_MONOTONIC) before which no event is behind that
 * position. That is now, unless an event is being written, which hides it and events of interrupts
 * until it is complete. Then complete_ns does not change.
 */
uint64_t bpf_ring_look(struct bpf_rings *r, unsigned int i);

/* The event at a position before that end. */
static inline const struct bpf_event *bpf_ring_event(const struct bpf_rings *r, unsigned int i,
						     uint64_t position)
{
	uint64_t at = position & (r->bytes - 1);
	uint64_t chunk = bpf_ring_head(r, i)->first_chunk + (at >> r->chunk_shift);

	at &= (1ULL << r->chunk_shift) - 1;
	return (const struct bpf_event *)(const void *)(r->chunks + chunk * r->stride + at);
}

/* Release the ring up to that position: programs may overwrite it. */
static inline void bpf_ring_give_back(const struct bpf_rings *r, unsigned int i, uint64_t position)
{
	__atomic_store_n(&bpf_ring_head(r, i)->consumed, position, __ATOMIC_RELEASE);
}

#endif
