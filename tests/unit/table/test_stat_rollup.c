// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/fixture/account.h"
#include "tests/unit/functions.h"
#include "util/accounts/slab.h"
#include "util/table/stat_rollup.h"

#define NR_TABLES 3

static const enum kmem_key keys[NR_TABLES][2] = {
	{KEY_CALLSITE, KEY_CACHE},
	{KEY_STACK},
	{KEY_ACCOUNTED},
};
static const unsigned int nr_keys[NR_TABLES] = {2, 1, 1};

static void add_tables(struct slab_accounts *s)
{
	static const char *const functions[] = {"caller", NULL};

	slab_accounts_init(s, (struct function_lookup){find_function, functions}, 4096);
	s->some_not_counted = true;
	for (int i = 0; i < NR_TABLES; i++) {
		assert_int_equal(slab_accounts_add_table(s, keys[i], nr_keys[i]), i);
		s->common.tables[i].want_lifetimes = true;
		s->common.tables[i].steps = stat_steps_new(1000, 1000 + 30000 * UINT64_C(700));
		assert_non_null(s->common.tables[i].steps);
	}
	s->common.tables[1].timeline = timeline_new(0, 0);
	assert_non_null(s->common.tables[1].timeline);
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *seed >> 33;
}

/* Allocations, some of pointers that are live, and frees, on two CPUs. */
static void take_events(struct slab_accounts *s, unsigned int nr)
{
	uint64_t seed = 1;

	for (unsigned int i = 0; i < nr; i++) {
		uint64_t site = next(&seed) % 50, bytes = 8 << next(&seed) % 6;
		struct kmem_event ev = {
			.kind = KMEM_SLAB_ALLOC,
			.time_ns = 1000 + i * UINT64_C(700),
			.cpu = next(&seed) % 2,
			.ptr = 0x1000 + next(&seed) % 900,
			.call_site = 0x100 + site,
			.stack = (uint32_t)(site * 40 + next(&seed) % 40),
			.cache = (uint32_t)bytes,
			.accounted = site % 2,
			.bytes_req = bytes - 3,
			.bytes_alloc = bytes,
			.in_window = i % 1000 > 10,
		};

		if (next(&seed) % 5 < 2)
			ev.kind = KMEM_SLAB_FREE;
		assert_int_equal(account_take_one(&account_slab, s, &ev), 0);
	}
	allocator_accounts_finish(&s->common, s->summary.bytes_live, 1000 + nr * UINT64_C(700));
}

static void same_rows(const struct stat_table *a, const struct stat_table *b)
{
	uint32_t row;

	assert_int_equal(a->rows.nr, b->rows.nr);
	stat_table_for_each (row, a) {
		struct stat_counts x = *stat_table_counts(a, row), y = *stat_table_counts(b, row);

		assert_memory_equal(stat_table_keys(a, row), stat_table_keys(b, row),
				    a->nr_by * sizeof(uint64_t));
		x.last_callsite = y.last_callsite;
		assert_memory_equal(&x, &y, sizeof(x));
		assert_memory_equal(&a->lifetimes[row], &b->lifetimes[row],
				    sizeof(a->lifetimes[row]));
	}
}

static void same_steps(const struct stat_table *a, const struct stat_table *b)
{
	uint64_t x[STAT_STEP_NUMBERS * TIMELINE_STEPS], y[STAT_STEP_NUMBERS * TIMELINE_STEPS];
	uint64_t hits = 0;

	for (uint32_t row = 0; row < a->rows.nr; row++) {
		size_t nr = stat_steps_nr(a->steps, row);

		assert_in_range(nr, 0, TIMELINE_STEPS);
		assert_int_equal(nr, stat_steps_nr(b->steps, row));
		stat_steps_get(a->steps, row, x);
		stat_steps_get(b->steps, row, y);
		assert_memory_equal(x, y, nr * STAT_STEP_NUMBERS * sizeof(*x));
		hits = 0;
		for (size_t i = 0; i < nr; i++)
			hits += x[i * STAT_STEP_NUMBERS + 1];
		assert_int_equal(hits, stat_table_counts(a, row)->hits);
	}
}

