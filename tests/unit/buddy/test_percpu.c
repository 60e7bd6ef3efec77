// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/buddy/percpu.h"

#define SITE_A 0xa
#define SITE_B 0xb

static int feed(struct percpu *p, int cpu, const struct kmem_event *event, uint64_t callsite)
{
	struct kmem_event ev = *event;

	ev.cpu = cpu;
	ev.call_site = callsite;
	return percpu_account(p, &ev);
}

static void refill(struct percpu *p, int cpu, uint32_t order)
{
	const struct kmem_event ev = {
		.kind = KMEM_PAGE_ZONE_LOCKED, .order = order, .percpu_refill = 1};

	assert_int_equal(feed(p, cpu, &ev, 0), 0);
}

static void direct(struct percpu *p, int cpu, uint32_t order)
{
	const struct kmem_event ev = {.kind = KMEM_PAGE_ZONE_LOCKED, .order = order};

	assert_int_equal(feed(p, cpu, &ev, 0), 0);
}

static void drain(struct percpu *p, int cpu, uint32_t order)
{
	const struct kmem_event ev = {.kind = KMEM_PAGE_PCPU_DRAIN, .order = order};

	assert_int_equal(feed(p, cpu, &ev, 0), 0);
}

static void other(struct percpu *p, int cpu, enum kmem_kind kind, uint64_t pfn, uint64_t callsite)
{
	const struct kmem_event ev = {.kind = (uint8_t)kind, .page = pfn};

	assert_int_equal(feed(p, cpu, &ev, callsite), 0);
}

static const struct percpu_cpu *cpu(const struct percpu *p, int64_t number)
{
	return table_find(&p->cpus, &number);
}

static const struct percpu_caller *caller(const struct percpu *p, uint64_t callsite)
{
	return table_find(&p->callers, &callsite);
}

static struct percpu new_percpu(void)
{
	struct percpu p;

	percpu_init(&p);
	p.has_lists = p.has_frees = p.has_batched = p.has_refill_field = true;
	return p;
}

static void test_a_run_is_one_taking(void **state)
{
	struct percpu p = new_percpu();

	(void)state;
	refill(&p, 0, 0);
	refill(&p, 0, 0);
	refill(&p, 0, 2);
	drain(&p, 0, 0);
	drain(&p, 0, 0);
	refill(&p, 0, 0);
	assert_int_equal(cpu(&p, 0)->refills, 4);
	assert_int_equal(cpu(&p, 0)->refill_pages, 7);
	assert_int_equal(cpu(&p, 0)->refill_takings, 2);
	assert_int_equal(cpu(&p, 0)->drains, 2);
	assert_int_equal(cpu(&p, 0)->drain_takings, 1);
	percpu_deinit(&p);
}

static void test_runs_of_two_cpus_do_not_mix(void **state)
{
	struct percpu p = new_percpu();
	struct percpu_cpu total;

	(void)state;
	for (int i = 0; i < 10; i++) {
		refill(&p, 0, 0);
		refill(&p, 1, 0);
		drain(&p, 2, 1);
	}
	assert_int_equal(cpu(&p, 0)->refill_takings, 1);
	assert_int_equal(cpu(&p, 1)->refill_takings, 1);
	assert_int_equal(cpu(&p, 2)->drain_takings, 1);
	total = percpu_total(&p);
	assert_int_equal(total.refill_pages, 20);
	assert_int_equal(total.drain_pages, 20);
	assert_int_equal(total.refill_takings, 2);
	percpu_deinit(&p);
}

