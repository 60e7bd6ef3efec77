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

#include "util/machine/threads.h"

struct fixture {
	struct intern strings;
	struct threads threads;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	intern_init(&f->strings);
	threads_init(&f->threads, &f->strings);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	threads_deinit(&f->threads);
	intern_deinit(&f->strings);
	free(f);
	return 0;
}

static const char *name(struct fixture *f, uint32_t tid)
{
	return intern_get(&f->strings, threads_comm(&f->threads, tid), NULL);
}

static void test_a_thread_has_its_latest_name(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(threads_set_comm(&f->threads, 7, "sh"), 0);
	assert_string_equal(name(f, 7), "sh");
	assert_int_equal(threads_set_comm(&f->threads, 7, "make"), 0);
	assert_string_equal(name(f, 7), "make");
}

/* Many tasks share that number, so it has no name. */
static void test_a_task_that_has_ended_has_no_name(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(name(f, (uint32_t)-1), ":-1");
	assert_int_equal(threads_set_comm(&f->threads, (uint32_t)-1, "sh"), 0);
	assert_string_equal(name(f, (uint32_t)-1), ":-1");
	threads_set_comm(&f->threads, 7, "sh");
	assert_int_equal(threads_fork(&f->threads, 7, (uint32_t)-1), 0);
	assert_string_equal(name(f, (uint32_t)-1), ":-1");
	assert_int_equal(threads_fork(&f->threads, (uint32_t)-1, 9), 0);
	assert_string_equal(name(f, 9), ":9");
}

static void test_a_child_has_its_parents_name_until_its_own(void **state)
{
	struct fixture *f = *state;

	threads_set_comm(&f->threads, 7, "sh");
	assert_int_equal(threads_fork(&f->threads, 7, 8), 0);
	threads_set_comm(&f->threads, 7, "make");
	assert_string_equal(name(f, 8), "sh");
	threads_set_comm(&f->threads, 8, "cc");
	assert_string_equal(name(f, 8), "cc");
}

static void test_a_reused_tid_takes_its_new_parents_name(void **state)
{
	struct fixture *f = *state;

	threads_set_comm(&f->threads, 7, "sh");
	threads_set_comm(&f->threads, 8, "old");
	threads_fork(&f->threads, 7, 8);
	assert_string_equal(name(f, 8), "sh");
}

static void test_nameless_threads_are_numbers(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(name(f, 12), ":12");
	assert_string_equal(name(f, 0), "swapper");
	assert_int_equal(threads_fork(&f->threads, 99, 100), 0);
	assert_string_equal(name(f, 100), ":100");
}

static void test_alive_until_it_ends(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(threads_set_comm(&f->threads, 7, "sh"), 0);
	/* so far the source has not reported that threads begin or end */
	assert_false(threads_is_alive(&f->threads, 7));
	assert_int_equal(threads_fork(&f->threads, 7, 8), 0);
	assert_true(threads_is_alive(&f->threads, 7));
	assert_true(threads_is_alive(&f->threads, 8));
	threads_exit(&f->threads, 8);
	assert_false(threads_is_alive(&f->threads, 8));
	assert_false(threads_is_alive(&f->threads, 9));
	/* another one has the number */
	assert_int_equal(threads_fork(&f->threads, 7, 8), 0);
	assert_true(threads_is_alive(&f->threads, 8));
}

static void test_an_ended_thread_has_its_name_until_the_second_sweep(void **state)
{
	struct fixture *f = *state;

	threads_set_comm(&f->threads, 7, "one");
	threads_set_comm(&f->threads, 8, "two");
	threads_exit(&f->threads, 7);
	threads_exit(&f->threads, 8);
	threads_exit(&f->threads, 7);
	threads_exit(&f->threads, 99);
	assert_int_equal(threads_sweep(&f->threads), 0);
	assert_string_equal(name(f, 7), "one");
	threads_set_comm(&f->threads, 8, "another"); /* with the same number */
	assert_int_equal(threads_sweep(&f->threads), 0);
	assert_string_equal(name(f, 7), ":7");
	assert_int_equal(threads_sweep(&f->threads), 0);
	assert_string_equal(name(f, 8), "another");
	assert_int_equal(f->threads.rows.nr, 1);
	assert_int_equal(f->threads.nr_ended, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_alive_until_it_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_thread_has_its_latest_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_child_has_its_parents_name_until_its_own,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_reused_tid_takes_its_new_parents_name, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_nameless_threads_are_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_task_that_has_ended_has_no_name, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			test_an_ended_thread_has_its_name_until_the_second_sweep, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
