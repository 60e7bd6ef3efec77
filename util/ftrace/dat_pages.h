/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct dat_pages: the pages of one CPU in a trace.dat, compressed or not.
 *
 * Compressed pages are in blocks (u32 number of blocks; for each block a u32 size, a u32 unpacked
 * size, and the bytes), which are unpacked one at a time. The trace.dat must outlive it. Blocks
 * beyond the limits, which all CPUs share, are omitted.
 */
#ifndef FTRACE_DAT_PAGES_H
#define FTRACE_DAT_PAGES_H

#include "util/ftrace/ring_pages.h"
#include "util/ftrace/trace_dat.h"

struct dat_block {
	uint64_t start; /* offset of its bytes in the unpacked data */
	const uint8_t *in;
	uint32_t size, raw_size;
};

/* Number of bytes that may still be unpacked, and that may be in memory at a time. */
struct dat_limits {
	uint64_t unpacked, held;
};

struct dat_pages {
	const struct trace_dat *dat;
	const uint8_t *flat; /* NULL: compressed in blocks */
	uint64_t size;	     /* unpacked size */
	uint32_t page_size;
	struct dat_block *blocks;
	size_t nr_blocks;
	uint8_t *block;	 /* the unpacked block */
	size_t unpacked; /* its index; nr_blocks: none */
	bool cut;	 /* some blocks are missing or exceed the limits */
};

/* Errors: -ENOMEM. Call _deinit() even after an error. */
int dat_pages_init(struct dat_pages *p, const struct trace_dat *dat,
		   const struct trace_dat_cpu *cpu, struct dat_limits *limits);
void dat_pages_deinit(struct dat_pages *p);

/* Returns the pages for a reader. p must outlive it, and must not move. */
struct ring_pages dat_pages_ring(struct dat_pages *p);

#endif
