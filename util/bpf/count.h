/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_counting: what is allocated and freed, counted in the kernel by call site and cache.
 *
 * For machines whose events no reader can keep up with: nothing is sent, the counts are read when
 * they are wanted.  What is live is not known, since no free can be attributed to its allocation.
 * Events that find no row any more, and those that the kernel did not call a program for, are
 * counted.  Options: those of a capture; kinds other than slab, stacks and rings are ignored.
 */
#ifndef BPF_COUNT_H
#define BPF_COUNT_H

#include "util/bpf/capture.h"

#define BPF_COUNT_ROWS 4096 /* enough for all call sites of a kernel that is in use */

struct bpf_counting;

/*
 * max_rows: of each kind of event on each CPU, rounded up to a power of two; 0: BPF_COUNT_ROWS.
 * Each takes 40 bytes.
 */
int bpf_counting_open(struct bpf_counting **ret_counting, const struct bpf_capture_options *options,
		      uint32_t max_rows, struct error *err);
void bpf_counting_free(struct bpf_counting *c);

/* As bpf_capture_enable() and bpf_capture_disable(). */
int bpf_counting_enable(struct bpf_counting *c);
int bpf_counting_disable(struct bpf_counting *c);

struct bpf_count_row {
	enum bpf_kind kind; /* an allocation, or a free */
	uint64_t call_site;
	const struct bpf_cache *cache; /* NULL: unknown, as for kmalloc and kfree */
	uint32_t object_bytes;	       /* taken by each; 0: these failed, or were freed */
	uint32_t gfp;		       /* of BPF_COUNT_GFP */
	/* since it was opened; bytes only for allocations */
	uint64_t hits, bytes_req, bytes_alloc;
};

/* < 0 ends reading, and is returned. */
typedef int (*bpf_count_row_fn)(void *ctx, const struct bpf_count_row *row);

/* All rows, in no particular order, the same again for each CPU; at any time, while events go on.
 */
int bpf_counting_read(struct bpf_counting *c, bpf_count_row_fn fn, void *ctx);

/* delivered: what the rows have; lost_full: for which there was no row. */
int bpf_counting_counts(struct bpf_counting *c, struct bpf_counts ret_counts[BPF_KINDS],
			struct error *err);

#endif
