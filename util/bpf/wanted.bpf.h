/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events are wanted: what all programs on tracepoints share.  Included by each once.
 *
 * What is constant while they are loaded is in .rodata: the verifier removes the branches that are
 * not needed.
 */
#ifndef BPF_WANTED_BPF_H
#define BPF_WANTED_BPF_H

#ifdef __bpf__

#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf/wire.h"
#include "util/bpf/memory.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile uint32_t own_tgid; /* whose events are dropped; 0: nobody's */
const volatile bool filter_tasks;
const volatile bool filter_cgroup;
const volatile bool kernel_frees; /* all that the kernel frees by itself is wanted */

bool enabled;
uint64_t own_stack_bytes;	/* of a task's kernel stack */
int64_t preempt_count_distance; /* see preempt_count_address() */

/* The tids whose events are wanted. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint32_t);
	__type(value, uint8_t);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint32_t);
} cgroups SEC(".maps");

/* A pointer as a number that can be calculated with: the verifier keeps the two apart. */
static __always_inline bool is_below(const void *pointer, uint64_t address)
{
	uint64_t p;

	asm volatile("%0 = %1" : "=r"(p) : "r"(pointer));
	return p < address;
}

/*
 * Does an interrupt run?  Where the count that says so is not found, by the stack: interrupts have
 * one of their own, and the arguments, `ctx`, are on it.  That misses those that came while a
 * program ran and not the kernel: on x86 they use the task's.
 */
static __always_inline bool in_interrupt(const void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint64_t stack, count;

	if (bpf_core_field_exists(task->thread_info.preempt_count))
		return task->thread_info.preempt_count & PREEMPT_COUNT_INTERRUPTS;
	count = preempt_count_address(task, preempt_count_distance);
	if (count)
		return read_u32(count) & PREEMPT_COUNT_INTERRUPTS;
	stack = (uint64_t)task->stack;
	return is_below(ctx, stack) || !is_below(ctx, stack + own_stack_bytes);
}

#define PF_KTHREAD 0x00200000 /* the same in all kernels */

/* Is it freed by the kernel itself: in an interrupt, as after an RCU grace period, or by its
 * threads? */
static __always_inline bool is_kernel_free(const void *ctx, uint32_t kind)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return (kind == BPF_KFREE || kind == BPF_CACHE_FREE || kind == BPF_PAGE_FREE) &&
	       (task->flags & PF_KTHREAD || in_interrupt(ctx));
}

static __always_inline bool is_wanted(const void *ctx, uint32_t kind, uint64_t pid_tgid)
{
	uint32_t tid = (uint32_t)pid_tgid;

	/* tasks are followed from their beginning, and that of a command is in our own process */
	if (kind < BPF_TASK_NEW && own_tgid && pid_tgid >> 32 == own_tgid && !in_interrupt(ctx))
		return false;
	if ((!filter_tasks || bpf_map_lookup_elem(&tasks, &tid)) &&
	    (!filter_cgroup || bpf_current_task_under_cgroup(&cgroups, 0) == 1))
		return true;
	return kernel_frees && is_kernel_free(ctx, kind);
}

/* task, clone_flags: called in the parent. Children of tasks that are wanted are wanted. */
SEC("tp_btf/task_newtask")
int follow_new(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	uint32_t parent = (uint32_t)bpf_get_current_pid_tgid(), tid = task->pid;
	const uint8_t wanted = 1;

	if (bpf_map_lookup_elem(&tasks, &parent))
		bpf_map_update_elem(&tasks, &tid, &wanted, BPF_ANY);
	return 0;
}

/* The task is gone for good; its number may be used again. */
SEC("tp_btf/sched_process_free")
int follow_free(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	uint32_t tid = task->pid;

	bpf_map_delete_elem(&tasks, &tid);
	return 0;
}

#endif

#endif
