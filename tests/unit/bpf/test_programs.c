// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/skip.h"
#include "util/bpf/probes.h"
#include "util/bpf/programs.h"

#ifdef HAVE_LIBBPF

#include <bpf/btf.h>

/* A kernel's types, as far as they matter. */
struct types {
	struct btf *btf;
	int integer, number, byte, cache, cache_ptr, const_cache_ptr, name_ptr, void_ptr;
};

static void types_init(struct types *t)
{
	t->btf = btf__new_empty();
	assert_non_null(t->btf);
	t->integer = btf__add_int(t->btf, "int", 4, BTF_INT_SIGNED);
	t->number =
		btf__add_typedef(t->btf, "size_t", btf__add_int(t->btf, "long unsigned int", 8, 0));
	t->byte = btf__add_int(t->btf, "char", 1, BTF_INT_SIGNED);
	t->cache = btf__add_struct(t->btf, "kmem_cache", 8);
	t->cache_ptr = btf__add_ptr(t->btf, t->cache);
	t->const_cache_ptr = btf__add_ptr(t->btf, btf__add_const(t->btf, t->cache));
	t->name_ptr = btf__add_ptr(t->btf, btf__add_const(t->btf, t->byte));
	t->void_ptr = btf__add_ptr(t->btf, btf__add_const(t->btf, 0));
}

/* In `arguments` a letter each: n: size_t, i: int, p: const void *, c: struct kmem_cache *,
 * C: const struct kmem_cache *, s: const char *; behind the kernel's own. */
static void add(struct types *t, const char *tracepoint, const char *arguments)
{
	char name[64];
	int proto = btf__add_func_proto(t->btf, 0);

	assert_int_equal(btf__add_func_param(t->btf, "__data", t->void_ptr), 0);
	for (const char *a = arguments; *a; a++) {
		int type = *a == 'n'   ? t->number
			   : *a == 'i' ? t->integer
			   : *a == 'p' ? t->void_ptr
			   : *a == 'c' ? t->cache_ptr
			   : *a == 'C' ? t->const_cache_ptr
				       : t->name_ptr;

		assert_int_equal(btf__add_func_param(t->btf, "a", type), 0);
	}
	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	assert_true(btf__add_typedef(t->btf, name, btf__add_ptr(t->btf, proto)) > 0);
}

static void expect(const struct types *t, enum bpf_kind kind, const char *program)
{
	const char *got = bpf_program_for(t->btf, kind);

	if (!program)
		assert_null(got);
	else if (!got)
		fail_msg("no program for kind %d, expected %s", kind, program);
	else
		assert_string_equal(got, program);
}

static void test_5_15(void **state)
{
	struct types t;

	(void)state;
	types_init(&t);
	add(&t, "kmalloc", "npnni");
	add(&t, "kmalloc_node", "npnnii");
	add(&t, "kmem_cache_alloc", "npnni");
	add(&t, "kmem_cache_alloc_node", "npnnii");
	add(&t, "kfree", "np");
	add(&t, "kmem_cache_free", "nps");
	add(&t, "mm_page_alloc_zone_locked", "pii");
	expect(&t, BPF_KMALLOC, "kmalloc_5_15");
	expect(&t, BPF_KMALLOC_NODE, "kmalloc_node_5_15");
	expect(&t, BPF_CACHE_ALLOC, "cache_alloc_5_15");
	expect(&t, BPF_CACHE_ALLOC_NODE, "cache_alloc_node_5_15");
	expect(&t, BPF_KFREE, "kfree");
	expect(&t, BPF_CACHE_FREE, "cache_free");
	expect(&t, BPF_ZONE_LOCKED, "zone_locked_5_18");
	expect(&t, BPF_PAGE_ALLOC, NULL);
	assert_true(bpf_program_free_has_name(t.btf));
	btf__free(t.btf);
}

