/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulated kernel of the generated recordings: its functions, its caches, and the places in it
 * that ask for memory, with their stacks.
 *
 * Always the same: chosen by a random_state with a fixed seed.  Addresses are where x86_64 has
 * kernel text.
 */
#ifndef TESTS_BENCH_KERNEL_H
#define TESTS_BENCH_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"

/* xorshift64*, Vigna 2014 */
struct random_state {
	uint64_t s;
};

static inline uint32_t random_next(struct random_state *r)
{
	r->s ^= r->s >> 12;
	r->s ^= r->s << 25;
	r->s ^= r->s >> 27;
	return (uint32_t)(r->s * 0x2545f4914f6cdd1dULL >> 32);
}

/* 0 to n - 1 */
static inline uint32_t random_below(struct random_state *r, uint32_t n)
{
	return (uint32_t)((uint64_t)random_next(r) * n >> 32);
}

#define KERNEL_FUNCTIONS  24000
#define KERNEL_SITES	  2000
#define KERNEL_FREE_SITES 700
#define KERNEL_CACHES	  60
#define KERNEL_KMALLOCS	  13
#define KERNEL_CHAINS	  4  /* ways that lead to a site */
#define KERNEL_FRAMES_MAX 16 /* including the context marker */

/* Sizes that kmalloc has, then kmem caches. */
struct cache {
	const char *name; /* NULL: a kmalloc size */
	uint32_t size;
};

struct slab_site {
	uint64_t address;
	uint32_t cache;
	uint32_t bytes_req;
	uint64_t gfp_flags;
};

struct chain {
	uint32_t nr;
	uint64_t ips[KERNEL_FRAMES_MAX];
};

struct page_site {
	struct chain chains[KERNEL_CHAINS];
	uint64_t gfp_flags;
	uint32_t order;
	int32_t migratetype;
};

struct kernel {
	struct strbuf kallsyms;
	uint64_t start, end; /* of its text */
	uint64_t *functions;
	struct cache caches[KERNEL_KMALLOCS + KERNEL_CACHES];
	struct slab_site slab_sites[KERNEL_SITES];
	struct page_site page_sites[KERNEL_SITES];
	uint64_t free_sites[KERNEL_FREE_SITES];
	uint64_t ip_alloc, ip_free, ip_page_alloc, ip_page_free; /* where the tracepoints are */
	uint16_t skewed[65536]; /* the number of a site; the first ones are most frequent */
};

/* Returns 0 or -ENOMEM. */
int kernel_init(struct kernel *k);
void kernel_deinit(struct kernel *k);

#endif