static void test_what_ends_a_run(void **state)
{
	static const struct {
		enum kmem_kind kind;
		uint64_t takings;
	} between[] = {
		{KMEM_PAGE_ALLOC, 2},
		{KMEM_PAGE_FREE, 2},
		{KMEM_PAGE_FREE_BATCHED, 2},
		{KMEM_PAGE_EXTFRAG, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++) {
		struct percpu p = new_percpu();

		refill(&p, 0, 0);
		other(&p, 0, between[i].kind, 7, 0);
		refill(&p, 0, 0);
		assert_int_equal(cpu(&p, 0)->refill_takings, between[i].takings);
		/* another CPU does not end it */
		other(&p, 1, KMEM_PAGE_ALLOC, 7, 0);
		refill(&p, 0, 0);
		assert_int_equal(cpu(&p, 0)->refill_takings, between[i].takings);
		percpu_deinit(&p);
	}
}

static void test_direct_allocations(void **state)
{
	struct percpu p = new_percpu();

	(void)state;
	refill(&p, 0, 0);
	direct(&p, 0, 4);
	refill(&p, 0, 0);
	assert_int_equal(cpu(&p, 0)->direct, 1);
	assert_int_equal(cpu(&p, 0)->direct_pages, 16);
	assert_int_equal(cpu(&p, 0)->refill_takings, 2);
	percpu_deinit(&p);
}

static void test_without_the_field_order_0_is_a_refill(void **state)
{
	struct percpu p = new_percpu();

	(void)state;
	p.has_refill_field = false;
	direct(&p, 0, 0);
	direct(&p, 0, 1);
	assert_int_equal(cpu(&p, 0)->refills, 1);
	assert_int_equal(cpu(&p, 0)->direct, 1);
	percpu_deinit(&p);
}

static void test_batched_frees_belong_to_their_caller(void **state)
{
	struct percpu p = new_percpu();

	(void)state;
	other(&p, 0, KMEM_PAGE_FREE, 1, SITE_A);
	other(&p, 0, KMEM_PAGE_FREE, 2, SITE_A);
	other(&p, 1, KMEM_PAGE_FREE, 3, SITE_B);
	other(&p, 0, KMEM_PAGE_FREE_BATCHED, 2, 0);
	other(&p, 0, KMEM_PAGE_FREE_BATCHED, 2, 0); /* a free is batched only once */
	other(&p, 0, KMEM_PAGE_FREE_BATCHED, 9, 0);
	assert_int_equal(p.frees, 3);
	assert_int_equal(p.batched, 1);
	assert_int_equal(p.batched_alone, 2);
	assert_int_equal(caller(&p, SITE_A)->frees, 2);
	assert_int_equal(caller(&p, SITE_A)->batched, 1);
	assert_int_equal(caller(&p, SITE_B)->batched, 0);
	/* the same page, from elsewhere */
	other(&p, 0, KMEM_PAGE_FREE, 2, SITE_B);
	other(&p, 0, KMEM_PAGE_FREE_BATCHED, 2, 0);
	assert_int_equal(caller(&p, SITE_B)->batched, 1);
	percpu_deinit(&p);
}

static void test_before_4_15_batched_comes_first(void **state)
{
	struct percpu p = new_percpu();

	(void)state;
	p.batched_first = true;
	other(&p, 0, KMEM_PAGE_FREE_BATCHED, 1, 0);
	assert_int_equal(p.batched_alone, 1);
	other(&p, 0, KMEM_PAGE_FREE, 1, SITE_A);
	other(&p, 0, KMEM_PAGE_FREE, 1, SITE_A);
	assert_int_equal(p.batched, 1);
	assert_int_equal(p.batched_alone, 0);
	assert_int_equal(caller(&p, SITE_A)->frees, 2);
	assert_int_equal(caller(&p, SITE_A)->batched, 1);
	percpu_deinit(&p);
}

static void test_imbalance(void **state)
{
	struct percpu p = new_percpu();

	(void)state;
	assert_true(percpu_imbalance_percent(&p) < 0);
	refill(&p, 0, 2);
	assert_true(percpu_imbalance_percent(&p) < 0);
	drain(&p, 1, 0);
	assert_true(percpu_imbalance_percent(&p) == 100);
	drain(&p, 0, 0);
	assert_true(percpu_imbalance_percent(&p) == 50);
	drain(&p, 0, 1);
	assert_true(percpu_imbalance_percent(&p) == 25);
	percpu_deinit(&p);
}

static void filtered(struct percpu *p, int cpu, const struct kmem_event *event)
{
	struct kmem_event ev = *event;

	ev.filtered_out = true;
	assert_int_equal(feed(p, cpu, &ev, SITE_A), 0);
}

/* Events that do not match the filters are not counted, but they end runs or belong to them. */
static void test_filtered_events_are_tracked(void **state)
{
	static const struct kmem_event refill_1 = {
		.kind = KMEM_PAGE_ZONE_LOCKED, .order = 1, .percpu_refill = 1};
	static const struct kmem_event alloc = {.kind = KMEM_PAGE_ALLOC};
	struct percpu p = new_percpu();

	(void)state;
	filtered(&p, 1, &refill_1);
	assert_null(cpu(&p, 1));
	refill(&p, 0, 0);
	filtered(&p, 0, &refill_1);
	refill(&p, 0, 0);
	assert_int_equal(cpu(&p, 0)->refills, 2);
	assert_int_equal(cpu(&p, 0)->refill_pages, 2);
	assert_int_equal(cpu(&p, 0)->refill_takings, 1);
	filtered(&p, 0, &alloc);
	refill(&p, 0, 0);
	assert_int_equal(cpu(&p, 0)->refill_takings, 2);
	percpu_deinit(&p);
}

/* A batched free reports no order: the free of its page decides. */
static void test_filtered_batched_frees(void **state)
{
	static const struct kmem_event big = {.kind = KMEM_PAGE_FREE, .page = 8, .order = 3};
	static const struct kmem_event batched_9 = {.kind = KMEM_PAGE_FREE_BATCHED, .page = 9};
	struct percpu p = new_percpu();

	(void)state;
	filtered(&p, 0, &big);
	other(&p, 0, KMEM_PAGE_FREE_BATCHED, 8, 0);
	assert_int_equal(p.frees + p.batched + p.batched_alone, 0);
	other(&p, 0, KMEM_PAGE_FREE, 9, SITE_B);
	filtered(&p, 0, &batched_9);
	assert_int_equal(p.batched, 1);
	assert_int_equal(caller(&p, SITE_B)->batched, 1);
	filtered(&p, 0, &batched_9);
	assert_int_equal(p.batched_alone, 0);
	percpu_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_run_is_one_taking),
		cmocka_unit_test(test_runs_of_two_cpus_do_not_mix),
		cmocka_unit_test(test_what_ends_a_run),
		cmocka_unit_test(test_direct_allocations),
		cmocka_unit_test(test_without_the_field_order_0_is_a_refill),
		cmocka_unit_test(test_batched_frees_belong_to_their_caller),
		cmocka_unit_test(test_before_4_15_batched_comes_first),
		cmocka_unit_test(test_imbalance),
		cmocka_unit_test(test_filtered_events_are_tracked),
		cmocka_unit_test(test_filtered_batched_frees),
	};

	return cmocka_run_group_tests_name("percpu", tests, NULL, NULL);
}
