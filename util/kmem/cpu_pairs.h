/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cpu_pairs: on which CPU what was allocated on which one was freed.
 *
 * A pair has the matched frees in the time windows, and their bytes: over all pairs they add up to
 * those of the summary.  A free that takes pages of several blocks counts once, for the first of
 * them, and the bytes of each for the CPU of that block.  pingpong is what the column of that name
 * adds up to: allocations whose free, of pages the last one, came from another CPU.  As many pairs
 * as there were, at most the square of the number of CPUs.
 */
#ifndef KMEM_CPU_PAIRS_H
#define KMEM_CPU_PAIRS_H

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

/* On the heap. NULL: no memory. */
struct cpu_pairs *cpu_pairs_new(void);
void cpu_pairs_free(struct cpu_pairs *p);

/* bytes: modulo 2^64. Errors: -ENOMEM. */
int cpu_pairs_add(struct cpu_pairs *p, int32_t alloc_cpu, int32_t free_cpu, uint64_t frees,
		  uint64_t bytes);

/* The sum over all, or over those of two CPUs; its CPUs are -1. */
struct cpu_pair cpu_pairs_sum(const struct cpu_pairs *p, bool of_two);

#endif
