// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/accounts/page.h"

#define PAGE 4096u
#define SITE 0x1234u

static int setup(void **state)
{
	static const enum kmem_key by_callsite[] = {KEY_CALLSITE};
	struct page_accounts *p = malloc(sizeof(*p));

	page_accounts_init(p, PAGE);
	allocator_accounts_add_table(&p->common, by_callsite, 1);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	page_accounts_deinit(*state);
	free(*state);
	return 0;
}

static int alloc_in(struct page_accounts *p, uint64_t pfn, uint32_t order, bool in_window)
{
	struct kmem_event ev = {.kind = KMEM_PAGE_ALLOC,
				.time_ns = 1000,
				.call_site = SITE,
				.page = pfn,
				.order = order,
				.bytes_req = (uint64_t)PAGE << order,
				.in_window = in_window};

	return page_accounts_alloc(p, &ev);
}

static void alloc(struct page_accounts *p, uint64_t pfn, uint32_t order)
{
	assert_int_equal(alloc_in(p, pfn, order, true), 0);
}

static int free_in(struct page_accounts *p, uint64_t pfn, uint32_t order, bool in_window)
{
	struct kmem_event ev = {.kind = KMEM_PAGE_FREE,
				.time_ns = 2000,
				.cpu = 1,
				.page = pfn,
				.order = order,
				.in_window = in_window};

	return page_accounts_free(p, &ev);
}

static void free_pages(struct page_accounts *p, uint64_t pfn, uint32_t order)
{
	assert_int_equal(free_in(p, pfn, order, true), 0);
}

static const struct stat_counts *counts(struct page_accounts *p)
{
	return stat_table_counts(&p->common.tables[0], 0);
}

static void assert_live(struct page_accounts *p, uint64_t blocks, uint64_t pages)
{
	assert_int_equal(p->summary.live, blocks);
	assert_int_equal(p->summary.live_bytes, pages * PAGE);
	assert_int_equal(counts(p)->live_hits, blocks);
	assert_int_equal(counts(p)->live_bytes, pages * PAGE);
}

static void assert_alloc_only(struct page_accounts *p, uint64_t blocks, uint64_t pages)
{
	assert_int_equal(p->summary.alloc_only_requests, blocks);
	assert_int_equal(p->summary.alloc_only_bytes, pages * PAGE);
}

static void test_alloc_and_free(void **state)
{
	struct page_accounts *p = *state;

	alloc(p, 100, 0);
	alloc(p, 200, 3);
	assert_live(p, 2, 9);
	free_pages(p, 200, 3);
	assert_live(p, 1, 1);
	assert_alloc_only(p, 1, 1);
	assert_int_equal(p->summary.alloc_requests, 2);
	assert_int_equal(p->summary.alloc_bytes, 9 * PAGE);
	assert_int_equal(p->summary.matched_requests, 1);
	assert_int_equal(p->summary.matched_bytes, 8 * PAGE);
	assert_int_equal(counts(p)->hits, 2);
	assert_int_equal(counts(p)->bytes_alloc, 9 * PAGE);
}

static void test_unmatched_free(void **state)
{
	struct page_accounts *p = *state;

	alloc(p, 100, 0);
	free_pages(p, 101, 1);
	free_pages(p, 100, 0);
	free_pages(p, 100, 0);
	assert_int_equal(p->summary.free_requests, 3);
	assert_int_equal(p->summary.free_bytes, 4 * PAGE);
	assert_int_equal(p->summary.matched_requests, 1);
	assert_int_equal(p->summary.free_only_requests, 2);
	assert_int_equal(p->summary.free_only_bytes, 3 * PAGE);
	assert_live(p, 0, 0);
}

/* alloc_pages_exact(): the tail of a block is given back at once. */
static void test_free_of_a_tail(void **state)
{
	struct page_accounts *p = *state;

	alloc(p, 64, 2);
	free_pages(p, 67, 0);
	assert_live(p, 1, 3);
	assert_alloc_only(p, 1, 3);
	assert_int_equal(p->summary.matched_requests, 1);
	assert_int_equal(p->summary.matched_bytes, PAGE);
	free_pages(p, 64, 0);
	free_pages(p, 65, 0);
	free_pages(p, 66, 0);
	assert_live(p, 0, 0);
	assert_alloc_only(p, 0, 0);
}

/* A huge page that was split comes back in pieces of several orders. */
static void test_huge_page_in_pieces(void **state)
{
	struct page_accounts *p = *state;

	alloc(p, 512, 9);
	free_pages(p, 512, 8);
	assert_live(p, 1, 256);
	for (uint64_t pfn = 768; pfn < 1020; pfn += 4)
		free_pages(p, pfn, 2);
	assert_live(p, 1, 4);
	for (uint64_t pfn = 1020; pfn < 1024; pfn++)
		free_pages(p, pfn, 0);
	assert_live(p, 0, 0);
	assert_alloc_only(p, 0, 0);
	assert_int_equal(p->summary.matched_requests, 1 + 63 + 4);
	assert_int_equal(p->summary.matched_bytes, 512 * PAGE);
	assert_int_equal(p->summary.free_only_requests, 0);
}

static void test_larger_free_covers_several_blocks(void **state)
{
	struct page_accounts *p = *state;

	alloc(p, 8, 0);
	alloc(p, 10, 1);
	alloc(p, 15, 0);
	alloc(p, 16, 0);
	free_pages(p, 8, 3);
	assert_live(p, 1, 1);
	assert_alloc_only(p, 1, 1);
	/* one free, of its own size */
	assert_int_equal(p->summary.matched_requests, 1);
	assert_int_equal(p->summary.matched_bytes, 8 * PAGE);
}

