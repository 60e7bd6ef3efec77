/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel counts that a program is active: what the second program on each tracepoint must
 * know (kmem.bpf.c).  Read from the kernel's own struct bpf_prog, with a program that is called for
 * each of them.
 */
#ifndef BPF_NESTED_H
#define BPF_NESTED_H

#include "util/base/error.h"
#include "util/bpf/wire.h"

struct bpf_program;
struct kmem_bpf;

/* The programs are loaded; NULL where there is none for a kind. */
int bpf_nested_find(struct kmem_bpf *skel, struct bpf_program *const programs[BPF_KINDS],
		    struct error *err);

#endif
