// SPDX-License-Identifier: GPL-2.0-or-later
/* Without events: tests/live/run (kthread-perf) has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/cleanup.h"
#include "util/capture/kthread_names.h"

static void test_without_the_tracepoint(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;
	const struct cpulist cpus = {(int[]){0}, 1};
	const struct tracefs t = {.path = "/nonexistent"};
	struct kthread_names k = {.id = 1};
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(kthread_names_init(&k, &t, &cpus, 7, &err) < 0);
	assert_int_not_equal(err.code, 0);
	assert_int_equal(k.rings.nr, 0);
	assert_int_equal(k.evlist.nr, 0);
	assert_int_equal(kthread_names_drain(&k, &out), 0);
	assert_int_equal(out.len, 0);
	kthread_names_deinit(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_the_tracepoint),
	};

	return cmocka_run_group_tests_name("kthread_names", tests, NULL, NULL);
}
