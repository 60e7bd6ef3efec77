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

#include "util/report/column.h"

static void test_names_and_json_names_are_unique(void **state)
{
	const struct column *a, *b;

	(void)state;
	for (size_t i = 0; (a = column_at(i)); i++) {
		assert_ptr_equal(column_find(a->name, strlen(a->name)), a);
		for (size_t k = 0; k < i; k++) {
			b = column_at(k);
			assert_string_not_equal(a->name, b->name);
			assert_string_not_equal(a->json, b->json);
		}
		assert_true(a->kind == COLUMN_KEY ? a->key < KEY_NR
						  : (a->kind == COLUMN_PERCENT) == !a->value);
	}
	assert_null(column_find("nothing", 7));
	assert_null(column_find("", 0));
}

static void test_aliases_and_names_of_json_are_known(void **state)
{
	static const struct {
		const char *typed, *name;
	} known[] = {
		{"hits", "hit"},	   {"bytes_alloc", "bytes"}, {"frag_percent", "frag"},
		{"command", "comm"},	   {"gfp_flags", "gfp"},     {"migratetype", "migtype"},
		{"live_bytes", "live"},	   {"pfn", "page"},	     {"function", "callsite"},
		{"fragmentation", "frag"}, {"median", "p50"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct column *c = column_find(known[i].typed, strlen(known[i].typed));

		assert_non_null(c);
		assert_string_equal(c->name, known[i].name);
	}
}

static void test_the_name_that_was_meant_is_suggested(void **state)
{
	struct column_list l = {.nr = 0};
	struct error err = ERROR_INIT;

	(void)state;
	assert_string_equal(column_similar("hitz", 4, false), "hit");
	assert_string_equal(column_similar("pingpnog,hit", 8, false), "pingpong");
	assert_string_equal(column_similar("cach", 4, true), "cache");
	assert_null(column_similar("bytess", 6, true));
	assert_null(column_similar("nothing", 7, false));
	assert_null(column_similar("", 0, false));
	assert_int_equal(column_list_parse(&l, "hitz", &err), -EINVAL);
	assert_string_equal(err.msg, "unknown key 'hitz', did you mean 'hit'?");
}

/* It used to show 0 for a key that rows are not grouped by, and to crash for a stack. */
static void test_a_key_fits_where_rows_are_grouped_by_it(void **state)
{
	static const enum kmem_key caches[] = {KEY_CACHE, KEY_COMM};
	static const enum kmem_key objects[][1] = {{KEY_PTR}, {KEY_PAGE}, {KEY_STACK}};
	const struct column *c;

	(void)state;
	for (size_t i = 0; (c = column_at(i)); i++) {
		bool grouped = c->key == KEY_CACHE || c->key == KEY_COMM;

		assert_int_equal(column_fits(c, caches, 2), grouped || c->kind != COLUMN_KEY);
	}
	c = column_of_key(KEY_CALLSITE);
	for (size_t i = 0; i < 3; i++)
		assert_true(column_fits(c, objects[i], 1));
	assert_false(column_fits(column_of_key(KEY_PTR), objects[1], 1));
}

static void test_percentiles_need_histograms(void **state)
{
	const struct column *c;

	(void)state;
	for (size_t i = 0; (c = column_at(i)); i++)
		assert_int_equal(column_needs_lifetimes(c),
				 !strcmp(c->name, "p50") || !strcmp(c->name, "p99"));
}

static void test_every_column_compares_by_its_value(void **state)
{
	static const enum kmem_key by[] = {KEY_CPU};
	const struct stat_counts low = {.hits = 1, .bytes_req = 10, .bytes_alloc = 10};
	const struct stat_counts high = {.hits = 2,
					 .bytes_req = 15,
					 .bytes_alloc = 60,
					 .pingpong = 1,
					 .unseen_frees = 1,
					 .live_hits = 1,
					 .live_bytes = 1,
					 .lifetime_ns = 1000,
					 .freed_hits = 1,
					 .short_lived = 1};
	struct lifetime_histogram lives = {.nr = 0};
	uint64_t cpu[] = {UINT64_MAX, 0}; /* -1 is below 0 */
	struct stat_table t;
	const struct stat_recent idle = {.live = {500}};
	const struct stat_recent busy = {.hits = 1,
					 .bytes_alloc = 10,
					 .freed_hits = 1,
					 .live = {[RECENT_MOMENTS - 1] = 100}};
	struct row_view a = {.table = &t,
			     .key = &cpu[0],
			     .counts = &low,
			     .recent = &idle,
			     .interval_ns = 1000000000,
			     .history_ns = 1000000000};
	struct row_view b = {.table = &t,
			     .key = &cpu[1],
			     .counts = &high,
			     .lifetimes = &lives,
			     .recent = &busy,
			     .interval_ns = 1000000000,
			     .history_ns = 1000000000};
	const struct column *c;

	(void)state;
	stat_table_init(&t, by, 1);
	lifetime_histogram_add(&lives, 100);
	for (size_t i = 0; (c = column_at(i)); i++) {
		if (c->kind == COLUMN_KEY && c->key != KEY_CPU)
			continue;
		assert_true(column_compare(c, &a, &b) < 0);
		assert_true(column_compare(c, &b, &a) > 0);
		assert_int_equal(column_compare(c, &b, &b), 0);
	}
	stat_table_deinit(&t);
}

static void test_live_rows_show_what_is_live(void **state)
{
	const struct stat_counts counts = {.hits = 9,
					   .bytes_alloc = 900,
					   .bytes_req = 90,
					   .live_hits = 2,
					   .live_bytes = 200,
					   .live_bytes_req = 20};
	struct row_view row = {.counts = &counts};

	(void)state;
	assert_int_equal(row_hits(&row), 9);
	row.live = true;
	assert_int_equal(row_hits(&row), 2);
	assert_int_equal(row_bytes(&row), 200);
	assert_int_equal(row_bytes_req(&row), 20);
}

static void test_lists_name_the_bad_one(void **state)
{
	struct column_list l = {.nr = 0};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(column_list_parse(&l, "cpu,bytes,cpu", &err), 0);
	assert_int_equal(l.nr, 3);
	assert_int_equal(column_list_parse(&l, "hit,nothing", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'nothing'"));
	assert_int_equal(column_list_parse(&l, "hit,", &err), -EINVAL);
	for (int i = 0; i < COLUMNS_MAX - 5; i++)
		assert_int_equal(column_list_parse(&l, "hit", &err), 0);
	assert_int_equal(column_list_parse(&l, "hit", &err), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_json_names_are_unique),
		cmocka_unit_test(test_aliases_and_names_of_json_are_known),
		cmocka_unit_test(test_the_name_that_was_meant_is_suggested),
		cmocka_unit_test(test_a_key_fits_where_rows_are_grouped_by_it),
		cmocka_unit_test(test_percentiles_need_histograms),
		cmocka_unit_test(test_every_column_compares_by_its_value),
		cmocka_unit_test(test_live_rows_show_what_is_live),
		cmocka_unit_test(test_lists_name_the_bad_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
