// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/watch/convert.h"

static struct kmem_event convert(struct bpf_event from, enum bpf_kind kind)
{
	struct kmem_event ev, neutral;

	from.kind = kind;
	from.time_ns = 1234;
	from.pid = 0x3fffff; /* the largest that can be */
	from.tid = 7;
	neutral = live_neutral(kind);
	live_convert(&from, 3, &neutral, &ev);
	assert_int_equal(ev.time_ns, 1234);
	assert_int_equal(ev.pid, 0x3fffff);
	assert_int_equal(ev.tid, 7);
	assert_int_equal(ev.cpu, 3);
	assert_int_equal(ev.kind, live_kind(kind));
	assert_true(ev.in_window);
	assert_true(kmem_event_is_sound(&ev));
	return ev;
}

static void test_kmalloc(void **state)
{
	const struct bpf_event from = {
		.call_site = 0xffffffff81000000,
		.ptr = 0xffff888000000000,
		.kmalloc = {.bytes_req = 100, .bytes_alloc = 128, .gfp_flags = 0xcc0, .node = 1}};
	struct kmem_event ev = convert(from, BPF_KMALLOC);

	(void)state;
	assert_int_equal(ev.kind, KMEM_SLAB_ALLOC);
	assert_true(ev.is_kmalloc);
	assert_int_equal(ev.cache_id, CACHE_ID_KMALLOC);
	assert_false(ev.has_accounted);
	assert_int_equal(ev.call_site, 0xffffffff81000000);
	assert_int_equal(ev.ptr, 0xffff888000000000);
	assert_int_equal(ev.bytes_req, 100);
	assert_int_equal(ev.bytes_alloc, 128);
	assert_int_equal(ev.gfp_flags, 0xcc0);
	assert_int_equal(ev.node, 1);
}

static void test_cache_alloc(void **state)
{
	const struct bpf_event from = {.ptr = 0x1000,
				       .cache_alloc = {.bytes_req = 200,
						       .bytes_alloc = 256,
						       .gfp_flags = 0xdc0,
						       .node = -1,
						       .accounted = 1}};
	struct kmem_event ev = convert(from, BPF_CACHE_ALLOC);

	(void)state;
	assert_int_equal(ev.kind, KMEM_SLAB_ALLOC);
	assert_false(ev.is_kmalloc);
	assert_int_equal(ev.cache_id, CACHE_ID_OWN);
	assert_true(ev.has_accounted);
	assert_int_equal(ev.accounted, 1);
	assert_int_equal(ev.bytes_req, 200);
	assert_int_equal(ev.bytes_alloc, 256);
	assert_int_equal(ev.gfp_flags, 0xdc0);
	assert_int_equal(ev.node, NUMA_NO_NODE);
}

static void test_slab_frees(void **state)
{
	const struct bpf_event from = {.call_site = 0xa000, .ptr = 0x1000};
	static const enum bpf_kind kinds[] = {BPF_KFREE, BPF_CACHE_FREE};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct kmem_event ev = convert(from, kinds[i]);

		assert_int_equal(ev.kind, KMEM_SLAB_FREE);
		assert_int_equal(ev.call_site, 0xa000);
		assert_int_equal(ev.cache_id, i ? CACHE_ID_OWN : CACHE_ID_ANY);
		assert_int_equal(ev.ptr, 0x1000);
		assert_int_equal(ev.node, NUMA_NO_NODE);
	}
}

static void test_probes(void **state)
{
	const struct bpf_event from = {.call_site = 0xa000, .ptr = 0x1000};
	struct kmem_event ev = convert(from, BPF_FREE_RCU);

	(void)state;
	assert_int_equal(ev.kind, KMEM_SLAB_FREE_RCU);
	assert_int_equal(ev.ptr, 0x1000);
	ev = convert(from, BPF_FREE_BULK);
	assert_int_equal(ev.kind, KMEM_SLAB_FREE);
	assert_int_equal(ev.cache_id, CACHE_ID_ANY);
	ev = convert(from, BPF_ALLOC_BULK);
	assert_int_equal(ev.kind, KMEM_SLAB_ALLOC);
	assert_true(ev.has_accounted);
	assert_string_equal(live_kind_name(BPF_ALLOC_BULK), "perf_kmem:kmem_cache_alloc_bulk");
}

