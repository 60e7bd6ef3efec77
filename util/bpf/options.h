/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_capture_options: which events are captured, or counted, and what is in them.
 */
#ifndef BPF_OPTIONS_H
#define BPF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/bpf/wire.h"
#include "util/host/cpulist.h"

#define BPF_STACK_MAX 127 /* frames of a callchain */

struct bpf_capture_options {
	uint32_t kinds; /* bits 1 << enum bpf_kind; what this kernel lacks is left out */
	uint8_t max_stack[BPF_KINDS];	   /* frames of the kernel callchain; 0: none */
	uint8_t max_user_stack[BPF_KINDS]; /* of user space, by frame pointers; 0: none */
	const struct cpulist *cpus;	   /* NULL or empty: all that are online */
	/* Only these tasks, and those that they create from then on; both empty: all. */
	const pid_t *pids; /* processes, with all their threads */
	size_t nr_pids;
	const pid_t *tids;
	size_t nr_tids;
	int cgroup_fd; /* a directory of cgroup v2: only its tasks, and those below it; -1: all */
	/*
	 * Of what tasks or a cgroup restrict, all that the kernel frees by itself, in interrupts
	 * and by its own threads: much of what those tasks gave back is freed there, later.  Not
	 * for counting.
	 */
	bool kernel_frees;
	bool with_self;	 /* else this process's events are dropped, except those of interrupts */
	bool cgroup_ids; /* struct bpf_extra has them */
	/*
	 * What to do where it cannot be found out which page a struct page is for, as without the
	 * right to read tracefs: fail (false), or number the pages by where their struct page is
	 * (true): numbers in the same order, and as far apart, as the true ones.
	 */
	bool may_address_pages;
	bool check_stacks;   /* for tests: each kernel callchain also as the kernel makes it */
	uint64_t ring_bytes; /* of each CPU; rounded up to a power of two of pages; 0: by memory */
};

#endif