static void test_unseen_free(void **state)
{
	struct page_accounts *p = *state;

	alloc(p, 64, 2);
	alloc(p, 65, 0);
	assert_live(p, 2, 4);
	assert_int_equal(counts(p)->unseen_frees, 0);
	alloc(p, 64, 2);
	assert_live(p, 1, 4);
	/* both ended unseen: never freed, as far as is known */
	assert_int_equal(counts(p)->unseen_frees, 2);
	assert_int_equal(p->summary.alloc_only_requests, 3);
	assert_int_equal(p->summary.free_requests, 0);
}

static void test_failure(void **state)
{
	struct page_accounts *p = *state;

	alloc(p, PFN_NONE, 2);
	alloc(p, 0, 0);
	assert_int_equal(p->summary.alloc_requests, 2);
	assert_int_equal(p->summary.failures, 2);
	assert_int_equal(p->summary.failed_bytes, 5 * PAGE);
	assert_int_equal(p->summary.alloc_only_requests, 0);
	assert_int_equal(p->common.tables[0].rows.nr, 0);
}

static void test_window(void **state)
{
	struct page_accounts *p = *state;

	alloc_in(p, 100, 0, false);
	alloc_in(p, 101, 0, false);
	free_in(p, 101, 0, false);
	free_in(p, 102, 0, false);
	assert_int_equal(p->summary.alloc_requests + p->summary.free_requests, 0);
	assert_live(p, 1, 1);
	free_pages(p, 100, 0);
	assert_int_equal(p->summary.matched_requests, 1);
	assert_alloc_only(p, 0, 0);
	assert_live(p, 0, 0);
	assert_int_equal(counts(p)->hits, 0);
}

/* The second allocation proves it, so its time counts as that of the free. */
static void test_unseen_free_in_a_window(void **state)
{
	struct page_accounts *p = *state;

	alloc_in(p, 100, 0, false);
	alloc_in(p, 100, 0, false);
	assert_int_equal(counts(p)->unseen_frees, 0);
	alloc_in(p, 100, 0, true);
	assert_int_equal(counts(p)->unseen_frees, 1);
	alloc_in(p, 100, 0, false);
	assert_int_equal(counts(p)->unseen_frees, 1);
}

static void test_pages_by_address(void **state)
{
	struct page_accounts *p = *state;
	struct kmem_event ev = {.kind = KMEM_PAGE_ALLOC,
				.by_address = true,
				.page = 0xffffea0000001000,
				.order = 3,
				.bytes_req = 8 * PAGE,
				.in_window = true};

	assert_int_equal(page_accounts_alloc(p, &ev), 0);
	assert_live(p, 1, 8);
	ev.kind = KMEM_PAGE_FREE;
	assert_int_equal(page_accounts_free(p, &ev), 0);
	assert_live(p, 0, 0);
	assert_int_equal(p->summary.matched_bytes, 8 * PAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Blocks of 8 pages, every fifth kept; a large one is always followed. */
static void test_of_more_than_max_live_a_sample_is_followed(void **state)
{
	enum { MOST = 2000, NR = 40000, KEPT = 5, ORDER = 3, FIRST = 1 << 20 };
	struct page_accounts *p = *state;
	uint64_t low, high;

	p->common.max_live = MOST;
	alloc(p, 512, 9);
	for (uint64_t i = 1; i <= NR; i++) {
		alloc(p, FIRST + (i << ORDER), ORDER);
		if (i % KEPT)
			free_pages(p, FIRST + (i << ORDER), ORDER);
		assert_in_range(p->nr_used, 0, MOST);
	}
	assert_int_equal(p->common.sample_mask, 7); /* 8000 live: one in 8 */
	assert_int_equal(p->summary.alloc_requests, NR + 1);
	assert_int_equal(counts(p)->hits, NR + 1);
	/* by areas: each has at most two kept blocks */
	low = (NR / KEPT) - allocator_accounts_sample_error(&p->common, 2 * NR / KEPT);
	high = (NR / KEPT) + allocator_accounts_sample_error(&p->common, 2 * NR / KEPT);
	assert_in_range(p->summary.live, low, high);
	assert_live(p, p->summary.live, 8 * (p->summary.live - 1) + 512);
	assert_alloc_only(p, p->summary.live, 8 * (p->summary.live - 1) + 512);
	assert_int_equal(p->summary.free_only_requests, 0);
	/* in pieces */
	for (uint64_t i = KEPT; i <= NR; i += KEPT)
		for (uint64_t page = 0; page < 8; page += 2)
			free_pages(p, FIRST + (i << ORDER) + page, 1);
	assert_live(p, 1, 512);
	free_pages(p, 512, 9);
	assert_live(p, 0, 0);
	assert_alloc_only(p, 0, 0);
	assert_int_equal(p->summary.free_only_requests, 0);
	for (uint64_t i = 1; i <= NR; i++)
		free_pages(p, (FIRST << 1) + (i << ORDER), ORDER);
	assert_in_range(p->summary.free_only_requests, NR - NR / 10, NR + NR / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_alloc_and_free),
		TEST(test_unmatched_free),
		TEST(test_free_of_a_tail),
		TEST(test_huge_page_in_pieces),
		TEST(test_larger_free_covers_several_blocks),
		TEST(test_unseen_free),
		TEST(test_failure),
		TEST(test_window),
		TEST(test_unseen_free_in_a_window),
		TEST(test_pages_by_address),
		cmocka_unit_test_setup_teardown(test_of_more_than_max_live_a_sample_is_followed,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
