// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/programs.h"

#ifdef HAVE_LIBBPF

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#include "util/bpf/probes.h"

/* The kind of a tracepoint's third argument, if it distinguishes variants. */
enum third { ANY, CACHE, NAME, NUMBER };

/*
 * Numbers of arguments do not include the first one, which is the kernel's own. Changes: 5.12
 * kmem_cache_free gets the cache's name; 5.19 percpu_refill; 6.0 the cache is the third argument of
 * all allocations; 6.1 *_node are no longer events of their own, sizes of objects in a cache are
 * those of the cache, kmem_cache_free gets the cache, and compaction a struct compact_control
 * instead of two numbers; 7.0 reclaim gets the memory cgroup.
 */
static const struct variant {
	enum bpf_kind kind;
	int nr;
	enum third third;
	const char *program;
} variants[] = {
	{BPF_KMALLOC, 6, NUMBER, "kmalloc"},
	{BPF_KMALLOC, 6, CACHE, "kmalloc_6_0"},
	{BPF_KMALLOC, 5, NUMBER, "kmalloc_5_15"},
	{BPF_KMALLOC_NODE, 7, CACHE, "kmalloc_node_6_0"},
	{BPF_KMALLOC_NODE, 6, NUMBER, "kmalloc_node_5_15"},
	{BPF_CACHE_ALLOC, 5, CACHE, "cache_alloc"},
	{BPF_CACHE_ALLOC, 6, CACHE, "cache_alloc_6_0"},
	{BPF_CACHE_ALLOC, 5, NUMBER, "cache_alloc_5_15"},
	{BPF_CACHE_ALLOC_NODE, 7, CACHE, "cache_alloc_node_6_0"},
	{BPF_CACHE_ALLOC_NODE, 6, NUMBER, "cache_alloc_node_5_15"},
	{BPF_KFREE, 2, ANY, "kfree"},
	{BPF_CACHE_FREE, 3, CACHE, "cache_free"},
	{BPF_CACHE_FREE, 3, NAME, "cache_free"},
	{BPF_CACHE_FREE, 2, ANY, "cache_free_5_11"},
	{BPF_PAGE_ALLOC, 4, ANY, "page_alloc"},
	{BPF_PAGE_FREE, 2, ANY, "page_free"},
	{BPF_PAGE_FREE_BATCHED, 1, ANY, "page_free_batched"},
	{BPF_ZONE_LOCKED, 4, ANY, "zone_locked"},
	{BPF_ZONE_LOCKED, 3, ANY, "zone_locked_5_18"},
	{BPF_PCPU_DRAIN, 3, ANY, "pcpu_drain"},
	{BPF_PCPU_DRAIN, 4, ANY, "pcpu_drain"},
	{BPF_EXTFRAG, 5, ANY, "extfrag"},
	{BPF_VMALLOC_ALLOC, 6, ANY, "vmalloc_alloc"},
	{BPF_VMALLOC_FREE, 3, ANY, "vmalloc_free"},
	{BPF_VMALLOC_PURGE, 3, ANY, "vmalloc_purge"},
	{BPF_PERCPU_ALLOC, 10, ANY, "percpu_alloc"},
	{BPF_PERCPU_FAIL, 4, ANY, "percpu_fail"},
	{BPF_PERCPU_FREE, 3, ANY, "percpu_free"},
	{BPF_PERCPU_CREATE, 1, ANY, "percpu_create"},
	{BPF_PERCPU_DESTROY, 1, ANY, "percpu_destroy"},
	{BPF_DIRECT_RECLAIM_BEGIN, 2, ANY, "direct_reclaim_begin"},
	{BPF_DIRECT_RECLAIM_BEGIN, 3, ANY, "direct_reclaim_begin_7_0"},
	{BPF_DIRECT_RECLAIM_END, 1, ANY, "direct_reclaim_end"},
	{BPF_DIRECT_RECLAIM_END, 2, ANY, "direct_reclaim_end"},
	{BPF_MEMCG_RECLAIM_BEGIN, 2, ANY, "memcg_reclaim_begin"},
	{BPF_MEMCG_RECLAIM_BEGIN, 3, ANY, "memcg_reclaim_begin_7_0"},
	{BPF_MEMCG_RECLAIM_END, 1, ANY, "memcg_reclaim_end"},
	{BPF_MEMCG_RECLAIM_END, 2, ANY, "memcg_reclaim_end"},
	{BPF_NODE_RECLAIM_BEGIN, 3, ANY, "node_reclaim_begin"},
	{BPF_NODE_RECLAIM_END, 1, ANY, "node_reclaim_end"},
	{BPF_NODE_RECLAIM_END, 2, ANY, "node_reclaim_end"},
	{BPF_COMPACTION_TRY, 3, ANY, "compaction_try"},
	{BPF_COMPACTION_BEGIN, 4, ANY, "compaction_begin"},
	{BPF_COMPACTION_BEGIN, 5, ANY, "compaction_begin_5_15"},
	{BPF_COMPACTION_END, 5, ANY, "compaction_end"},
	{BPF_COMPACTION_END, 6, ANY, "compaction_end_5_15"},
	{BPF_MARK_VICTIM, 1, ANY, "mark_victim"},
	{BPF_MARK_VICTIM, 2, ANY, "mark_victim"},
	{BPF_TASK_NEW, 2, ANY, "task_new"},
	{BPF_TASK_COMM, 2, ANY, "task_comm"},
	{BPF_TASK_EXIT, 1, ANY, "task_exit"},
	{BPF_TASK_EXIT, 2, ANY, "task_exit"},
};

