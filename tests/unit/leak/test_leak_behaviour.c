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

#include "util/leak/leak_behaviour.h"

/*
 * Histories are made cohort by cohort: the number allocated, and the number live at the end; those
 * that die do so `life` sixteenths after their cohort.  An object has OBJECT bytes.
 */
#define OBJECT 100u
#define N      HISTORY_MOMENTS

struct cohort {
	uint64_t allocs, survivors;
	int life; /* 0: before the next moment */
};

static enum leak_behaviour judge(const struct cohort cohorts[N])
{
	struct leak_history h = {.allocs = {0}};

	for (int i = 0; i < N; i++) {
		const struct cohort *c = &cohorts[i];

		h.allocs[i] = c->allocs;
		h.survivors[i] = c->survivors;
		for (int t = i; t < N; t++) {
			/* what would die after the end lives */
			int dead = c->life ? t >= i + c->life : 1;

			h.live_bytes[t] += OBJECT * (dead ? c->survivors : c->allocs);
		}
	}
	return leak_behaviour_of(&h);
}

/* The same in cohorts [first, last]. */
static void fill(struct cohort cohorts[N], int first, int last, struct cohort c)
{
	for (int i = first; i <= last; i++)
		cohorts[i] = c;
}

static void assert_judged(const struct cohort cohorts[N], enum leak_behaviour want)
{
	assert_string_equal(leak_behaviour_name(judge(cohorts)), leak_behaviour_name(want));
}

static void test_what_comes_and_stays_leaks(void **state)
{
	struct cohort c[N];

	(void)state;
	fill(c, 0, N - 1, (struct cohort){50, 50, 0});
	assert_judged(c, LEAK_LEAKING);
	/* few, but one after another */
	fill(c, 0, N - 1, (struct cohort){1, 1, 0});
	assert_judged(c, LEAK_LEAKING);
	/* a first cohort that was freed does not hide it */
	c[0] = (struct cohort){1000, 1, 0};
	assert_judged(c, LEAK_LEAKING);
}

/* The limits themselves count, on each machine: a rise of a tenth, and nine of ten that live. */
static void test_limits_are_exact(void **state)
{
	struct cohort c[N] = {{0}};

	(void)state;
	c[0] = (struct cohort){100, 100, 0};
	c[N - N / 4] = (struct cohort){10, 10, 0};
	assert_judged(c, LEAK_LEAKING);
	c[N - N / 4] = (struct cohort){10, 9, 0};
	assert_judged(c, LEAK_PLATEAU);
	fill(c, 0, N - 1, (struct cohort){10, 9, 0});
	assert_judged(c, LEAK_LEAKING);
	fill(c, 0, N - 1, (struct cohort){100, 89, 0});
	assert_judged(c, LEAK_GROWING);
}

static void test_a_leak_may_start_late(void **state)
{
	struct cohort c[N] = {{0}};

	(void)state;
	fill(c, N - 4, N - 1, (struct cohort){50, 50, 0});
	assert_judged(c, LEAK_LEAKING);
	/* later than that it is merely young */
	fill(c, 0, N - 3, (struct cohort){0, 0, 0});
	assert_judged(c, LEAK_TRANSIENT);
}

static void test_a_leak_in_steps(void **state)
{
	struct cohort c[N] = {{0}};

	(void)state;
	for (int i = 1; i < N; i += 3)
		c[i] = (struct cohort){20, 20, 0};
	assert_judged(c, LEAK_LEAKING);
}

static void test_growth_of_which_some_dies(void **state)
{
	struct cohort c[N];

	(void)state;
	fill(c, 0, N - 1, (struct cohort){50, 20, 1});
	assert_judged(c, LEAK_GROWING);
	fill(c, 0, N - 1, (struct cohort){5000, 20, 0});
	assert_judged(c, LEAK_GROWING);
}

static void test_a_cache_that_was_filled_is_a_plateau(void **state)
{
	struct cohort c[N] = {{0}};

	(void)state;
	/* all at once */
	c[0] = (struct cohort){3000, 3000, 0};
	assert_judged(c, LEAK_PLATEAU);
	/* with a few more now and then */
	fill(c, 1, N - 1, (struct cohort){10, 10, 0});
	assert_judged(c, LEAK_PLATEAU);
	/* over half of the time, over three quarters */
	for (int last = N / 2 - 1; last <= N * 3 / 4 - 1; last += N / 4) {
		fill(c, 0, last, (struct cohort){100, 100, 0});
		fill(c, last + 1, N - 1, (struct cohort){0, 0, 0});
		assert_judged(c, LEAK_PLATEAU);
	}
}

