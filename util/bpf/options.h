/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_capture_options: the events to capture or count, and their optional data.
 */
#ifndef BPF_OPTIONS_H
#define BPF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/bpf/wire.h"
#include "util/host/cpulist.h"

#define BPF_STACK_MAX 127 /* limit of frames of a callchain */

struct bpf_capture_options {
	/* kinds that this kernel lacks are ignored; probes as bpf_probes_for() allows */
	bpf_kinds_t kinds;
	uint8_t max_stack[BPF_KINDS];	   /* number of kernel frames; 0: none */
	uint8_t max_user_stack[BPF_KINDS]; /* number of user frames, by frame pointers; 0: none */
	const struct cpulist *cpus;	   /* NULL or empty: all online CPUs */
	/* Only these tasks and those that they create later; both empty: all. */
	const pid_t *pids; /* processes, with all their threads */
	size_t nr_pids;
	const pid_t *tids;
	size_t nr_tids;
	int cgroup_fd; /* a directory of cgroup v2: only its tasks, and those below it; -1: all */
	/*
	 * With a filter for tasks or a cgroup, also all frees by the kernel itself, in interrupts
	 * and in its own threads: much of those tasks' memory is freed there, later. Not for
	 * counting.
	 */
	bool kernel_frees;
	bpf_kinds_t failed_only; /* kinds of which only failed allocations are captured */
	bool with_self;	  /* otherwise this process's events are dropped, except those of interrupts
			   */
	bool find_caches; /* events of kmalloc and kfree have the cache, where possible */
	bool cgroup_ids;  /* struct bpf_extra contains them */
	/*
	 * For the case that the page of a struct page cannot be determined, as without permission
	 * to read tracefs: fail (false), or number pages by the position of their struct page
	 * (true). The order and the distances of these numbers are the true ones.
	 */
	bool may_address_pages;
	bool check_stacks; /* for tests: also make each kernel callchain with the kernel's unwinder
			    */
	uint64_t ring_bytes; /* bytes for each CPU; rounded up to a power of two of pages; 0:
				depends on the memory */
};

#endif
