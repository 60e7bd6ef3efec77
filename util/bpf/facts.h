/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_facts: facts about the running kernel, some of which have no symbol on every machine.
 *
 * They are its types (BTF), its caches by address, and values that are determined by watching a few
 * page allocations of this thread with BPF and with a perf event: the address of the array of
 * struct page, the number of a callchain's frames that belong to the probe, the size of a task's
 * kernel stack, and the place of a CPU's count of interrupts.
 */
#ifndef BPF_FACTS_H
#define BPF_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/bpf/caches.h"
#include "util/bpf/wire.h"

struct bpf_object;
struct facts_bpf;

struct bpf_facts {
	uint32_t gfp_account,
		slab_account; /* flags that mean: charged to the memory cgroup; 0 if none */
	bool free_has_name;   /* kmem_cache_free passes the cache's name, not the cache */
	bool has_cache_of;    /* programs may use bpf_get_kmem_cache() */
	bool has_cast;	      /* programs may use bpf_rdonly_cast() */
	bool has_preempt;     /* programs may use bpf_preempt_disable() */
	bool is_preemptible;  /* programs on tracepoints may be preempted, and has_preempt */
	uint64_t own_stack_bytes;
	int64_t preempt_count_distance; /* distance from a CPU's run queue; 0 if unknown */
	uint32_t skip_frames;
	bool has_vmemmap;
	uint64_t vmemmap;    /* address of the struct page of page 0 */
	uint32_t page_bytes; /* size of a struct page */
	struct bpf_caches caches;
	struct facts_bpf *programs;
};

/*
 * Whether to use the perf event, which takes up to 40 ms, mostly waiting for grace periods: no; for
 * vmemmap and skip_frames if possible; or with an error if vmemmap cannot be determined.
 */
enum bpf_facts_watch { BPF_FACTS_UNWATCHED, BPF_FACTS_WATCHED, BPF_FACTS_PAGES };

int bpf_facts_init(struct bpf_facts *f, enum bpf_facts_watch watch, struct error *err);
void bpf_facts_deinit(struct bpf_facts *f);

/* Called before programs are loaded that use optional functions of the kernel. */
void bpf_facts_skip_modules(const struct bpf_facts *f, struct bpf_object *programs);

/* The cache at an address, or the cache whose name is at an address. NULL if unknown. */
const struct bpf_cache *bpf_facts_cache(struct bpf_facts *f, uint64_t address, bool is_name);

/* The address of a symbol of the kernel itself. 0 if there is none, or it is hidden. */
uint64_t bpf_facts_symbol(const struct bpf_facts *f, const char *name);

/* An allocation as the perf event saw it. */
struct bpf_calibration_sample {
	uint64_t pfn;
	const uint64_t *chain; /* with markers */
	uint64_t nr_chain;
};

/* Draw the conclusions, from the same allocations in the same order. Returns false if they
 * contradict each other. */
bool bpf_calibration_vmemmap(const struct bpf_calibration *seen,
			     const struct bpf_calibration_sample *samples, uint32_t nr,
			     uint32_t page_bytes, uint64_t *ret_vmemmap);
bool bpf_calibration_skip(const struct bpf_calibration *seen,
			  const struct bpf_calibration_sample *sample, uint32_t *ret_skip);

#endif
