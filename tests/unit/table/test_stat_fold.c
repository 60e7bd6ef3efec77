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

#include "util/base/label.h"
#include "util/table/stat_fold.h"

/* A table by call site and command, with all that can be kept of a row. */
struct fixture {
	struct key_names names;
	struct stat_table t;
	uint64_t now_ns;
};

static int setup(void **state)
{
	static const enum kmem_key by[] = {KEY_CALLSITE, KEY_COMM};
	struct fixture *f = calloc(1, sizeof(*f));

	key_names_init(&f->names);
	stat_table_init(&f->t, by, 2);
	f->t.names = &f->names;
	f->t.want_lifetimes = f->t.want_history = f->t.want_recent = true;
	history_init(&f->t.history, 0, 1000000);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	stat_table_deinit(&f->t);
	key_names_deinit(&f->names);
	free(f);
	return 0;
}

static struct kmem_event event_of(struct fixture *f, uint64_t site, const char *comm)
{
	return (struct kmem_event){
		.kind = KMEM_SLAB_ALLOC,
		.call_site = site,
		.comm = intern_add_passing(&f->names.strings, comm, strlen(comm)),
	};
}

static uint32_t row_of(struct fixture *f, uint64_t site, const char *comm)
{
	const struct kmem_event ev = event_of(f, site, comm);

	return stat_table_row(&f->t, &ev);
}

static uint32_t alloc(struct fixture *f, uint64_t site, const char *comm, uint64_t bytes)
{
	uint32_t row = row_of(f, site, comm);
	struct stat_counts *c = stat_table_counts(&f->t, row);

	stat_counts_add(c, bytes, bytes, 1);
	stat_counts_add_live(c, 1, bytes, bytes);
	stat_table_note_live(&f->t, row, f->now_ns += 1000, bytes, 1);
	return row;
}

static void free_object(struct fixture *f, uint32_t row, uint64_t bytes, uint64_t age_ns)
{
	stat_counts_add_live(stat_table_counts(&f->t, row), (uint64_t)-1, -bytes, -bytes);
	stat_table_note_live(&f->t, row, f->now_ns += 1000, -bytes, 0);
	assert_int_equal(stat_table_add_lifetimes(&f->t, row, age_ns, 1), 0);
}

static void fold(struct fixture *f, uint32_t max_rows, unsigned int idle_ticks)
{
	const struct kmem_bounds bounds = {.max_rows = max_rows, .idle_ticks = idle_ticks};
	uint32_t *moved;

	assert_int_equal(stat_table_tick(&f->t), 0);
	assert_int_equal(stat_table_fold(&f->t, &f->names, &bounds, &moved), 0);
	assert_null(moved);
}

static uint32_t count_rows(const struct fixture *f)
{
	uint32_t row, nr = 0;

	stat_table_for_each (row, &f->t)
		nr++;
	assert_int_equal(nr, f->t.rows.nr);
	return nr;
}

static void test_dead_rows_become_others_of_their_call_site(void **state)
{
	struct fixture *f = *state;
	uint64_t live[HISTORY_MOMENTS] = {0}, allocs[HISTORY_MOMENTS] = {0};
	const struct stat_counts *c;
	uint32_t others;

	free_object(f, alloc(f, 1, "make", 100), 100, 50);
	free_object(f, alloc(f, 1, "cc", 200), 200, 5000);
	free_object(f, alloc(f, 2, "cc", 300), 300, 1);
	alloc(f, 2, "ld", 400);
	fold(f, 0, 1);
	assert_int_equal(count_rows(f), 4); /* they have just changed */
	fold(f, 0, 1);
	assert_int_equal(count_rows(f), 3);
	others = row_of(f, 1, LABEL_OTHERS);
	c = stat_table_counts(&f->t, others);
	assert_int_equal(c->hits, 2);
	assert_int_equal(c->bytes_alloc, 300);
	assert_int_equal(c->freed_hits, 2);
	assert_int_equal(c->lifetime_ns, 5050);
	assert_int_equal(c->live_hits, 0);
	assert_int_equal(f->t.lifetimes[others].nr, 2);
	assert_int_equal(f->t.lifetimes[others].min_ns, 50);
	assert_int_equal(f->t.lifetimes[others].max_ns, 5000);
	history_finish(&f->t.history, 1000000);
	history_sum(&f->t.history, others, live, allocs);
	assert_int_equal(allocs[0], 2);
	assert_int_equal(live[HISTORY_MOMENTS - 1], 0);
	assert_int_equal(stat_table_counts(&f->t, row_of(f, 2, "ld"))->live_hits, 1);
	assert_int_equal(stat_table_counts(&f->t, row_of(f, 2, LABEL_OTHERS))->hits, 1);
	/* others are not folded again */
	fold(f, 3, 1);
	assert_int_equal(count_rows(f), 3);
}

static void test_a_number_given_back_begins_with_nothing(void **state)
{
	struct fixture *f = *state;
	uint64_t live[HISTORY_MOMENTS] = {0}, allocs[HISTORY_MOMENTS] = {0};
	uint32_t old = alloc(f, 1, "make", 100), row;

	alloc(f, 1, LABEL_OTHERS, 1);
	free_object(f, old, 100, 50);
	fold(f, 0, 1);
	fold(f, 0, 1);
	assert_int_equal(f->t.rows.nr, 1);
	assert_int_equal(stat_table_next(&f->t, 0), 1);
	/* the row of the same keys is a new one, even if it was looked up just before */
	row = row_of(f, 1, "make");
	assert_int_equal(row, old);
	assert_int_equal(stat_table_counts(&f->t, row)->hits, 0);
	assert_int_equal(f->t.lifetimes[row].nr, 0);
	history_finish(&f->t.history, 1000000);
	history_sum(&f->t.history, row, live, allocs);
	assert_int_equal(allocs[0], 0);
	assert_int_equal(stat_table_recent(&f->t, row)->idle, 0);
}

