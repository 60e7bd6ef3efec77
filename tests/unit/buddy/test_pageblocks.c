// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/buddy/pageblocks.h"
#include "util/kmem/accounts.h"

#define UNMOVABLE   0
#define MOVABLE	    1
#define RECLAIMABLE 2
#define HIGHATOMIC  3
#define CMA	    4

struct fixture {
	struct source_facts facts;
	struct pageblocks *p;
};

static struct fixture *new_fixture(uint32_t order)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const struct account_setup setup = {.facts = &f->facts};

	assert_non_null(f);
	f->facts.pageblock_order = order;
	f->p = calloc(1, sizeof(*f->p));
	assert_non_null(f->p);
	assert_int_equal(account_pageblocks.init(f->p, &setup), 0);
	return f;
}

static void free_fixture(struct fixture *f)
{
	account_pageblocks.deinit(f->p);
	free(f->p);
	free(f);
}

static struct kmem_event page_at(uint64_t pfn, uint32_t order, int type, int block_type)
{
	return (struct kmem_event){
		.kind = KMEM_PAGE_ALLOC,
		.page = pfn,
		.order = order,
		.migratetype = type,
		.block_migratetype = (int8_t)block_type,
		.call_site = 0xa,
		.comm = 1,
		.pid = 7,
	};
}

static void add(struct fixture *f, struct kmem_event keys)
{
	const struct source_figures live = {.hits = 1, .live_hits = 1};

	assert_int_equal(account_pageblocks.add_row(f->p, &keys, &live), 0);
}

static void add_page(struct fixture *f, uint64_t pfn, uint32_t order, int type, int block_type)
{
	add(f, page_at(pfn, order, type, block_type));
}

static const struct pageblock_type *finish(struct fixture *f, int64_t type)
{
	account_pageblocks.finish(f->p, 0);
	assert_false(f->p->no_memory);
	return table_find(&f->p->types, &type);
}

