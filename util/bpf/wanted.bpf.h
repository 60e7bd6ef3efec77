/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter for events, shared by all programs on tracepoints.  Included once by each object.
 *
 * Constants are in .rodata: the verifier removes the branches that are not needed.
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

const volatile uint32_t own_tgid; /* process whose events are dropped; 0: none */
const volatile bool filter_tasks;
const volatile bool filter_cgroup;
const volatile bool kernel_frees; /* all frees by the kernel itself are wanted */

bool enabled;
uint64_t own_stack_bytes;	/* size of a task's kernel stack */
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

/* A pointer as a number for arithmetic: the verifier distinguishes the two. */
static __always_inline bool is_below(const void *pointer, uint64_t address)
{
	uint64_t p;

	asm volatile("%0 = %1" : "=r"(p) : "r"(pointer));
	return p < address;
}

/*
 * Whether an interrupt is running. If the count for that was not found, the stack decides:
 * interrupts have their own stack, and the arguments, `ctx`, are on it. That misses interrupts that
 * came while a program was running instead of the kernel: on x86 they use the task's stack.
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

/* Whether the kernel itself frees: in an interrupt, as after an RCU grace period, or in one of its
 * threads. */
static __always_inline bool is_kernel_free(const void *ctx, uint32_t kind)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return (kind == BPF_KFREE || kind == BPF_CACHE_FREE || kind == BPF_PAGE_FREE ||
		kind == BPF_FREE_RCU || kind == BPF_FREE_BULK) &&
	       (task->flags & PF_KTHREAD || in_interrupt(ctx));
}

static __always_inline bool is_wanted(const void *ctx, uint32_t kind, uint64_t pid_tgid)
{
	uint32_t tid = (uint32_t)pid_tgid;

	/* tasks are followed from their start, and a command starts in our own process */
	if (kind < BPF_TASK_NEW && own_tgid && pid_tgid >> 32 == own_tgid && !in_interrupt(ctx))
		return false;
	if ((!filter_tasks || bpf_map_lookup_elem(&tasks, &tid)) &&
	    (!filter_cgroup || bpf_current_task_under_cgroup(&cgroups, 0) == 1))
		return true;
	return kernel_frees && is_kernel_free(ctx, kind);
}

/* task, clone_flags: called in the parent. Children of wanted tasks are wanted. */
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

/* The task is gone; its number may be reused. */
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
