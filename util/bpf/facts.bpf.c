// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that determine facts about the running kernel (facts.c).
 */
#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf/wire.h"
#include "util/bpf/memory.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct bpf_cache_query cache_query;   /* of read_cache */
struct bpf_symbol_query symbol_query; /* of find_symbol */

int64_t preempt_count_distance; /* a candidate */
uint32_t calibrated_tid, nr_calibrations;
struct bpf_calibration calibrations[BPF_CALIBRATIONS];

SEC("syscall")
int read_cache(void *ctx)
{
	struct bpf_cache_query *q = &cache_query;
	struct kmem_cache *cache = (void *)q->address;
	const char *name = (const char *)q->address;

	q->object_size = q->size = q->flags = 0;
	q->name[0] = '\0';
	if (!q->is_name) {
		q->object_size = BPF_CORE_READ(cache, object_size);
		q->size = BPF_CORE_READ(cache, size);
		q->flags = BPF_CORE_READ(cache, flags);
		name = BPF_CORE_READ(cache, name);
	}
	if (bpf_probe_read_kernel_str(q->name, sizeof(q->name), name) < 0)
		q->name[0] = '\0';
	return 0;
}

SEC("syscall")
int find_symbol(void *ctx)
{
	struct bpf_symbol_query *q = &symbol_query;

	q->address = 0;
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_kallsyms_lookup_name))
		bpf_kallsyms_lookup_name(q->name, sizeof(q->name), 0, &q->address);
	return 0;
}

/* Attached to mm_page_alloc while one thread of ours allocates pages. */
SEC("raw_tp/mm_page_alloc")
int calibrate(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint32_t i = nr_calibrations;
	struct bpf_calibration *c;
	uint64_t count = preempt_count_address(task, preempt_count_distance);
	uint32_t value = 0;

	if ((uint32_t)bpf_get_current_pid_tgid() != calibrated_tid || i >= BPF_CALIBRATIONS)
		return 0;
	c = &calibrations[i];
	c->page = ctx[0];
	c->stack = (uint64_t)task->stack;
	c->stack_usage = (uint64_t)ctx;
	c->preempt_count = ~0ull;
	if (count && !bpf_probe_read_kernel(&value, sizeof(value), (void *)count))
		c->preempt_count = value;
	c->frames_bytes = bpf_get_stack(ctx, c->frames, sizeof(c->frames), 0);
	nr_calibrations = i + 1;
	return 0;
}