static void test_mixed_is_more_than_polluted(void **state)
{
	static const struct {
		int page, block;
		bool mixed, polluted;
	} cases[] = {
		{MOVABLE, MOVABLE, false, false},
		{UNMOVABLE, MOVABLE, true, true},
		{RECLAIMABLE, MOVABLE, true, true},
		{MOVABLE, UNMOVABLE, true, false},
		{UNMOVABLE, RECLAIMABLE, true, true},
		{MOVABLE, RECLAIMABLE, true, false},
		{MOVABLE, CMA, false, false},
		{UNMOVABLE, CMA, true, true},
		{UNMOVABLE, HIGHATOMIC, true, false},
		{UNMOVABLE, -1, false, false},
		{-1, MOVABLE, true, true},
		{-1, UNMOVABLE, true, false},
		{UNMOVABLE, UNMOVABLE, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = new_fixture(4);
		const struct pageblock_type *t;

		add_page(f, 32, 1, cases[i].page, cases[i].block);
		t = finish(f, cases[i].block);
		assert_int_equal(t->blocks, 1);
		assert_int_equal(t->mixed, cases[i].mixed);
		assert_int_equal(t->polluted, cases[i].polluted);
		assert_int_equal(t->polluting, cases[i].polluted ? 2 : 0);
		assert_int_equal(f->p->holders[BY_BOTH].nr, cases[i].polluted);
		free_fixture(f);
	}
}

/* Two pageblocks: one with two holders, one with one. */
static void test_who_is_alone(void **state)
{
	struct fixture *f = new_fixture(4);
	struct kmem_event other = page_at(18, 0, UNMOVABLE, MOVABLE);
	const struct pageblock_holder *h;

	(void)state;
	add_page(f, 16, 0, UNMOVABLE, MOVABLE);
	add_page(f, 17, 0, UNMOVABLE, MOVABLE);
	other.pid = 8;
	add(f, other);
	add_page(f, 32, 2, UNMOVABLE, MOVABLE);
	finish(f, MOVABLE);
	assert_int_equal(f->p->holders[BY_CALLSITE].nr, 1);
	h = table_row(&f->p->holders[BY_CALLSITE], 0);
	assert_int_equal(h->blocks, 2);
	assert_int_equal(h->alone, 2);
	assert_int_equal(h->pages, 7);
	assert_int_equal(h->allocations, 4);
	assert_int_equal(f->p->holders[BY_PROCESS].nr, 2);
	h = table_row(&f->p->holders[BY_PROCESS], 0);
	assert_int_equal(h->pid, 7);
	assert_int_equal(h->blocks, 2);
	assert_int_equal(h->alone, 1);
	h = table_row(&f->p->holders[BY_PROCESS], 1);
	assert_int_equal(h->blocks, 1);
	assert_int_equal(h->alone, 0);
	free_fixture(f);
}

/* Moved pages need a place: where else nothing can be freed, and then in the freed ones. */
static void test_what_compaction_can_win(void **state)
{
	struct fixture *f = new_fixture(4);
	const struct pageblock_zone *z;

	(void)state;
	add_page(f, 0, 0, UNMOVABLE, UNMOVABLE); /* room for 15 pages */
	add_page(f, 16, 2, MOVABLE, MOVABLE);
	add_page(f, 32, 3, MOVABLE, MOVABLE);
	finish(f, MOVABLE);
	z = table_row(&f->p->zones, 0);
	assert_int_equal(z->runs.free[4], 0);
	assert_int_equal(z->runs.movable[4], 2);
	assert_int_equal(pageblocks_possible(f->p, z, 4), 2);
	free_fixture(f);

	f = new_fixture(4);
	add_page(f, 16, 2, MOVABLE, MOVABLE);
	add_page(f, 32, 3, MOVABLE, MOVABLE);
	finish(f, MOVABLE);
	z = table_row(&f->p->zones, 0);
	assert_int_equal(pageblocks_possible(f->p, z, 4), 1);
	assert_int_equal(z->runs.free[3], 2);
	assert_int_equal(pageblocks_possible(f->p, z, 3), 2);
	assert_int_equal(pageblocks_possible(f->p, z, 2), 5);
	free_fixture(f);
}

static void test_zones_are_apart(void **state)
{
	struct fixture *f = new_fixture(4);
	struct kmem_event there = page_at(32, 3, MOVABLE, MOVABLE);

	(void)state;
	there.zone = 1;
	add_page(f, 16, 2, MOVABLE, MOVABLE);
	add(f, there);
	finish(f, MOVABLE);
	assert_int_equal(f->p->zones.nr, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pageblocks_possible(f->p, table_row(&f->p->zones, i), 4), 0);
	free_fixture(f);
}

/* The dump has the type of the first pageblock only. */
static void test_a_page_larger_than_a_pageblock(void **state)
{
	struct fixture *f = new_fixture(2);
	const struct pageblock_zone *z;

	(void)state;
	add_page(f, 16, 4, MOVABLE, UNMOVABLE);
	add_page(f, 32, 0, MOVABLE, MOVABLE);
	assert_int_equal(finish(f, UNMOVABLE)->pages[PAGES_MOVABLE], 4);
	assert_int_equal(finish(f, -1)->blocks, 3);
	assert_int_equal(finish(f, -1)->pages[PAGES_MOVABLE], 12);
	assert_int_equal(finish(f, MOVABLE)->blocks, 1);
	z = table_row(&f->p->zones, 0);
	assert_int_equal(z->blocks, 5);
	assert_int_equal(z->runs.movable[2], 5);
	assert_int_equal(z->runs.free[2], 0);
	assert_int_equal(pageblocks_possible(f->p, z, 2), 0);
	free_fixture(f);
}

/* While the kernel writes its list, pages are freed and allocated. */
static void test_pages_count_once(void **state)
{
	struct fixture *f = new_fixture(4);

	(void)state;
	add_page(f, 16, 2, UNMOVABLE, MOVABLE);
	add_page(f, 18, 0, UNMOVABLE, MOVABLE);
	add_page(f, 16, 3, MOVABLE, MOVABLE);
	add_page(f, 8, 0, MOVABLE, MOVABLE);
	assert_int_equal(finish(f, MOVABLE)->pages[PAGES_UNMOVABLE], 4);
	assert_int_equal(finish(f, MOVABLE)->pages[PAGES_MOVABLE], 4);
	assert_int_equal(finish(f, MOVABLE)->blocks, 1);
	assert_int_equal(f->p->pages, 8);
	assert_int_equal(f->p->again, 3);
	free_fixture(f);
}

static void test_what_cannot_be_is_left_out(void **state)
{
	struct fixture *f = new_fixture(4);
	struct kmem_event unclear = page_at(16, 0, UNMOVABLE, MOVABLE);
	const struct source_figures freed = {.hits = 1};

	(void)state;
	unclear.pageblock_unclear = true;
	add(f, unclear);
	add_page(f, 17, 1, MOVABLE, MOVABLE); /* not aligned */
	add_page(f, PFN_NONE, 0, MOVABLE, MOVABLE);
	add_page(f, UINT64_MAX << 15, 15, MOVABLE, MOVABLE); /* ends beyond the last one */
	unclear.pageblock_unclear = false;
	assert_int_equal(account_pageblocks.add_row(f->p, &unclear, &freed), 0);
	assert_null(finish(f, MOVABLE));
	assert_int_equal(f->p->pages, 0);
	assert_int_equal(f->p->unclear, 4);
	free_fixture(f);
}

/* Pages of pageblock 0 come before the order is known. */
static void test_the_order_may_come_late(void **state)
{
	struct fixture *f = new_fixture(0);
	const struct pageblock_zone *z;

	(void)state;
	add_page(f, 1, 0, UNMOVABLE, MOVABLE);
	add_page(f, 12, 2, MOVABLE, MOVABLE);
	f->facts.pageblock_order = 4;
	add_page(f, 16, 0, MOVABLE, MOVABLE);
	assert_int_equal(finish(f, MOVABLE)->blocks, 2);
	z = table_row(&f->p->zones, 0);
	assert_int_equal(z->runs.free[3], 1);
	assert_int_equal(z->runs.movable[3], 3);
	free_fixture(f);

	f = new_fixture(0);
	add_page(f, 1, 0, UNMOVABLE, MOVABLE);
	assert_int_equal(finish(f, MOVABLE)->polluted, 1);
	z = table_row(&f->p->zones, 0);
	assert_int_equal(z->runs.movable[0], 0);
	free_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mixed_is_more_than_polluted),
		cmocka_unit_test(test_who_is_alone),
		cmocka_unit_test(test_what_compaction_can_win),
		cmocka_unit_test(test_zones_are_apart),
		cmocka_unit_test(test_a_page_larger_than_a_pageblock),
		cmocka_unit_test(test_pages_count_once),
		cmocka_unit_test(test_what_cannot_be_is_left_out),
		cmocka_unit_test(test_the_order_may_come_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