#define TRACEPOINT(kind, layout, system, tracepoint) [BPF_##kind] = #tracepoint,
static const char *const tracepoints[BPF_KINDS] = {BPF_EVENTS(TRACEPOINT)};

/* The function type of a tracepoint, or NULL. */
static const struct btf_type *tracepoint_type(const struct btf *btf, const char *tracepoint)
{
	char name[64];
	const struct btf_type *t;
	int id;

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL;
	if (t && btf_is_ptr(t))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_func_proto(t) ? t : NULL;
}

static const struct btf_type *skip_modifiers(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static enum third third_argument(const struct btf *btf, const struct btf_type *proto)
{
	const struct btf_type *t;
	const char *name;

	if (btf_vlen(proto) < 4)
		return ANY;
	t = skip_modifiers(btf, btf_params(proto)[3].type);
	if (!t || !btf_is_ptr(t))
		return t && btf_is_int(t) ? NUMBER : ANY;
	t = skip_modifiers(btf, t->type);
	if (!t)
		return ANY;
	name = btf__name_by_offset(btf, t->name_off);
	if (btf_is_struct(t) && name && !strcmp(name, "kmem_cache"))
		return CACHE;
	return btf_is_int(t) && t->size == 1 ? NAME : ANY;
}

static const struct variant *find_variant(const struct btf *btf, enum bpf_kind kind)
{
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		const struct variant *v = &variants[i];
		const struct btf_type *proto;

		if (v->kind != kind)
			continue;
		proto = tracepoint_type(btf, tracepoints[kind]);
		if (proto && btf_vlen(proto) == v->nr + 1 &&
		    (v->third == ANY || v->third == third_argument(btf, proto)))
			return v;
	}
	return NULL;
}

const char *bpf_program_for(const struct btf *btf, enum bpf_kind kind)
{
	const struct variant *v = find_variant(btf, kind);

	return v ? v->program : NULL;
}

bpf_kinds_t bpf_program_kinds(const struct btf *btf)
{
	bpf_kinds_t kinds = 0;

	for (int kind = 0; kind < BPF_KINDS; kind++)
		if (find_variant(btf, (enum bpf_kind)kind) ||
		    bpf_probe_find(btf, (enum bpf_kind)kind))
			kinds |= BPF_BIT(kind);
	return kinds;
}

