// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/table/counted_rows.h"

struct rows {
	struct stat_table table;
	struct counted_rows counted;
};

static struct rows new_rows(bool history)
{
	static const enum kmem_key by[] = {KEY_PID};
	struct rows r = {.counted = {.shift = 0}};

	stat_table_init(&r.table, by, 1);
	r.table.want_history = history;
	return r;
}

static void end_rows(struct rows *r)
{
	counted_rows_deinit(&r->counted);
	stat_table_deinit(&r->table);
}

static void add(struct rows *r, uint32_t pid, uint64_t time_ns, uint64_t live)
{
	const struct kmem_event keys = {.kind = KMEM_PAGE_ALLOC, .pid = pid, .time_ns = time_ns};
	const struct source_figures figures = {.hits = 1,
					       .bytes_req = 4096,
					       .bytes_alloc = 4096,
					       .live_hits = live,
					       .live_bytes_req = live * 4096,
					       .live_bytes = live * 4096};

	assert_int_equal(counted_rows_add(&r->counted, &r->table, 1, &keys, &figures), 0);
}

struct sums {
	uint64_t hits, bytes, first_ns, last_ns;
};

static struct sums sum(const struct rows *r, uint32_t row)
{
	struct sums s = {.first_ns = UINT64_MAX};

	for (uint32_t i = 0; i < r->counted.rows.nr; i++) {
		const struct counted_row *c = counted_rows_at(&r->counted, i);

		if (c->row[0] != row)
			continue;
		s.hits += c->live_hits;
		s.bytes += c->live_bytes;
		s.first_ns = c->first_ns < s.first_ns ? c->first_ns : s.first_ns;
		s.last_ns = c->last_ns > s.last_ns ? c->last_ns : s.last_ns;
	}
	return s;
}

static void test_few_are_kept_as_they_are(void **state)
{
	struct rows r = new_rows(true);

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		add(&r, 1, 5000 + i, 1);
	add(&r, 1, 5000, 0); /* not live */
	assert_int_equal(r.counted.rows.nr, 1000);
	assert_int_equal(stat_table_counts(&r.table, 0)->hits, 1001);
	assert_int_equal(stat_table_counts(&r.table, 0)->freed_hits, 1);
	end_rows(&r);
}

/* However many, in any order: sums, and the first and last time, stay exact. */
static void test_many_take_bounded_memory(void **state)
{
	const uint64_t nr = 20 * COUNTED_ROWS_MANY;
	struct rows r = new_rows(true);

	(void)state;
	for (uint64_t i = 0; i < nr; i++)
		add(&r, (uint32_t)(i % 3), 1000000000 + (i * 7919 % nr) * 12345, 1);
	assert_true(r.counted.rows.nr <= COUNTED_ROWS_MANY);
	assert_true(r.counted.rows.nr > COUNTED_ROWS_MANY / 16);
	for (uint32_t row = 0; row < 3; row++) {
		struct sums s = sum(&r, row);

		assert_true(s.hits == nr / 3 || s.hits == nr / 3 + 1);
		assert_int_equal(s.bytes, s.hits * 4096);
		assert_true(s.first_ns >= 1000000000 && s.first_ns <= 1000000000 + 3 * 12345);
		assert_true(s.last_ns >= 1000000000 + (nr - 4) * 12345);
	}
	end_rows(&r);
}

/* Rows that differ in more than time are kept, so that no figure is wrong. */
static void test_rows_of_tables_are_not_merged(void **state)
{
	struct rows r = new_rows(true);

	(void)state;
	for (uint32_t i = 0; i < 2 * COUNTED_ROWS_MANY; i++)
		add(&r, i, i, 1);
	assert_int_equal(r.counted.rows.nr, 2 * COUNTED_ROWS_MANY);
	end_rows(&r);
}

static void test_nobody_walks_without_a_history(void **state)
{
	struct rows r = new_rows(false);

	(void)state;
	add(&r, 1, 5, 1);
	assert_int_equal(r.counted.rows.nr, 0);
	assert_int_equal(stat_table_counts(&r.table, 0)->live_hits, 1);
	end_rows(&r);
}

static void test_rows_that_moved(void **state)
{
	static const uint32_t moved[] = {1, 1};
	struct rows r = new_rows(true);

	(void)state;
	add(&r, 1, 5, 1);
	add(&r, 2, 5, 1);
	assert_int_equal(counted_rows_moved(&r.counted, 0, false, moved), 0);
	assert_int_equal(r.counted.rows.nr, 1);
	assert_int_equal(sum(&r, 1).hits, 2);
	end_rows(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_are_kept_as_they_are),
		cmocka_unit_test(test_many_take_bounded_memory),
		cmocka_unit_test(test_rows_of_tables_are_not_merged),
		cmocka_unit_test(test_nobody_walks_without_a_history),
		cmocka_unit_test(test_rows_that_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
