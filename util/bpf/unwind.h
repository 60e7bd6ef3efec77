/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data for kernel callchains made by the programs: addresses of the kernel's text and unwind
 * tables.
 *
 * Used by unwind.bpf.h.
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
	uint32_t orc_nr;		       /* ... with this number of elements, at least 1 */
	uint64_t trampolines[BPF_TRAMPOLINES]; /* 0: none */
	uint32_t limit; /* limit of frames of the kernel's callchains, without the probe's */
};

/*
 * Called before the programs are loaded. facts: NULL if no callchains are wanted. If a value is
 * unknown, a line in the log names it, and the kernel's unwinder is used. check_all: compare each
 * callchain with the kernel's. Returns 0, or -errno.
 */
int bpf_unwind_prepare(struct kmem_bpf *skel, const struct bpf_facts *facts, bool check_all);

/* Log the numbers of callchains made here and by the kernel. */
void bpf_unwind_tell(uint64_t walked, uint64_t wrong, uint64_t not_walked);

/* Check the symbols' addresses and the size of a struct orc_entry. Returns NULL, or the reason why
 * they cannot be used. */
const char *bpf_unwind_check(struct bpf_unwind *u, uint64_t text_end, uint64_t orc_addresses_end,
			     uint32_t entry_bytes);

#endif