static void test_pages(void **state)
{
	const struct bpf_event alloc = {
		.pfn = 0x12345,
		.page_alloc = {.order = 9, .gfp_flags = 0x140cca, .migratetype = 1}};
	const struct bpf_event failed = {.pfn = UINT64_MAX, .page_alloc = {.order = 2}};
	const struct bpf_event freed = {.pfn = 0x12345, .page_free = {.order = 9}};
	struct kmem_event ev = convert(alloc, BPF_PAGE_ALLOC);

	(void)state;
	assert_int_equal(ev.kind, KMEM_PAGE_ALLOC);
	assert_int_equal(ev.page, 0x12345);
	assert_int_equal(ev.order, 9);
	assert_int_equal(ev.gfp_flags, 0x140cca);
	assert_int_equal(ev.migratetype, 1);
	assert_false(ev.by_address);
	assert_int_equal(convert(failed, BPF_PAGE_ALLOC).page, PFN_NONE);
	ev = convert(freed, BPF_PAGE_FREE);
	assert_int_equal(ev.kind, KMEM_PAGE_FREE);
	assert_int_equal(ev.page, 0x12345);
	assert_int_equal(ev.order, 9);
	ev = convert(freed, BPF_PAGE_FREE_BATCHED);
	assert_int_equal(ev.kind, KMEM_PAGE_FREE_BATCHED);
}

static void test_per_cpu_lists(void **state)
{
	struct bpf_event from = {.pfn = 5,
				 .zone_locked = {.order = 3, .migratetype = 2, .percpu_refill = 1}};
	struct kmem_event ev = convert(from, BPF_ZONE_LOCKED);

	(void)state;
	assert_int_equal(ev.kind, KMEM_PAGE_ZONE_LOCKED);
	assert_int_equal(ev.order, 3);
	assert_int_equal(ev.migratetype, 2);
	assert_int_equal(ev.percpu_refill, 1);
	assert_int_equal(convert(from, BPF_PCPU_DRAIN).kind, KMEM_PAGE_PCPU_DRAIN);
}

static void test_fallbacks(void **state)
{
	const struct bpf_event from = {.pfn = 5,
				       .extfrag = {.alloc_order = 2,
						   .fallback_order = 10,
						   .alloc_migratetype = 0,
						   .fallback_migratetype = 1,
						   .change_ownership = 1}};
	struct kmem_event ev = convert(from, BPF_EXTFRAG);

	(void)state;
	assert_int_equal(ev.kind, KMEM_PAGE_EXTFRAG);
	assert_int_equal(ev.page, 5);
	assert_int_equal(ev.order, 2);
	assert_int_equal(ev.migratetype, 0);
	assert_int_equal(ev.fallback_order, 10);
	assert_int_equal(ev.fallback_migratetype, 1);
	assert_int_equal(ev.change_ownership, 1);
}

static void test_ranges(void **state)
{
	struct bpf_event area = {
		.ptr = 0x7000,
		.vmalloc_alloc = {.align = 1, .vstart = 2, .vend = 3, .size = 8192, .failed = 1}};
	struct bpf_event object = {.ptr = 0x50,
				   .call_site = 0x99,
				   .percpu_alloc = {.base_addr = 4,
						    .off = 5,
						    .gfp_flags = 0xcc0,
						    .size = 16,
						    .bytes_alloc = 64}};
	struct kmem_event ev = convert(area, BPF_VMALLOC_ALLOC);

	(void)state;
	assert_int_equal(ev.kind, KMEM_VMALLOC_ALLOC);
	assert_int_equal(ev.ptr, 0x7000);
	assert_int_equal(ev.bytes_req, 8192);
	assert_int_equal(ev.failed, 1);
	ev = convert(object, BPF_PERCPU_ALLOC);
	assert_int_equal(ev.kind, KMEM_PERCPU_ALLOC);
	assert_int_equal(ev.ptr, 0x50);
	assert_int_equal(ev.call_site, 0x99);
	assert_int_equal(ev.gfp_flags, 0xcc0);
	assert_int_equal(ev.bytes_req, 16);
	assert_int_equal(ev.bytes_alloc, 64);
}

/* Each kind but those of tasks has the name of a tracepoint, and a kind of an account's events. */
static void test_names(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < BPF_KINDS + 2; kind++) {
		bool is_task = kind >= BPF_TASK_NEW;

		assert_int_equal(live_kind(kind) == KMEM_OTHER, is_task);
		assert_int_equal(live_kind_name(kind) == NULL, is_task);
		if (kind >= BPF_VMALLOC_ALLOC && kind <= BPF_PERCPU_DESTROY)
			assert_true(kmem_kind_is_range(live_kind(kind)));
		else if (kind < BPF_VMALLOC_ALLOC || BPF_PROBE_KINDS >> kind & 1)
			assert_non_null(strstr(live_kind_name(kind), "kmem:"));
		else if (!is_task)
			assert_true(live_kind(kind) >= KMEM_OWN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kmalloc),	   cmocka_unit_test(test_cache_alloc),
		cmocka_unit_test(test_slab_frees), cmocka_unit_test(test_probes),
		cmocka_unit_test(test_pages),	   cmocka_unit_test(test_per_cpu_lists),
		cmocka_unit_test(test_fallbacks),  cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
