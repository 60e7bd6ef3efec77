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

static void test_more_than_max_live_is_counted_but_not_tracked(void **state)
{
	struct page_accounts *p = *state;

	p->common.max_live = 2;
	alloc(p, 0x100, 0);
	alloc(p, 0x200, 1);
	alloc(p, 0x300, 2);
	assert_live(p, 2, 3);
	assert_int_equal(p->summary.alloc_requests, 3);
	assert_int_equal(p->summary.alloc_bytes, 7 * PAGE);
	assert_int_equal(p->common.untracked, 1);
	assert_int_equal(p->common.untracked_bytes, 4 * PAGE);
	assert_int_equal(counts(p)->hits, 3);
	free_pages(p, 0x300, 2);
	assert_int_equal(p->summary.free_only_requests, 1);
	/* one that takes the place of a tracked one is tracked */
	alloc(p, 0x200, 1);
	assert_live(p, 2, 3);
	assert_int_equal(p->common.untracked, 1);
	free_pages(p, 0x100, 0);
	alloc(p, 0x300, 2);
	assert_live(p, 2, 6);
	assert_int_equal(p->common.untracked, 1);
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
		cmocka_unit_test_setup_teardown(test_more_than_max_live_is_counted_but_not_tracked,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
