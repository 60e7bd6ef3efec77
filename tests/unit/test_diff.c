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

#include <unistd.h>

#include "tests/fixture/fixture.h"
#include "util/report/diff.h"

/* The scenario of tests/fixture: object i is allocated in microsecond i, from second 1 on. */
#define START_NS 1000000000ull

struct side {
	struct kmem_analysis a;
	struct session *session;
	struct time_window windows[2];
};

/* The objects of some windows; nr 0: all. */
static void run(struct side *s, const char *release, enum kmem_key by, size_t nr)
{
	const struct fixture_options fixture = {.long_size = 8, .release = release};
	struct kmem_options options = {.slab = true,
				       .slab_tables = {{{by}, 1}},
				       .nr_slab_tables = 1,
				       .windows = s->windows,
				       .nr_windows = nr};
	char path[] = "/tmp/test_diff.XXXXXX";

	close(mkstemp(path));
	assert_int_equal(fixture_write(&fixture, path), 0);
	assert_int_equal(
		session_open(path, &(struct reader_options){.force = true}, &s->session, NULL), 0);
	assert_int_equal(kmem_analysis_run(&s->a, s->session, &options, NULL), 0);
	unlink(path);
}

static void end(struct side *s)
{
	kmem_analysis_deinit(&s->a);
	session_free(s->session);
}

static void test_what_changed_is_the_difference(void **state)
{
	struct side old = {.windows = {{START_NS, START_NS + 39000}}}, new = {0};
	double hits = 0, live = 0;
	struct diff d;

	(void)state;
	run(&old, NULL, KEY_CPU, 1);
	run(&new, NULL, KEY_CPU, 0);
	assert_int_equal(diff_init(&d, &old.a, &new.a, false), 0);
	assert_int_equal(d.nr_tables, 1);
	assert_int_equal(d.tables[0].nr, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct diff_row *r = &d.tables[0].v[i];

		assert_true(r->side[DIFF_OLD].hits == 10 && r->side[DIFF_NEW].hits == 25);
		hits += r->side[DIFF_NEW].hits - r->side[DIFF_OLD].hits;
		live += r->side[DIFF_NEW].live_hits;
		assert_int_equal(strlen(diff_row_key(&d, r, 0)), 1);
	}
	assert_true(hits == 60 && live == 20);
	diff_deinit(&d);
	end(&old);
	end(&new);
}

static void test_the_largest_change_is_first_and_ties_are_in_order(void **state)
{
	struct side old = {.windows = {{START_NS, START_NS + 39000}}}, new = {0};
	struct diff d;

	(void)state;
	run(&old, NULL, KEY_CPU, 1);
	run(&new, NULL, KEY_CPU, 0);
	diff_init(&d, &old.a, &new.a, false);
	/* later objects are larger, and CPU 3 has the last of each four */
	assert_string_equal(diff_row_key(&d, &d.tables[0].v[0], 0), "3");
	assert_string_equal(diff_row_key(&d, &d.tables[0].v[3], 0), "0");
	diff_deinit(&d);
	diff_init(&d, &new.a, &new.a, false);
	assert_string_equal(diff_row_key(&d, &d.tables[0].v[0], 0), "0");
	assert_string_equal(diff_row_key(&d, &d.tables[0].v[3], 0), "3");
	diff_deinit(&d);
	end(&old);
	end(&new);
}

static void test_rates_are_of_the_windows(void **state)
{
	/* overlapping: 20 us in all */
	struct side old = {
		.windows = {{START_NS, START_NS + 15000}, {START_NS + 10000, START_NS + 20000}}};
	struct side new = {.windows = {{0, START_NS + 10000}}};
	struct diff d;

	(void)state;
	run(&old, NULL, KEY_CPU, 2);
	run(&new, NULL, KEY_CPU, 1);
	diff_init(&d, &old.a, &new.a, true);
	assert_true(d.seconds[DIFF_OLD] > 19.9e-6 && d.seconds[DIFF_OLD] < 20.1e-6);
	assert_true(d.seconds[DIFF_NEW] > 9.9e-6 && d.seconds[DIFF_NEW] < 10.1e-6);
	/* objects 0, 4, 8, 12, 16, 20 in 20 us */
	for (size_t i = 0; i < d.tables[0].nr; i++)
		if (!strcmp(diff_row_key(&d, &d.tables[0].v[i], 0), "0"))
			assert_true(d.tables[0].v[i].side[DIFF_OLD].hits > 299999 &&
				    d.tables[0].v[i].side[DIFF_OLD].hits < 300001);
	diff_deinit(&d);
	end(&old);
	end(&new);
}

static void test_kernels_are_told_apart(void **state)
{
	struct side old = {0}, same = {0}, other = {0};
	struct diff d;

	(void)state;
	run(&old, "6.1.0", KEY_CALLSITE, 0);
	run(&same, "6.1.0", KEY_CALLSITE, 0);
	run(&other, "6.2.0", KEY_CALLSITE, 0);
	diff_init(&d, &old.a, &same.a, false);
	assert_true(d.same_kernel);
	assert_int_equal(d.tables[0].nr, 5);
	for (size_t i = 0; i < 5; i++)
		assert_true(d.tables[0].v[i].side[DIFF_OLD].bytes ==
			    d.tables[0].v[i].side[DIFF_NEW].bytes);
	diff_deinit(&d);
	diff_init(&d, &old.a, &other.a, false);
	assert_false(d.same_kernel);
	diff_deinit(&d);
	end(&old);
	end(&same);
	end(&other);
}

static void test_objects_are_not_compared(void **state)
{
	struct side old = {0};
	struct diff d;

	(void)state;
	run(&old, NULL, KEY_PTR, 0);
	diff_init(&d, &old.a, &old.a, false);
	assert_int_equal(d.nr_tables, 0);
	diff_deinit(&d);
	end(&old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_changed_is_the_difference),
		cmocka_unit_test(test_the_largest_change_is_first_and_ties_are_in_order),
		cmocka_unit_test(test_rates_are_of_the_windows),
		cmocka_unit_test(test_kernels_are_told_apart),
		cmocka_unit_test(test_objects_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
