// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/naming.h"
#include "util/report/sort.h"

#define NR 200

static const struct naming nothing;

static const enum kmem_key by_callsite[] = {KEY_CALLSITE};

/* Row i: call site i + 1, hits and bytes as given. */
static void add(struct stat_table *t, uint64_t site, uint64_t req, uint64_t alloc, uint64_t times)
{
	struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC, .call_site = site};
	uint32_t row = stat_table_row(t, &ev);

	while (times--)
		stat_counts_add(stat_table_counts(t, row), req, alloc, 1);
}

static int setup(void **state)
{
	struct stat_table *t = malloc(sizeof(*t));

	stat_table_init(t, by_callsite, 1);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	stat_table_deinit(*state);
	free(*state);
	return 0;
}

/* The call sites sorted by the keys, at most `lines`. */
static size_t sorted(const struct stat_table *t, const char *keys, bool live, uint64_t lines,
		     uint64_t *sites, uint64_t *ret_total)
{
	enum allocator allocators;
	struct sort_keys k = {0};
	struct sorted_rows rows;
	struct row_view view;
	size_t nr = 0;

	assert_int_equal(sort_keys_parse(&k, keys, &allocators, NULL), 0);
	assert_int_equal(sorted_rows_init(&rows, t, &nothing, &k, live, lines), 0);
	while (sorted_rows_get(&rows, nr, &view))
		sites[nr++] = row_key(&view, KEY_CALLSITE);
	*ret_total = rows.total;
	sorted_rows_deinit(&rows);
	return nr;
}

/* The three rows of a table. */
static void assert_order(const struct stat_table *t, const char *keys, uint64_t first,
			 uint64_t second, uint64_t third)
{
	uint64_t sites[NR] = {0}, total;

	assert_int_equal(sorted(t, keys, false, LINES_ALL, sites, &total), 3);
	assert_int_equal(sites[0], first);
	assert_int_equal(sites[1], second);
	assert_int_equal(sites[2], third);
}

static void test_keys(void **state)
{
	struct stat_table *t = *state;

	add(t, 1, 8, 8, 3);
	add(t, 2, 60, 64, 1);
	add(t, 3, 32, 64, 1);
	assert_order(t, "hit", 1, 2, 3); /* a tie: ascending */
	assert_order(t, "bytes", 2, 3, 1);
	assert_order(t, "frag", 3, 2, 1);
	assert_order(t, "callsite", 3, 2, 1);
	assert_order(t, "hit,callsite", 1, 3, 2);
	assert_order(t, "-bytes,frag", 1, 3, 2);
}

/* Percentages below zero occur in damaged recordings. */
static void test_percents(void **state)
{
	struct stat_table *t = *state;

	add(t, 1, 64, 64, 1); /* 0 % */
	add(t, 2, 96, 64, 1); /* -50 % */
	add(t, 3, 80, 64, 1); /* -25 % */
	assert_order(t, "frag", 1, 3, 2);
	assert_order(t, "-frag", 2, 3, 1);
	add(t, 1, 0, 64, 1);  /* 50 % */
	add(t, 3, 47, 64, 1); /* 0.78 % */
	assert_order(t, "frag", 1, 3, 2);
	add(t, 3, 0, 63, 1); /* 33.5 % */
	assert_order(t, "-frag", 2, 3, 1);
	add(t, 1, 125, 0, 1); /* -47.7 % */
	assert_order(t, "frag", 3, 1, 2);
}

static void test_limit_keeps_the_first(void **state)
{
	static const char *const keys[] = {"hit", "frag", "-frag,hit", "callsite"};
	struct stat_table *t = *state;
	uint64_t all[NR] = {0}, some[NR] = {0}, total;

	for (uint64_t i = 0; i < NR; i++)
		add(t, i + 1, i * 11 % 13, 8, 1 + i * 37 % 50);
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		assert_int_equal(sorted(t, keys[k], false, LINES_ALL, all, &total), NR);
		for (uint64_t lines = 0; lines <= NR + 1; lines++) {
			size_t nr = sorted(t, keys[k], false, lines, some, &total);

			assert_int_equal(nr, lines < NR ? lines : NR);
			assert_int_equal(total, NR);
			assert_memory_equal(some, all, nr * sizeof(*some));
		}
	}
}

static void test_rows_without_anything_are_left_out(void **state)
{
	struct stat_table *t = *state;
	uint64_t sites[NR] = {0}, total;

	add(t, 1, 8, 8, 0);
	add(t, 2, 8, 8, 1);
	assert_int_equal(sorted(t, "hit", false, LINES_ALL, sites, &total), 1);
	assert_int_equal(total, 1);
	assert_int_equal(sites[0], 2);
	/* nothing is live */
	assert_int_equal(sorted(t, "hit", true, LINES_ALL, sites, &total), 0);
}

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		int ret;
		enum allocator allocators;
	} cases[] = {
		{"hit", 0, ALLOCATOR_ALL},
		{"hit,frag", 0, ALLOCATOR_SLAB},
		{"order,hit", 0, ALLOCATOR_PAGE},
		{"", -EINVAL, 0},
		{"hit,", -EINVAL, 0},
		{",hit", -EINVAL, 0},
		{"hit_s", -EINVAL, 0},
		{"HIT", -EINVAL, 0},
		{"frag,order", -EINVAL, 0},
		{"hit,hit,hit,hit,hit,hit,hit,hit,hit", -E2BIG, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		struct sort_keys keys = {0};
		enum allocator allocators = 0;

		assert_int_equal(sort_keys_parse(&keys, cases[i].text, &allocators, &err),
				 cases[i].ret);
		assert_int_equal(allocators, cases[i].allocators);
		assert_true(!cases[i].ret == !err.msg[0]);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_keys),
		TEST(test_percents),
		TEST(test_limit_keeps_the_first),
		TEST(test_rows_without_anything_are_left_out),
		cmocka_unit_test(test_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
