/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's types as the programs see them: only members that they use. Their offsets are looked
 * up in the running kernel's BTF when the programs are loaded (preserve_access_index).
 *
 * A name with ___ is a variant: the lookup ignores everything from there on.
 */
#ifndef BPF_KERNEL_TYPES_H
#define BPF_KERNEL_TYPES_H

#ifdef __bpf__ /* not for the rest of the program, which uses these names for other types */

typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32, __wsum;
typedef __u64 __be64;

typedef __u8 uint8_t;
typedef __s16 int16_t;
typedef __u16 uint16_t;
typedef __s32 int32_t;
typedef __u32 uint32_t;
typedef __s64 int64_t;
typedef __u64 uint64_t;
typedef unsigned long size_t;
typedef _Bool bool;

#define NULL ((void *)0)
#define true 1
#define false 0

/* Part of the system call interface, and the same everywhere. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_CGROUP_ARRAY = 8,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
};

enum {
	BPF_F_NO_PREALLOC = 1U << 0,
	BPF_F_MMAPABLE = 1U << 10,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kmem_cache {
	unsigned int flags; /* slab_flags_t */
	unsigned int size;
	unsigned int object_size;
	const char *name;
};

typedef struct {
	int counter;
} atomic_t;

struct refcount_struct {
	atomic_t refs;
};

struct timespec64 {
	__s64 tv_sec; /* the lookup needs this: the struct begins with a number of 8 bytes */
};

struct orc_entry {
	unsigned int end : 1; /* before 6.4 */
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};

struct thread_info {
	int preempt_count; /* arm64 and others; on x86 it is a per-CPU variable */
};

struct cfs_rq {
	void *rq; /* run queue of its CPU */
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

/* Registers of user space. */
struct pt_regs {
	unsigned long sp;
};

struct task_struct {
	struct thread_info thread_info;
	void *stack;
	unsigned int flags;
	int pid;
	int tgid;
	char comm[16];
	struct css_set *cgroups;
	struct sched_entity se;
};

struct bpf_prog_aux {
	__u32 id;
};

struct bpf_prog {
	void *active; /* per-CPU: number of active runs, int or u8[4] */
	struct bpf_prog_aux *aux;
};

struct bpf_array {
	void *pptrs[1];
};

struct bpf_iter__bpf_prog {
	struct bpf_prog *prog;
};

struct trace_event_raw_mm_page_alloc_extfrag {
	unsigned long pfn;
	int alloc_order, fallback_order;
	int alloc_migratetype, fallback_migratetype;
	int change_ownership;
};

struct trace_event_raw_mark_victim {
	int pid;
	unsigned int __data_loc_comm; /* since 6.9, like the following ones */
	unsigned long total_vm, anon_rss, file_rss, shmem_rss;
	unsigned int uid;
	unsigned long pgtables;
	short oom_score_adj;
};

struct compact_control {
	unsigned long free_pfn, migrate_pfn;
};

#pragma clang attribute pop

/* Helper functions that are not in every kernel: this one since 5.16. */
enum bpf_func_id {
	BPF_FUNC_task_pt_regs = 175,
	BPF_FUNC_kallsyms_lookup_name = 179,
};

/* The number of perf's subsystem of control groups. */
enum cgroup_subsys_id {
	perf_event_cgrp_id = 0,
};

/* The bit of kmem_cache.flags, since 6.9; a constant before. */
enum _slab_flag_bits {
	_SLAB_ACCOUNT = 0,
};

#endif

#endif
