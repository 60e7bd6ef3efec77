/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads kernel memory in programs for which a call for each word would be too slow.
 *
 * A load from an address that is only a number is not allowed. A load through a pointer to a struct
 * is, and a fault in it is harmless. Since 6.2 a program may turn any address into such a pointer.
 */
#ifndef BPF_MEMORY_BPF_H
#define BPF_MEMORY_BPF_H

#ifdef __bpf__

#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* Whether this kernel has bpf_rdonly_cast(): the verifier removes the other branch. */
const volatile bool has_cast;

extern void *bpf_rdonly_cast(const void *address, uint32_t btf_id) __ksym __weak;

/* 0 if it cannot be read. */
static __always_inline uint32_t read_u32(uint64_t address)
{
	uint32_t value = 0;

	/* any struct that begins with a number of this size will do */
	if (has_cast)
		return ((struct refcount_struct *)bpf_rdonly_cast(
				(void *)address, bpf_core_type_id_kernel(struct refcount_struct)))
			->refs.counter;
	bpf_probe_read_kernel(&value, sizeof(value), (void *)address);
	return value;
}

/* The same for 8 bytes. */
static __always_inline uint64_t read_u64(uint64_t address)
{
	uint64_t value = 0;

	if (has_cast)
		return ((struct timespec64 *)bpf_rdonly_cast(
				(void *)address, bpf_core_type_id_kernel(struct timespec64)))
			->tv_sec;
	bpf_probe_read_kernel(&value, sizeof(value), (void *)address);
	return value;
}

/*
 * The address of the current CPU's preempt_count: `distance` bytes after its run queue, to which
 * the current task points. (A program finds it by name only in kernels with CONFIG_KALLSYMS_ALL.) 0
 * if unknown.
 */
static __always_inline uint64_t preempt_count_address(struct task_struct *task, int64_t distance)
{
	uint64_t queue = 0;

	if (!distance || !bpf_core_field_exists(task->se.cfs_rq))
		return 0;
	bpf_probe_read_kernel(&queue, sizeof(queue), &task->se.cfs_rq->rq);
	return queue ? queue + distance : 0;
}

/* The bits of preempt_count that are set outside of task context: NMI, interrupts, and softirqs
 * being served. */
#define PREEMPT_COUNT_INTERRUPTS 0xff0100u

/* Whether this kernel has bpf_get_kmem_cache() (since 6.13), and it is wanted. */
const volatile bool has_cache_of;

extern struct kmem_cache *bpf_get_kmem_cache(uint64_t address) __ksym __weak;

/* The cache of an object; 0 if unknown. */
static __always_inline uint64_t cache_of(uint64_t object)
{
	volatile uint64_t cache = 0;

	/* read back as a number: the verifier knows it as a pointer otherwise */
	if (has_cache_of)
		cache = (uint64_t)bpf_get_kmem_cache(object);
	return cache;
}

/* A member of 4 bytes of the struct kmem_cache at an address. */
#define read_cache_u32(address, member)                                                            \
	read_u32((address) + bpf_core_field_offset(struct kmem_cache, member))

#endif

#endif
