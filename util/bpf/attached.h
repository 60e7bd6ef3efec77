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

#include <stdbool.h>
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

/* Set the flag by which programs that are attached are switched on and off. */
void bpf_switch_on(bool *enabled);

/* After this no program is running that saw it switched on. */
void bpf_switch_off(bool *enabled);

/* How often it was skipped because it was running on that CPU already. 0 or -errno. */
int bpf_program_missed(const struct bpf_program *program, uint64_t *ret_missed);

/*
 * How many events were missed, of two counts that go on while they are read: the kernel's, of what
 * it did not call the first program for, and the second program's, of what of that it caught.
 *
 * An interrupt that frees much while the first program runs adds to both, several in a microsecond:
 * what comes between reading one and the other must not seem missed.
 */
struct missed_counts {
	int (*skipped)(void *ctx, uint64_t *ret_skipped); /* 0 or a negative errno */
	uint64_t (*caught)(void *ctx);
	void *ctx;
};

/* Reads both until they stand still, which is soon. Errors: those of skipped(). */
int missed_read(const struct missed_counts *counts, uint64_t *ret_missed);

#endif
