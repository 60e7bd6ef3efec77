/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the programs of kmem.bpf.c fits the running kernel, and what else its types say.
 *
 * A tracepoint's arguments are those of the function type btf_trace_NAME in the kernel's BTF; the
 * programs differ in them.  Answers from any BTF, so that those of other kernels can be tested.
 */
#ifndef BPF_PROGRAMS_H
#define BPF_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/bpf/wire.h"

struct btf;

/* The name of the program for a kind; NULL: this kernel has no such event, or one that we do not
 * know. */
const char *bpf_program_for(const struct btf *btf, enum bpf_kind kind);

/* All that can be captured. */
uint32_t bpf_program_kinds(const struct btf *btf);

/* Does kmem_cache_free tell the cache's name, instead of the cache? */
bool bpf_program_free_has_name(const struct btf *btf);

/* The bits of gfp flags and of kmem_cache.flags that mean: charged to the memory cgroup. */
uint32_t bpf_program_gfp_account(const struct btf *btf);
uint32_t bpf_program_slab_account(const struct btf *btf);

/* x86: how far behind a CPU's run queue its preempt_count is. 0: it is elsewhere, or not told. */
int64_t bpf_program_preempt_count(const struct btf *btf);

#endif
