/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_counting: allocations and frees, counted in the kernel by call site and cache.
 *
 * For machines with more events than a reader can process: no event is sent; the counts are read
 * when needed. Live memory is unknown, since frees cannot be matched to allocations. Events for
 * which a table was full, and those for which the kernel did not call a program, are counted. The
 * options are those of a capture; kinds other than slab, stacks and rings are ignored.
 */
#ifndef COUNTING_COUNT_H
#define COUNTING_COUNT_H

#include "util/bpf/capture.h"

#define BPF_COUNT_ROWS 4096 /* enough for all call sites of a running kernel */

struct bpf_counting;

/*
 * max_rows: for each kind of event on each CPU, rounded up to a power of two; 0: BPF_COUNT_ROWS. A
 * row takes 40 bytes.
 */
int bpf_counting_open(struct bpf_counting **ret_counting, const struct bpf_capture_options *options,
		      uint32_t max_rows, struct error *err);
void bpf_counting_free(struct bpf_counting *c);

/* Like bpf_capture_enable() and bpf_capture_disable(). */
int bpf_counting_enable(struct bpf_counting *c);
int bpf_counting_disable(struct bpf_counting *c);

struct bpf_count_row {
	enum bpf_kind kind; /* an allocation, or a free */
	uint64_t call_site;
	const struct bpf_cache *cache; /* NULL if unknown, as for kmalloc and kfree */
	uint32_t object_bytes;	       /* bytes allocated for each; 0 for failures and frees */
	uint32_t gfp;		       /* bits of BPF_COUNT_GFP */
	/* since it was opened; bytes only for allocations */
	uint64_t hits, bytes_req, bytes_alloc;
};

/* A result < 0 ends reading and is returned. */
typedef int (*bpf_count_row_fn)(void *ctx, const struct bpf_count_row *row);

/* Call fn for all rows in no particular order, for each CPU separately. At any time, also while
 * events are counted. */
int bpf_counting_read(struct bpf_counting *c, bpf_count_row_fn fn, void *ctx);

/* delivered: the sum over rows; lost_full: events for which a table was full. */
int bpf_counting_counts(struct bpf_counting *c, struct bpf_counts ret_counts[BPF_KINDS],
			struct error *err);

#endif