/* arguments: a name for each, separated by spaces. */
static void add_function(struct types *t, const char *name, const char *arguments, int returns)
{
	int proto = btf__add_func_proto(t->btf, returns);
	char list[64], *save = NULL;

	snprintf(list, sizeof(list), "%s", arguments);
	for (char *a = strtok_r(list, " ", &save); a; a = strtok_r(NULL, " ", &save))
		assert_int_equal(btf__add_func_param(t->btf, a, t->void_ptr), 0);
	assert_true(btf__add_func(t->btf, name, BTF_FUNC_STATIC, proto) > 0);
}

static void expect_probe(const struct types *t, enum bpf_kind kind, const char *function,
			 const char *program)
{
	const struct bpf_probe *got = bpf_probe_find(t->btf, kind);

	if (!function) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_string_equal(got->function, function);
	assert_string_equal(got->program, program);
	assert_int_equal(got->at_exit, kind == BPF_ALLOC_BULK);
}

static void add_loop(struct types *t)
{
	assert_true(btf__add_enum(t->btf, "bpf_func_id", 4) > 0);
	assert_int_equal(btf__add_enum_value(t->btf, "BPF_FUNC_loop", 181), 0);
}

static void test_probes(void **state)
{
	struct types t;

	(void)state;
	types_init(&t);
	expect_probe(&t, BPF_FREE_RCU, NULL, NULL);
	add_function(&t, "kvfree_call_rcu", "head func", 0);
	add_function(&t, "kmem_cache_free_bulk", "s size p", 0);
	add_function(&t, "kmem_cache_alloc_bulk", "s flags size p", t.integer);
	expect_probe(&t, BPF_FREE_RCU, "kvfree_call_rcu", "free_rcu_6_2");
	expect_probe(&t, BPF_FREE_BULK, NULL, NULL); /* before 5.17 */
	add_loop(&t);
	expect_probe(&t, BPF_FREE_BULK, "kmem_cache_free_bulk", "free_bulk");
	expect_probe(&t, BPF_ALLOC_BULK, "kmem_cache_alloc_bulk", "alloc_bulk_6_18");
	expect_probe(&t, BPF_KFREE, NULL, NULL);
	btf__free(t.btf);
	types_init(&t);
	add_loop(&t);
	add_function(&t, "kvfree_call_rcu", "head ptr", 0);
	add_function(&t, "kmem_cache_free_bulk", "s p", 0);
	add_function(&t, "kmem_cache_alloc_bulk_noprof", "s flags size p", t.integer);
	expect_probe(&t, BPF_FREE_RCU, "kvfree_call_rcu", "free_rcu");
	expect_probe(&t, BPF_FREE_BULK, NULL, NULL); /* unknown arguments */
	expect_probe(&t, BPF_ALLOC_BULK, "kmem_cache_alloc_bulk_noprof", "alloc_bulk_6_18");
	btf__free(t.btf);
	types_init(&t);
	add_loop(&t);
	add_function(
		&t, "kmem_cache_alloc_bulk_noprof", "s flags size p",
		btf__add_typedef(t.btf, "bool", btf__add_int(t.btf, "_Bool", 1, BTF_INT_BOOL)));
	expect_probe(&t, BPF_ALLOC_BULK, "kmem_cache_alloc_bulk_noprof", "alloc_bulk");
	btf__free(t.btf);
}

static void test_6_0(void **state)
{
	struct types t;

	(void)state;
	types_init(&t);
	add(&t, "kmalloc", "npcnni");
	add(&t, "kmalloc_node", "npcnnii");
	add(&t, "kmem_cache_alloc", "npcnni");
	add(&t, "kmem_cache_alloc_node", "npcnnii");
	add(&t, "mm_page_alloc_zone_locked", "piii");
	expect(&t, BPF_KMALLOC, "kmalloc_6_0");
	expect(&t, BPF_KMALLOC_NODE, "kmalloc_node_6_0");
	expect(&t, BPF_CACHE_ALLOC, "cache_alloc_6_0");
	expect(&t, BPF_CACHE_ALLOC_NODE, "cache_alloc_node_6_0");
	expect(&t, BPF_ZONE_LOCKED, "zone_locked");
	btf__free(t.btf);
}