static void test_with_too_many_rows_the_smallest_dead_ones_go(void **state)
{
	struct fixture *f = *state;
	char comm[16];

	for (unsigned int i = 0; i < 100; i++) {
		uint32_t row;

		snprintf(comm, sizeof(comm), "c%u", i);
		row = alloc(f, 1, comm, 1000 + i);
		if (i >= 10)
			free_object(f, row, 1000 + i, 1);
	}
	fold(f, 100, 0);
	assert_int_equal(count_rows(f), 100);
	fold(f, 80, 0);
	/* three quarters of the bound, and the row of others */
	assert_int_equal(count_rows(f), 61);
	assert_int_equal(stat_table_counts(&f->t, row_of(f, 1, LABEL_OTHERS))->hits, 40);
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(comm, sizeof(comm), "c%u", i);
		assert_int_equal(stat_table_counts(&f->t, row_of(f, 1, comm))->hits,
				 i < 10 || i >= 50);
	}
}

static void test_live_rows_go_last_and_are_told(void **state)
{
	const struct kmem_bounds bounds = {.max_rows = 20};
	struct fixture *f = *state;
	uint32_t rows[30], *moved, others;
	char comm[16];

	for (unsigned int i = 0; i < 30; i++) {
		snprintf(comm, sizeof(comm), "c%u", i);
		rows[i] = alloc(f, 1, comm, 1000 + i);
		if (i >= 20)
			free_object(f, rows[i], 1000 + i, 1);
	}
	assert_int_equal(stat_table_tick(&f->t), 0);
	assert_int_equal(stat_table_fold(&f->t, &f->names, &bounds, &moved), 0);
	assert_non_null(moved);
	/* 15 rows are too many: ten dead ones, and the five smallest of the others */
	assert_int_equal(count_rows(f), 16);
	others = row_of(f, 1, LABEL_OTHERS);
	for (unsigned int i = 0; i < 20; i++) {
		assert_int_equal(moved[rows[i]], i < 5 ? others : rows[i]);
		snprintf(comm, sizeof(comm), "c%u", i);
		if (i >= 5)
			assert_int_equal(row_of(f, 1, comm), rows[i]);
	}
	assert_int_equal(stat_table_counts(&f->t, others)->hits, 15);
	assert_int_equal(stat_table_counts(&f->t, others)->live_hits, 5);
	assert_int_equal(stat_table_counts(&f->t, others)->live_bytes, 5 * 1000 + 10);
	free(moved);
}

static void test_other_keys_are_never_folded(void **state)
{
	static const enum kmem_key by[] = {KEY_CALLSITE, KEY_SIZE};
	const struct kmem_bounds bounds = {.max_rows = 2, .idle_ticks = 1};
	struct fixture *f = *state;
	uint32_t *moved;

	stat_table_deinit(&f->t);
	stat_table_init(&f->t, by, 2);
	for (uint64_t site = 0; site < 10; site++) {
		struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC, .call_site = site};

		stat_table_counts(&f->t, stat_table_row(&f->t, &ev))->hits = 1;
	}
	assert_int_equal(stat_table_fold(&f->t, &f->names, &bounds, &moved), 0);
	assert_int_equal(f->t.rows.nr, 10);
}

static void test_what_others_are(void **state)
{
	static const enum kmem_key by[] = {KEY_PTR, KEY_PID, KEY_TID, KEY_STACK, KEY_GFP};
	const struct kmem_bounds bounds = {.max_rows = 1};
	const uint64_t frames[] = {0xa000, 0xb000};
	struct fixture *f = *state;
	const uint64_t *keys, *stack = NULL;
	uint32_t *moved;
	size_t len;

	stat_table_deinit(&f->t);
	stat_table_init(&f->t, by, 5);
	for (unsigned int i = 0; i < 5; i++) {
		struct kmem_event ev = {
			.kind = KMEM_SLAB_ALLOC,
			.ptr = 0x1000 + i,
			.pid = i,
			.tid = i,
			.gfp_flags = 0xcc0,
			.stack = intern_add_passing(&f->names.stacks, frames, sizeof(frames)),
		};

		stat_table_counts(&f->t, stat_table_row(&f->t, &ev))->hits = 1;
	}
	/* the row of others was not there before */
	assert_int_equal(stat_table_fold(&f->t, &f->names, &bounds, &moved), 0);
	assert_int_equal(f->t.rows.nr, 2);
	assert_int_equal(stat_table_fold(&f->t, &f->names, &bounds, &moved), 0);
	assert_int_equal(f->t.rows.nr, 1);
	keys = stat_table_keys(&f->t, stat_table_next(&f->t, 0));
	assert_int_equal(keys[0], 0);
	assert_true(keys[1] == UINT64_MAX && keys[2] == UINT64_MAX);
	stack = intern_get(&f->names.stacks, (uint32_t)keys[3], &len);
	assert_int_equal(len, sizeof(frames[0]));
	assert_int_equal(*stack, 0xa000);
	assert_int_equal(keys[4], 0xcc0);
	assert_int_equal(stat_table_counts(&f->t, stat_table_next(&f->t, 0))->hits, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_dead_rows_become_others_of_their_call_site,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_number_given_back_begins_with_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_with_too_many_rows_the_smallest_dead_ones_go,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_live_rows_go_last_and_are_told, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_other_keys_are_never_folded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_others_are, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
