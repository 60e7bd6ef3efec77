// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/decode/filter.h"
#include "util/watch/live_kinds.h"

#define SLAB_KINDS                                                                                 \
	(1u << BPF_KMALLOC | 1u << BPF_KMALLOC_NODE | 1u << BPF_CACHE_ALLOC |                      \
	 1u << BPF_CACHE_ALLOC_NODE | 1u << BPF_KFREE | 1u << BPF_CACHE_FREE)
#define PAGE_KINDS (1u << BPF_PAGE_ALLOC | 1u << BPF_PAGE_FREE)

static struct bpf_capture_options choose(const struct kmem_options *o)
{
	struct bpf_capture_options c = {.kinds = 0};

	assert_int_equal(live_kinds_choose(o, &c, NULL), 0);
	return c;
}

static void test_slab_without_stacks(void **state)
{
	const struct kmem_options o = {
		.wanted[ACCOUNT_slab] = true,
		.tables[ACCOUNT_slab].v[0] = {.by = {KEY_CALLSITE}, .nr_by = 1},
		.tables[ACCOUNT_slab].nr = 1};
	struct bpf_capture_options c = choose(&o);

	(void)state;
	assert_int_equal(c.kinds, SLAB_KINDS);
	for (int kind = 0; kind < BPF_KINDS; kind++)
		assert_int_equal(c.max_stack[kind], 0);
	assert_false(c.cgroup_ids);
}

static void test_stacks_only_of_allocations(void **state)
{
	struct kmem_options o = {.wanted[ACCOUNT_slab] = true,
				 .tables[ACCOUNT_slab].v[0] = {.by = {KEY_STACK}, .nr_by = 1},
				 .tables[ACCOUNT_slab].nr = 1};
	struct bpf_capture_options c = choose(&o);

	(void)state;
	assert_int_equal(c.max_stack[BPF_KMALLOC], BPF_STACK_MAX);
	assert_int_equal(c.max_stack[BPF_CACHE_ALLOC], BPF_STACK_MAX);
	assert_int_equal(c.max_stack[BPF_KFREE], 0);
	o.max_stack = 5;
	assert_int_equal(choose(&o).max_stack[BPF_KMALLOC], 5);
}

static void test_user_stacks_only_of_allocations(void **state)
{
	struct kmem_options o = {.wanted[ACCOUNT_slab] = true,
				 .tables[ACCOUNT_slab].v[0] = {.by = {KEY_USTACK}, .nr_by = 1},
				 .tables[ACCOUNT_slab].nr = 1};
	struct bpf_capture_options c = choose(&o);

	(void)state;
	assert_int_equal(c.max_user_stack[BPF_KMALLOC], BPF_STACK_MAX);
	assert_int_equal(c.max_user_stack[BPF_KFREE], 0);
	assert_int_equal(c.max_stack[BPF_KMALLOC], 0);
	o.tables[ACCOUNT_slab].v[0].by[0] = KEY_USRCLINE;
	c = choose(&o);
	assert_in_range(c.max_user_stack[BPF_CACHE_ALLOC], 16, BPF_STACK_MAX);
	o.tables[ACCOUNT_slab].v[0].by[0] = KEY_STACK;
	assert_int_equal(choose(&o).max_user_stack[BPF_KMALLOC], 0);
	o.user_stacks = true;
	o.max_stack = 9;
	assert_int_equal(choose(&o).max_user_stack[BPF_KMALLOC], 9);
}

/* The call site of a page is in its callchain; who does not ask for it does not pay for it. */
static void test_pages(void **state)
{
	struct kmem_options o = {.wanted[ACCOUNT_page] = true,
				 .tables[ACCOUNT_page].v[0] = {.by = {KEY_CALLSITE}, .nr_by = 1},
				 .tables[ACCOUNT_page].nr = 1};
	struct bpf_capture_options c = choose(&o);

	(void)state;
	assert_int_equal(c.kinds & PAGE_KINDS, PAGE_KINDS);
	assert_int_equal(c.kinds & SLAB_KINDS, 0);
	assert_int_equal(c.max_stack[BPF_PAGE_ALLOC], CALLSITE_FRAMES);
	assert_int_equal(c.max_stack[BPF_PAGE_FREE], 0);
	o.tables[ACCOUNT_page].v[0].by[0] = KEY_ORDER;
	assert_int_equal(choose(&o).max_stack[BPF_PAGE_ALLOC], 0);
	o.tables[ACCOUNT_page].v[0].by[0] = KEY_CGROUP;
	assert_true(choose(&o).cgroup_ids);
}

static void test_a_filter_looks_at_keys_too(void **state)
{
	struct kmem_filter filter;
	struct kmem_options o = {.wanted[ACCOUNT_page] = true, .filter = &filter};

	(void)state;
	kmem_filter_init(&filter);
	assert_int_equal(kmem_filter_add(&filter, "callsite", "pte", NULL), 0);
	assert_int_equal(choose(&o).max_stack[BPF_PAGE_ALLOC], CALLSITE_FRAMES);
	kmem_filter_deinit(&filter);
}

static void test_frees_by_caller(void **state)
{
	const struct kmem_options o = {.wanted[ACCOUNT_percpu] = true};
	struct bpf_capture_options c = choose(&o);

	(void)state;
	assert_int_equal(c.kinds >> BPF_ZONE_LOCKED & 1, 1);
	assert_int_equal(c.kinds >> BPF_PCPU_DRAIN & 1, 1);
	assert_int_equal(c.max_stack[BPF_PAGE_FREE], CALLSITE_FRAMES);
	assert_int_equal(c.max_stack[BPF_ZONE_LOCKED], 0);
}

static void test_what_the_kernel_counts(void **state)
{
	struct error err = ERROR_INIT;
	struct kmem_options o = {
		.wanted[ACCOUNT_slab] = true,
		.tables[ACCOUNT_slab].v[0] = {.by = {KEY_CALLSITE, KEY_CACHE}, .nr_by = 2},
		.tables[ACCOUNT_slab].nr = 1};

	(void)state;
	assert_int_equal(live_kinds_check_counted(&o, &err), 0);
	o.tables[ACCOUNT_slab].v[0].by[1] = KEY_COMM;
	assert_int_equal(live_kinds_check_counted(&o, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "not by comm"));
	o.tables[ACCOUNT_slab].v[0].by[1] = KEY_MODULE;
	o.wanted[ACCOUNT_page] = true;
	assert_int_equal(live_kinds_check_counted(&o, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "--page"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slab_without_stacks),
		cmocka_unit_test(test_stacks_only_of_allocations),
		cmocka_unit_test(test_user_stacks_only_of_allocations),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_a_filter_looks_at_keys_too),
		cmocka_unit_test(test_frees_by_caller),
		cmocka_unit_test(test_what_the_kernel_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
