/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_ring: the reader's end of one BPF ring buffer map.
 *
 * The map's memory is shared with the kernel: the position up to which we have read, the one up to
 * which records were written, and the records, each behind a word with its length and whether it is
 * still being written.  The data is mapped twice in a row, so that no record is cut.
 */
#ifndef BPF_RING_H
#define BPF_RING_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"

struct bpf_ring {
	int fd; /* the map; owned */
	uint64_t bytes;
	uint64_t *consumed;
	const uint64_t *produced;
	const uint8_t *data;
};

/* bytes: a power of two of pages. */
int bpf_ring_init(struct bpf_ring *r, uint64_t bytes, struct error *err);
void bpf_ring_deinit(struct bpf_ring *r);

/* < 0 ends reading, and is returned; this record is consumed. */
typedef int (*bpf_record_fn)(void *ctx, const void *record, size_t size);

/* Every record that was complete when this was called; space is given back at least each 64 KiB. */
int bpf_ring_drain(struct bpf_ring *r, bpf_record_fn fn, void *ctx);

uint64_t bpf_ring_unread(const struct bpf_ring *r);

#endif
