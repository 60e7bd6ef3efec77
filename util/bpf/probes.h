/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes: programs of probes.bpf.h on functions of the kernel that free or allocate slab objects
 * without a tracepoint.
 *
 * A probe adds to an event of kmem: it is captured if that event is, with the same callchains, and
 * its samples have the same format. The function and its arguments are found in the kernel's types.
 * The kernel may lack the function, or refuse programs on functions; then these events are missing.
 */
#ifndef BPF_PROBES_H
#define BPF_PROBES_H

#include <stdint.h>

#include "util/bpf/wire.h"

struct btf;

struct bpf_probe {
	enum bpf_kind kind;
	const char *function;
	const char *program;
	bool at_exit; /* called when the function returns, with its result */
};

/* The probe of a kind in a kernel with these types. NULL if it has none. */
const struct bpf_probe *bpf_probe_find(const struct btf *btf, enum bpf_kind kind);

/* The event of kmem that a probe adds to. */
enum bpf_kind bpf_probe_adds_to(enum bpf_kind kind);

/* Kinds of probes that add to one of these kinds, and that the kernel lets us attach. The log has
 * the reasons for missing ones. 0 without BPF. */
bpf_kinds_t bpf_probes_for(bpf_kinds_t kinds);

#endif
