// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/base/thread.h"

static void test_wanted(void **state)
{
	(void)state;
	assert_false(thread_wanted(1));
	assert_true(thread_wanted(2));
	assert_true(thread_wanted(100));
	assert_int_equal(thread_wanted(0), sysconf(_SC_NPROCESSORS_ONLN) > 1);
}

static void *signals_of_mine(void *arg)
{
	sigset_t *blocked = arg;

	pthread_sigmask(SIG_SETMASK, NULL, blocked);
	return blocked;
}

static void test_signals_are_for_the_main_thread(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGALRM, SIGWINCH};
	static const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL};
	sigset_t theirs, ours;
	pthread_t thread;
	void *ret = NULL;

	(void)state;
	sigemptyset(&theirs);
	assert_int_equal(thread_start(&thread, signals_of_mine, &theirs), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &ours);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_ptr_equal(ret, &theirs);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		assert_true(sigismember(&theirs, signals[i]));
		assert_false(sigismember(&ours, signals[i]));
	}
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		assert_false(sigismember(&theirs, faults[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_signals_are_for_the_main_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
