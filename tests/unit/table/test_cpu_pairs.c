// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/table/cpu_pairs.h"
#include "util/accounts/page.h"

#define PAGE 4096u

static struct cpu_pair pair(const struct cpu_pairs *p, int32_t alloc_cpu, int32_t free_cpu)
{
	const struct cpu_pair key = {.alloc_cpu = alloc_cpu, .free_cpu = free_cpu};
	const struct cpu_pair *found = table_find(&p->rows, &key);

	return found ? *found : key;
}

static void assert_pair(const struct cpu_pairs *p, int32_t alloc_cpu, int32_t free_cpu,
			uint64_t frees, uint64_t bytes)
{
	assert_int_equal(pair(p, alloc_cpu, free_cpu).frees, frees);
	assert_int_equal(pair(p, alloc_cpu, free_cpu).bytes, bytes);
}

static void test_a_pair_has_a_direction(void **state)
{
	struct cpu_pairs *p = cpu_pairs_new();

	(void)state;
	assert_int_equal(cpu_pairs_add(p, 0, 1, 1, 64), 0);
	assert_int_equal(cpu_pairs_add(p, 0, 1, 1, 32), 0);
	assert_int_equal(cpu_pairs_add(p, 1, 0, 1, 8), 0);
	assert_int_equal(cpu_pairs_add(p, -1, -1, 1, 4), 0);
	assert_pair(p, 0, 1, 2, 96);
	assert_pair(p, 1, 0, 1, 8);
	assert_int_equal(cpu_pairs_sum(p, false).frees, 4);
	assert_int_equal(cpu_pairs_sum(p, false).bytes, 108);
	assert_int_equal(cpu_pairs_sum(p, true).frees, 3);
	assert_int_equal(cpu_pairs_sum(p, true).bytes, 104);
	cpu_pairs_free(p);
}

/* CPUs that share a slot of the cache of recent lookups. */
static void test_many_cpus(void **state)
{
	struct cpu_pairs *p = cpu_pairs_new();

	(void)state;
	for (int32_t round = 0; round < 2; round++)
		for (int32_t cpu = -1; cpu < 3 * CPU_PAIRS_CACHED; cpu++)
			assert_int_equal(cpu_pairs_add(p, cpu, cpu / 2, 1, 8), 0);
	for (int32_t cpu = 1; cpu < 3 * CPU_PAIRS_CACHED; cpu++)
		assert_pair(p, cpu, cpu / 2, 2, 16);
	assert_int_equal(p->rows.nr, 3 * CPU_PAIRS_CACHED + 1);
	cpu_pairs_free(p);
}

/* ---- pages ---------------------------------------------------------------------------------- */

static void alloc(struct page_accounts *p, int cpu, uint64_t pfn, uint32_t order)
{
	const struct kmem_event ev = {.kind = KMEM_PAGE_ALLOC,
				      .cpu = cpu,
				      .page = pfn,
				      .order = order,
				      .bytes_req = (uint64_t)PAGE << order,
				      .in_window = true};

	assert_int_equal(page_accounts_alloc(p, &ev), 0);
}

static void free_in(struct page_accounts *p, int cpu, uint64_t pfn, uint32_t order, bool in_window,
		    bool by_address)
{
	const struct kmem_event ev = {.kind = KMEM_PAGE_FREE,
				      .cpu = cpu,
				      .page = pfn,
				      .order = order,
				      .in_window = in_window,
				      .by_address = by_address};

	assert_int_equal(page_accounts_free(p, &ev), 0);
}

static void free_on(struct page_accounts *p, int cpu, uint64_t pfn, uint32_t order)
{
	free_in(p, cpu, pfn, order, true, false);
}

static void init(struct page_accounts *p)
{
	page_accounts_init(p, PAGE);
	p->common.cpu_pairs = cpu_pairs_new();
	assert_non_null(p->common.cpu_pairs);
}

/* The pairs are the matched frees of the summary. */
static void finish(struct page_accounts *p)
{
	const struct cpu_pair all = cpu_pairs_sum(p->common.cpu_pairs, false);

	assert_int_equal(all.frees, p->summary.matched_requests);
	assert_int_equal(all.bytes, p->summary.matched_bytes);
	page_accounts_deinit(p);
}

static void test_a_block_bounces_with_its_last_page(void **state)
{
	struct page_accounts p;

	(void)state;
	init(&p);
	alloc(&p, 0, 100, 1);
	free_on(&p, 1, 100, 0);
	assert_int_equal(p.common.cpu_pairs->pingpong, 0);
	free_on(&p, 2, 101, 0);
	assert_int_equal(p.common.cpu_pairs->pingpong, 1);
	assert_pair(p.common.cpu_pairs, 0, 1, 1, PAGE);
	assert_pair(p.common.cpu_pairs, 0, 2, 1, PAGE);
	finish(&p);
}

static void test_a_free_of_several_blocks_is_one(void **state)
{
	struct page_accounts p;

	(void)state;
	init(&p);
	alloc(&p, 0, 100, 0);
	alloc(&p, 1, 101, 0);
	free_on(&p, 1, 100, 1);
	assert_pair(p.common.cpu_pairs, 0, 1, 1, PAGE);
	assert_pair(p.common.cpu_pairs, 1, 1, 0, PAGE);
	assert_int_equal(p.common.cpu_pairs->pingpong, 1);
	finish(&p);
}

static void test_pages_of_no_block_are_those_of_the_first(void **state)
{
	struct page_accounts p;

	(void)state;
	init(&p);
	alloc(&p, 3, 102, 0);
	free_on(&p, 0, 100, 2);
	assert_pair(p.common.cpu_pairs, 3, 0, 1, 4 * PAGE);
	free_on(&p, 0, 200, 0); /* matches nothing */
	finish(&p);
}

static void test_a_smaller_free_by_address(void **state)
{
	struct page_accounts p;

	(void)state;
	init(&p);
	alloc(&p, 0, 100, 2);
	free_in(&p, 1, 100, 0, true, true);
	assert_pair(p.common.cpu_pairs, 0, 1, 1, PAGE);
	finish(&p);
}

static void test_only_frees_in_the_window(void **state)
{
	struct page_accounts p;

	(void)state;
	init(&p);
	alloc(&p, 0, 100, 0);
	free_in(&p, 1, 100, 0, false, false);
	assert_int_equal(p.common.cpu_pairs->rows.nr, 0);
	finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_pair_has_a_direction),
		cmocka_unit_test(test_many_cpus),
		cmocka_unit_test(test_a_block_bounces_with_its_last_page),
		cmocka_unit_test(test_a_free_of_several_blocks_is_one),
		cmocka_unit_test(test_pages_of_no_block_are_those_of_the_first),
		cmocka_unit_test(test_a_smaller_free_by_address),
		cmocka_unit_test(test_only_frees_in_the_window),
	};

	return cmocka_run_group_tests_name("cpu_pairs", tests, NULL, NULL);
}
