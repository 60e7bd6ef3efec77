/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_attached: the programs of kmem.bpf.c on the tracepoints of the kinds.
 *
 * `nested` sees what `program` is not called for (see kmem.bpf.c); those of rare events have none.
 * It costs as much as half of the first one, so it is attached from the beginning only for what
 * interrupts do on every machine, which is to free; for the rest as soon as something was missed.
 */
#ifndef BPF_ATTACHED_H
#define BPF_ATTACHED_H

#include <stdint.h>

#include "util/base/error.h"
#include "util/bpf/wire.h"

struct bpf_link;
struct bpf_program;
struct btf;
struct kmem_bpf;

struct bpf_attached_kind {
	struct bpf_program *program, *nested; /* the skeleton's; NULL: none */
	struct bpf_link *link, *nested_link;
};

struct bpf_attached {
	struct bpf_attached_kind kinds[BPF_KINDS];
	uint64_t look_ns; /* when to look next whether something was missed */
};

/* Before they are loaded: of all programs only those that the kinds need, in the variants that fit
 * the kernel of these types. */
void bpf_attached_choose(struct bpf_attached *a, struct kmem_bpf *skel, const struct btf *btf,
			 uint32_t kinds);

/* After that: tell the nested ones where the kernel counts that the others are active. */
int bpf_attached_prepare(struct bpf_attached *a, struct kmem_bpf *skel, struct error *err);

int bpf_attached_attach(struct bpf_attached *a, struct error *err);

/* Detach them. */
void bpf_attached_deinit(struct bpf_attached *a);

/* To be called often: attach nested ones where something was missed. */
void bpf_attached_look(struct bpf_attached *a);

#endif
