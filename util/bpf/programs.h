/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the programs of kmem.bpf.c that fit the running kernel, and reads other facts from its
 * types.
 *
 * A tracepoint's arguments are those of the function type btf_trace_NAME in the kernel's BTF; the
 * programs' variants differ in them. Any BTF can be used, so that those of other kernels can be
 * tested.
 */
#ifndef BPF_PROGRAMS_H
#define BPF_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/bpf/wire.h"

struct btf;

/* The name of the program for a kind. NULL if this kernel lacks the event, or has an unknown
 * variant. */
const char *bpf_program_for(const struct btf *btf, enum bpf_kind kind);

/* All kinds that can be captured. */
bpf_kinds_t bpf_program_kinds(const struct btf *btf);

/* The name of the tracepoint, if this kernel has it in an unknown variant; otherwise NULL. */
const char *bpf_program_unfit(const struct btf *btf, enum bpf_kind kind);

/* Whether kmem_cache_free gets the cache's name instead of the cache. */
bool bpf_program_free_has_name(const struct btf *btf);

/* The bits of gfp flags and of kmem_cache.flags that mean: charged to the memory cgroup. */
uint32_t bpf_program_gfp_account(const struct btf *btf);
uint32_t bpf_program_slab_account(const struct btf *btf);

/* x86: the distance of a CPU's preempt_count from its run queue. 0 if it is elsewhere, or
 * unknown. */
int64_t bpf_program_preempt_count(const struct btf *btf);

#endif
