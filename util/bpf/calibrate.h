/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about the running kernel that no symbol tells on every machine, found by watching a few
 * page allocations of this thread with BPF and, beside it, with a perf event: where the array of
 * struct page begins, how many frames of a callchain are the probe's own, how large a task's kernel
 * stack is.
 */
#ifndef BPF_CALIBRATE_H
#define BPF_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/bpf/wire.h"

struct kmem_bpf;

struct bpf_calibrated {
	uint64_t own_stack_bytes;
	uint32_t skip_frames;
	uint64_t vmemmap; /* address of the struct page of page 0 */
};

/*
 * The program `calibrate` is loaded.  page_bytes: of a struct page.  If the perf event cannot be
 * opened (no tracefs), vmemmap is not known: an error if `need_pages`.
 */
int bpf_calibrate(struct kmem_bpf *skel, uint32_t page_bytes, bool need_pages,
		  struct bpf_calibrated *ret, struct error *err);

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
