/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_facts: what the running kernel says of itself: its types (BTF), and what no symbol
 * tells on every machine, found by watching a few page allocations of this thread with BPF and,
 * beside it, with a perf event: where the array of struct page begins, how many frames of a
 * callchain are the probe's own, how large a task's kernel stack is, where a CPU counts its
 * interrupts.  And its caches, by address.
 */
#ifndef BPF_FACTS_H
#define BPF_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/bpf/caches.h"
#include "util/bpf/wire.h"

struct btf;
struct facts_bpf;

struct bpf_facts {
	struct btf *btf;
	uint32_t gfp_account,
		slab_account; /* flags that mean: charged to the memory cgroup; 0: no */
	bool free_has_name;   /* kmem_cache_free tells that instead of the cache */
	bool has_cast;	      /* programs may use bpf_rdonly_cast() */
	uint64_t own_stack_bytes;
	int64_t preempt_count_distance; /* from a CPU's run queue; 0: not known */
	uint32_t skip_frames;
	bool has_vmemmap;
	uint64_t vmemmap;    /* address of the struct page of page 0 */
	uint32_t page_bytes; /* of a struct page */
	struct bpf_caches caches;
	struct facts_bpf *programs;
};

/*
 * What is to be found out with the perf event, which takes up to 40 ms, most of it to wait for the
 * kernel's grace periods: nothing; vmemmap and skip_frames if that is possible; or else it is an
 * error if vmemmap cannot be.
 */
enum bpf_facts_watch { BPF_FACTS_UNWATCHED, BPF_FACTS_WATCHED, BPF_FACTS_PAGES };

int bpf_facts_init(struct bpf_facts *f, enum bpf_facts_watch watch, struct error *err);
void bpf_facts_deinit(struct bpf_facts *f);

/* The cache at an address; or the one whose name is there. NULL: unknown. */
const struct bpf_cache *bpf_facts_cache(struct bpf_facts *f, uint64_t address, bool is_name);

/* The address of a symbol of the kernel itself; 0: there is none, or it is not told. */
uint64_t bpf_facts_symbol(const struct bpf_facts *f, const char *name);

/* What the perf event saw of an allocation. */
struct bpf_calibration_sample {
	uint64_t pfn;
	const uint64_t *chain; /* with markers */
	uint64_t nr_chain;
};

/* The conclusions, from the same allocations in the same order. False: they do not agree. */
bool bpf_calibration_vmemmap(const struct bpf_calibration *seen,
			     const struct bpf_calibration_sample *samples, uint32_t nr,
			     uint32_t page_bytes, uint64_t *ret_vmemmap);
bool bpf_calibration_skip(const struct bpf_calibration *seen,
			  const struct bpf_calibration_sample *sample, uint32_t *ret_skip);

#endif
