/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cpu_pairs: matched frees by the CPU of the allocation and the CPU of the free.
 *
 * A pair counts the matched frees in the time windows, and their bytes; the sum over all pairs is
 * that of the summary.  A free that covers pages of several blocks counts once, for the first
 * block; the bytes of each block count for the CPU of that block.  `pingpong` is the sum of the
 * column of that name: allocations freed on another CPU (of pages, by their last free).  Memory
 * grows with the number of pairs seen, at most the square of the number of CPUs.
 */
#ifndef TABLE_CPU_PAIRS_H
#define TABLE_CPU_PAIRS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/base/table.h"

struct cpu_pair {
	int32_t alloc_cpu, free_cpu; /* the key; -1: not recorded */
	uint64_t frees, bytes;
};

#define CPU_PAIRS_CACHED 32

struct cpu_pairs {
	struct table rows; /* struct cpu_pair */
	uint64_t pingpong;
	/* recently looked up rows + 1, by the low bits of both CPUs; 0: none */
	uint32_t cached[CPU_PAIRS_CACHED][CPU_PAIRS_CACHED];
};

/* On the heap, or NULL if out of memory. */
struct cpu_pairs *cpu_pairs_new(void);
void cpu_pairs_free(struct cpu_pairs *p);

/* The pair, which is added if missing. NULL if out of memory. */
struct cpu_pair *cpu_pairs_get(struct cpu_pairs *p, int32_t alloc_cpu, int32_t free_cpu);

/* bytes: modulo 2^64. Errors: -ENOMEM. */
static inline int cpu_pairs_add(struct cpu_pairs *p, int32_t alloc_cpu, int32_t free_cpu,
				uint64_t frees, uint64_t bytes)
{
	uint32_t cached = p->cached[(uint32_t)alloc_cpu % CPU_PAIRS_CACHED]
				   [(uint32_t)free_cpu % CPU_PAIRS_CACHED];
	struct cpu_pair *pair = cached ? table_row(&p->rows, cached - 1) : NULL;

	if (!pair || pair->alloc_cpu != alloc_cpu || pair->free_cpu != free_cpu)
		pair = cpu_pairs_get(p, alloc_cpu, free_cpu);
	if (!pair)
		return -ENOMEM;
	pair->frees += frees;
	pair->bytes += bytes;
	return 0;
}

/* The sum over all pairs, or over pairs of two different CPUs; its CPUs are -1. */
struct cpu_pair cpu_pairs_sum(const struct cpu_pairs *p, bool of_two);

#endif