/* The tables are those that they would be without. */
static void test_same_figures(void **state)
{
	struct slab_accounts plain, rolled;

	(void)state;
	add_tables(&plain);
	add_tables(&rolled);
	allocator_accounts_roll_up(&rolled.common);
	assert_int_equal(rolled.common.nr_counted_in, 1);
	take_events(&plain, 30000);
	take_events(&rolled, 30000);
	assert_in_range(plain.common.tables[1].rows.nr, 1500, 2000);
	for (int i = 0; i < NR_TABLES; i++) {
		same_rows(&plain.common.tables[i], &rolled.common.tables[i]);
		same_steps(&plain.common.tables[i], &rolled.common.tables[i]);
	}
	assert_memory_equal(&plain.summary, &rolled.summary, sizeof(plain.summary));
	for (uint32_t row = 0; row < plain.common.tables[1].rows.nr; row++) {
		uint64_t a[TIMELINE_STEPS], b[TIMELINE_STEPS];

		timeline_changes(plain.common.tables[1].timeline, row, TIMELINE_STEPS, a);
		timeline_changes(rolled.common.tables[1].timeline, row, TIMELINE_STEPS, b);
		assert_memory_equal(a, b, sizeof(a));
	}
	slab_accounts_deinit(&plain);
	slab_accounts_deinit(&rolled);
}

/* Not by keys that do not go together, and not where somebody looks at the rows meanwhile. */
static void test_what_does_not_fit(void **state)
{
	static const enum kmem_key site[] = {KEY_CALLSITE}, cpu[] = {KEY_CPU};
	struct stat_table t[2];

	(void)state;
	stat_table_init(&t[0], site, 1);
	stat_table_init(&t[1], site, 1);
	assert_false(stat_rollup_fits(t, 1));
	assert_true(stat_rollup_fits(t, 2));
	t[1].want_history = true;
	assert_false(stat_rollup_fits(t, 2));
	t[1].want_history = false;
	t[0].want_recent = true;
	assert_false(stat_rollup_fits(t, 2));
	t[0].want_recent = false;
	t[1].unfiltered = true;
	assert_false(stat_rollup_fits(t, 2));
	stat_table_init(&t[1], cpu, 1);
	assert_false(stat_rollup_fits(t, 2));
}

/* Rows of two call sites with one cache, at different times. */
static void test_rows_are_copied_with_their_history(void **state)
{
	static const enum kmem_key fine[] = {KEY_CALLSITE, KEY_CACHE}, coarse[] = {KEY_CACHE};
	struct stat_table from, to;
	uint32_t rows[2] = {7, 7};
	uint64_t live[HISTORY_MOMENTS] = {0}, allocs[HISTORY_MOMENTS] = {0};

	(void)state;
	stat_table_init(&from, fine, 2);
	stat_table_init(&to, coarse, 1);
	from.want_history = to.want_history = true;
	history_init(&from.history, 100, 6500);
	for (uint32_t i = 0; i < 2; i++) {
		const struct kmem_event ev = {
			.kind = KMEM_SLAB_ALLOC, .call_site = 0xa000 + i, .cache = 5};

		assert_int_equal(stat_table_row(&from, &ev), i);
		stat_counts_add(stat_table_counts(&from, i), 100, 128, 1);
		stat_table_note_live(&from, i, 150 + 6000 * i, 128, 1);
	}
	history_finish(&from.history, 6500);
	assert_int_equal(stat_rollup_copy(&from, &to, rows), 0);
	assert_int_equal(to.rows.nr, 1);
	assert_int_equal(rows[0], 0);
	assert_int_equal(rows[1], 0);
	assert_int_equal(stat_table_keys(&to, 0)[0], 5);
	assert_int_equal(stat_table_counts(&to, 0)->bytes_alloc, 256);
	history_sum(&to.history, 0, live, allocs);
	assert_int_equal(live[0], 128);
	assert_int_equal(live[HISTORY_MOMENTS - 1], 256);
	assert_int_equal(allocs[0], 1);
	stat_table_deinit(&from);
	stat_table_deinit(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_figures),
		cmocka_unit_test(test_what_does_not_fit),
		cmocka_unit_test(test_rows_are_copied_with_their_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
