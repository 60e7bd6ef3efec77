/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_attached: the programs of kmem.bpf.c, attached to tracepoints.
 *
 * `nested` handles the events for which the kernel skips `program` (see kmem.bpf.c); rare events
 * have none. It costs half as much as `program`. It is attached from the start for frees, which
 * interrupts make on every machine, and for all kinds if programs may be preempted. Otherwise it is
 * attached once an event was missed.
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
	struct bpf_program *program, *nested; /* owned by the skeleton; NULL if none */
	struct bpf_link *link, *nested_link;
	const char *function; /* of a probe; NULL: a tracepoint */
};

struct bpf_attached {
	struct bpf_attached_kind kinds[BPF_KINDS];
	bpf_kinds_t nested_kinds; /* of which `nested` is attached from the start */
	uint64_t look_ns;	  /* time of the next check for missed events */
};

/* Called before loading: of all programs, select those of the kinds, in the variants for the kernel
 * of these types. */
void bpf_attached_choose(struct bpf_attached *a, struct kmem_bpf *skel, const struct btf *btf,
			 bpf_kinds_t kinds);

/* Called after loading: pass the addresses of the active counts to the nested programs. */
int bpf_attached_prepare(struct bpf_attached *a, struct kmem_bpf *skel, struct error *err);

int bpf_attached_attach(struct bpf_attached *a, struct error *err);

/* Detach the programs. */
void bpf_attached_deinit(struct bpf_attached *a);

/* Called often: attach nested programs where events were missed. */
void bpf_attached_look(struct bpf_attached *a);

/* Set the flag that switches attached programs on and off. */
void bpf_switch_on(bool *enabled);

/* Wait until no program runs that saw the flag switched on. */
void bpf_switch_off(bool *enabled);

/* The number of times the kernel skipped it because it was running on that CPU already. Returns 0,
 * or -errno. */
int bpf_program_missed(const struct bpf_program *program, uint64_t *ret_missed);

/*
 * Number of missed events, from two counters that keep running while they are read: events for
 * which the kernel skipped the first program, and those of them that the second program caught.
 *
 * An interrupt that frees much while the first program runs adds to both, several per microsecond.
 * Events between the two readings must not count as missed.
 */
struct missed_counts {
	int (*skipped)(void *ctx, uint64_t *ret_skipped); /* Returns 0, or a negative errno. */
	uint64_t (*caught)(void *ctx);
	void *ctx;
};

/* Reads both until they are stable, which is soon. Errors: those of skipped(). */
int missed_read(const struct missed_counts *counts, uint64_t *ret_missed);

#endif
