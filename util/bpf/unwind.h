/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs need in order to make kernel callchains themselves (unwind.bpf.h): where the
 * kernel's text and its unwind tables are.
 */
#ifndef BPF_UNWIND_H
#define BPF_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "util/bpf/wire.h"

struct bpf_facts;
struct kmem_bpf;

struct bpf_unwind {
	uint64_t text_begin, text_bytes;
	uint64_t orc_addresses, orc_entries;   /* two arrays, ... */
	uint32_t orc_nr;		       /* ... of so many elements, at least 1 */
	uint64_t trampolines[BPF_TRAMPOLINES]; /* 0: none */
	uint32_t limit; /* frames: the kernel's callchains are no longer, without the probe's */
};

/*
 * Before the programs are loaded.  facts: NULL if no callchains are wanted.  Where not all is
 * known, a line in the log says what, and the kernel's unwinder makes them.  check_all: each is
 * compared with the kernel's.  0 or -errno.
 */
int bpf_unwind_prepare(struct kmem_bpf *skel, const struct bpf_facts *facts, bool check_all);

/* A line in the log: how many callchains were made here, and how many by the kernel. */
void bpf_unwind_tell(uint64_t walked, uint64_t wrong, uint64_t not_walked);

/* Of the symbols' addresses, whatever they are, and the bytes of a struct orc_entry.  NULL, or why
 * they cannot be used. */
const char *bpf_unwind_check(struct bpf_unwind *u, uint64_t text_end, uint64_t orc_addresses_end,
			     uint32_t entry_bytes);

#endif