static void test_a_pool_that_turns_over_is_a_plateau(void **state)
{
	struct cohort c[N] = {{0}};

	(void)state;
	/* each lives a quarter of the time; what is older is gone: not a leak, whatever the name */
	fill(c, 0, N - 1, (struct cohort){50, 0, 4});
	fill(c, N - 4, N - 1, (struct cohort){50, 50, 0});
	assert_judged(c, LEAK_TRANSIENT);
	/* each lives half of it */
	fill(c, 0, N - 1, (struct cohort){50, 0, 8});
	fill(c, N - 8, N - 1, (struct cohort){50, 50, 0});
	assert_judged(c, LEAK_PLATEAU);
}

static void test_only_the_youngest_are_transient(void **state)
{
	struct cohort c[N];

	(void)state;
	fill(c, 0, N - 1, (struct cohort){1000, 0, 1});
	c[N - 1].survivors = 1000;
	assert_judged(c, LEAK_TRANSIENT);
	/* also under a load that grows all the time */
	for (int i = 0; i < N; i++)
		c[i].allocs = 100u * (unsigned int)i;
	c[N - 1].survivors = c[N - 1].allocs;
	assert_judged(c, LEAK_TRANSIENT);
}

static void test_old_survivors_are_never_transient(void **state)
{
	struct cohort c[N];

	(void)state;
	/* one of 50 was kept for half of the time, then no more */
	fill(c, 0, N - 1, (struct cohort){5000, 0, 0});
	fill(c, 0, N / 2 - 1, (struct cohort){5000, 100, 0});
	assert_judged(c, LEAK_PLATEAU);
	/* a single one is enough */
	fill(c, 0, N - 1, (struct cohort){5000, 0, 0});
	c[2].survivors = 1;
	assert_judged(c, LEAK_PLATEAU);
}

static void test_a_sawtooth_does_not_leak(void **state)
{
	(void)state;
	for (int period = 2; period <= 5; period++) {
		for (int phase = 0; phase < period; phase++) {
			struct cohort c[N];
			enum leak_behaviour got;

			/* everything allocated in a period is freed at its end */
			for (int i = 0; i < N; i++) {
				int end = period - (i + phase) % period;

				c[i] = (struct cohort){100, i + end >= N ? 100 : 0, end};
			}
			got = judge(c);
			assert_false(leak_behaviour_is_leak(got));
		}
	}
}

static void test_tiny_counts_prove_nothing(void **state)
{
	struct cohort c[N] = {{0}};

	(void)state;
	c[3] = c[8] = c[14] = (struct cohort){1, 1, 0};
	assert_judged(c, LEAK_PLATEAU);
	fill(c, 0, N - 1, (struct cohort){0, 0, 0});
	assert_judged(c, LEAK_TRANSIENT);
}

static void test_growth_is_of_the_second_half(void **state)
{
	struct leak_history h = {.allocs = {0}};
	uint64_t moments[N];

	(void)state;
	for (unsigned int i = 0; i < N; i++) {
		moments[i] = 5000000000ull + 250000000ull * (i + 1);
		h.live_bytes[i] = i < N / 2 ? 1000 : 1000 + 500u * (i - N / 2 + 1);
	}
	/* 4000 bytes in two seconds */
	assert_int_equal(leak_growth(&h, moments), 2000);
	h.live_bytes[N - 1] = 0;
	assert_int_equal(leak_growth(&h, moments), -500);
	for (unsigned int i = 0; i < N; i++)
		moments[i] = 7;
	assert_int_equal(leak_growth(&h, moments), 0);
	/* hostile sizes */
	moments[N - 1] = 8;
	h.live_bytes[N - 1] = UINT64_MAX;
	assert_true(leak_growth(&h, moments) == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_comes_and_stays_leaks),
		cmocka_unit_test(test_limits_are_exact),
		cmocka_unit_test(test_a_leak_may_start_late),
		cmocka_unit_test(test_a_leak_in_steps),
		cmocka_unit_test(test_growth_of_which_some_dies),
		cmocka_unit_test(test_a_cache_that_was_filled_is_a_plateau),
		cmocka_unit_test(test_a_pool_that_turns_over_is_a_plateau),
		cmocka_unit_test(test_only_the_youngest_are_transient),
		cmocka_unit_test(test_old_survivors_are_never_transient),
		cmocka_unit_test(test_a_sawtooth_does_not_leak),
		cmocka_unit_test(test_tiny_counts_prove_nothing),
		cmocka_unit_test(test_growth_is_of_the_second_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