const char *bpf_program_unfit(const struct btf *btf, enum bpf_kind kind)
{
	return tracepoints[kind] && tracepoint_type(btf, tracepoints[kind]) &&
			       !find_variant(btf, kind)
		       ? tracepoints[kind]
		       : NULL;
}

bool bpf_program_free_has_name(const struct btf *btf)
{
	const struct variant *v = find_variant(btf, BPF_CACHE_FREE);

	return v && v->third == NAME;
}

static bool has_memcg(const struct btf *btf)
{
	return btf__find_by_name_kind(btf, "mem_cgroup", BTF_KIND_STRUCT) > 0;
}

/* The flag whose bit number is an enumerator of an enum (which may be anonymous). 0 if there is
 * none. */
static uint32_t flag_of_enum(const struct btf *btf, const char *enum_name, const char *enumerator)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *name;

		if (!btf_is_enum(t))
			continue;
		name = btf__name_by_offset(btf, t->name_off);
		if (!name || strcmp(name, enum_name) != 0)
			continue;
		for (int i = 0; i < btf_vlen(t); i++) {
			const struct btf_enum *e = &btf_enum(t)[i];

			name = btf__name_by_offset(btf, e->name_off);
			if (name && !strcmp(name, enumerator) && e->val >= 0 && e->val < 32)
				return 1u << e->val;
		}
	}
	return 0;
}

uint32_t bpf_program_gfp_account(const struct btf *btf)
{
	/* anonymous before 6.10, which gave the bits an enum of their own */
	const uint32_t before_6_10 = 0x400000;
	uint32_t flag = flag_of_enum(btf, "", "___GFP_ACCOUNT_BIT");

	if (!has_memcg(btf))
		return 0;
	return flag ? flag : before_6_10;
}

uint32_t bpf_program_slab_account(const struct btf *btf)
{
	const uint32_t before_6_9 = 0x04000000;
	uint32_t flag = flag_of_enum(btf, "_slab_flag_bits", "_SLAB_ACCOUNT");

	if (!has_memcg(btf))
		return 0;
	return flag ? flag : before_6_9;
}

/* The offset of a member in a struct, or in an anonymous one inside of it. < 0 if there is none. */
static int64_t member_offset(const struct btf *btf, const struct btf_type *t, const char *member)
{
	for (int i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *name = btf__name_by_offset(btf, m->name_off);
		const struct btf_type *inner = skip_modifiers(btf, m->type);
		int64_t offset = -1;

		if (name && !strcmp(name, member))
			offset = 0;
		else if (name && !*name && inner && btf_is_composite(inner))
			offset = member_offset(btf, inner, member);
		if (offset >= 0)
			return offset + btf_member_bit_offset(t, (uint32_t)i) / 8;
	}
	return -1;
}

/* A per-CPU variable and its offset. NULL if there is none. */
static const struct btf_type *percpu_variable(const struct btf *btf, const char *name,
					      int64_t *ret_offset)
{
	int id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (int i = 0; section && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *v = &btf_var_secinfos(section)[i];
		const struct btf_type *t = btf__type_by_id(btf, v->type);
		const char *is = t ? btf__name_by_offset(btf, t->name_off) : NULL;

		if (is && !strcmp(is, name)) {
			*ret_offset = v->offset;
			return skip_modifiers(btf, t->type);
		}
	}
	return NULL;
}

int64_t bpf_program_preempt_count(const struct btf *btf)
{
	int64_t queue, count, member;
	const struct btf_type *hot;

	if (!percpu_variable(btf, "runqueues", &queue))
		return 0;
	if (percpu_variable(btf, "__preempt_count", &count))
		return count - queue;
	/* 6.2 to 6.14 */
	hot = percpu_variable(btf, "pcpu_hot", &count);
	member = hot && btf_is_composite(hot) ? member_offset(btf, hot, "preempt_count") : -1;
	return member < 0 ? 0 : count + member - queue;
}

#endif