static void test_since_6_1(void **state)
{
	struct types t;

	(void)state;
	types_init(&t);
	add(&t, "kmalloc", "npnnii");
	add(&t, "kmem_cache_alloc", "npcii");
	add(&t, "kfree", "np");
	add(&t, "kmem_cache_free", "npC");
	expect(&t, BPF_KMALLOC, "kmalloc");
	expect(&t, BPF_KMALLOC_NODE, NULL);
	expect(&t, BPF_CACHE_ALLOC, "cache_alloc");
	expect(&t, BPF_CACHE_ALLOC_NODE, NULL);
	expect(&t, BPF_CACHE_FREE, "cache_free");
	assert_false(bpf_program_free_has_name(t.btf));
	assert_int_equal(bpf_program_kinds(t.btf), 1u << BPF_KMALLOC | 1u << BPF_CACHE_ALLOC |
							   1u << BPF_KFREE | 1u << BPF_CACHE_FREE);
	btf__free(t.btf);
}

/* Rather none than one that reads something else. */
static void test_unknown_arguments(void **state)
{
	struct types t;

	(void)state;
	types_init(&t);
	add(&t, "kmalloc", "npsnii");
	add(&t, "kmem_cache_alloc", "npcniii");
	add(&t, "kmem_cache_free", "npn");
	add(&t, "kfree", "npi");
	assert_int_equal(bpf_program_kinds(t.btf), 0);
	btf__free(t.btf);
}

static void test_accounting_flags(void **state)
{
	struct types t;

	(void)state;
	types_init(&t);
	/* without memory cgroups nothing is charged */
	assert_int_equal(bpf_program_gfp_account(t.btf), 0);
	assert_int_equal(bpf_program_slab_account(t.btf), 0);
	assert_true(btf__add_struct(t.btf, "mem_cgroup", 8) > 0);
	assert_int_equal(bpf_program_gfp_account(t.btf), 0x400000);
	assert_int_equal(bpf_program_slab_account(t.btf), 0x4000000);
	assert_true(btf__add_enum(t.btf, NULL, 4) > 0);
	assert_int_equal(btf__add_enum_value(t.btf, "___GFP_DMA_BIT", 0), 0);
	assert_int_equal(btf__add_enum_value(t.btf, "___GFP_ACCOUNT_BIT", 20), 0);
	assert_true(btf__add_enum(t.btf, "_slab_flag_bits", 4) > 0);
	assert_int_equal(btf__add_enum_value(t.btf, "_SLAB_ACCOUNT", 13), 0);
	assert_int_equal(bpf_program_gfp_account(t.btf), 1 << 20);
	assert_int_equal(bpf_program_slab_account(t.btf), 1 << 13);
	btf__free(t.btf);
}

/* A section of variables of each CPU: the run queue at 4096, and, if it has a type, one at 64. */
static void add_percpu(struct types *t, const char *name, int type)
{
	int queues = btf__add_struct(t->btf, "rq", 3584), queue, other;

	queue = btf__add_var(t->btf, "runqueues", BTF_VAR_GLOBAL_ALLOCATED, queues);
	other = type ? btf__add_var(t->btf, name, BTF_VAR_GLOBAL_ALLOCATED, type) : 0;
	assert_true(btf__add_datasec(t->btf, ".data..percpu", 8192) > 0);
	if (other)
		assert_int_equal(btf__add_datasec_var_info(t->btf, other, 64, 4), 0);
	assert_int_equal(btf__add_datasec_var_info(t->btf, queue, 4096, 3584), 0);
}

static void test_preempt_count(void **state)
{
	struct types t;

	(void)state;
	types_init(&t);
	assert_int_equal(bpf_program_preempt_count(t.btf), 0);
	add_percpu(&t, "", 0);
	assert_int_equal(bpf_program_preempt_count(t.btf), 0);
	btf__free(t.btf);
	types_init(&t);
	add_percpu(&t, "__preempt_count", t.integer);
	assert_int_equal(bpf_program_preempt_count(t.btf), 64 - 4096);
	btf__free(t.btf);
}

/* In a struct in a union, both without a name. */
static void test_preempt_count_6_12(void **state)
{
	struct types t;
	int hot, inner, outer;

	(void)state;
	types_init(&t);
	inner = btf__add_struct(t.btf, NULL, 16);
	assert_int_equal(btf__add_field(t.btf, "current_task", t.void_ptr, 0, 0), 0);
	assert_int_equal(btf__add_field(t.btf, "preempt_count", t.integer, 64, 0), 0);
	outer = btf__add_union(t.btf, NULL, 16);
	assert_int_equal(btf__add_field(t.btf, NULL, inner, 0, 0), 0);
	hot = btf__add_struct(t.btf, "pcpu_hot", 24);
	assert_int_equal(btf__add_field(t.btf, "first", t.integer, 0, 0), 0);
	assert_int_equal(btf__add_field(t.btf, NULL, outer, 64, 0), 0);
	add_percpu(&t, "pcpu_hot", hot);
	assert_int_equal(bpf_program_preempt_count(t.btf), 64 + 16 - 4096);
	btf__free(t.btf);
	/* such a variable without the member */
	types_init(&t);
	hot = btf__add_struct(t.btf, "pcpu_hot", 8);
	assert_int_equal(btf__add_field(t.btf, "first", t.integer, 0, 0), 0);
	add_percpu(&t, "pcpu_hot", hot);
	assert_int_equal(bpf_program_preempt_count(t.btf), 0);
	btf__free(t.btf);
}

static void test_reclaim(void **state)
{
	struct types t;

	(void)state;
	types_init(&t);
	add(&t, "mm_vmscan_direct_reclaim_begin", "in");
	add(&t, "mm_vmscan_direct_reclaim_end", "n");
	add(&t, "mm_compaction_begin", "nnnni");
	expect(&t, BPF_DIRECT_RECLAIM_BEGIN, "direct_reclaim_begin");
	expect(&t, BPF_DIRECT_RECLAIM_END, "direct_reclaim_end");
	expect(&t, BPF_COMPACTION_BEGIN, "compaction_begin_5_15");
	assert_null(bpf_program_unfit(t.btf, BPF_DIRECT_RECLAIM_BEGIN));
	assert_null(bpf_program_unfit(t.btf, BPF_MEMCG_RECLAIM_BEGIN));
	btf__free(t.btf);
	/* 7.0 */
	types_init(&t);
	add(&t, "mm_vmscan_direct_reclaim_begin", "nip");
	add(&t, "mm_vmscan_direct_reclaim_end", "np");
	add(&t, "mm_compaction_begin", "pnni");
	add(&t, "mm_compaction_end", "p");
	expect(&t, BPF_DIRECT_RECLAIM_BEGIN, "direct_reclaim_begin_7_0");
	expect(&t, BPF_DIRECT_RECLAIM_END, "direct_reclaim_end");
	expect(&t, BPF_COMPACTION_BEGIN, "compaction_begin");
	assert_string_equal(bpf_program_unfit(t.btf, BPF_COMPACTION_END), "mm_compaction_end");
	btf__free(t.btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reclaim),
		cmocka_unit_test(test_preempt_count),
		cmocka_unit_test(test_preempt_count_6_12),
		cmocka_unit_test(test_probes),
		cmocka_unit_test(test_5_15),
		cmocka_unit_test(test_6_0),
		cmocka_unit_test(test_since_6_1),
		cmocka_unit_test(test_unknown_arguments),
		cmocka_unit_test(test_accounting_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_programs(void **state)
{
	(void)state;
	skip_because("perf is built without BPF");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
