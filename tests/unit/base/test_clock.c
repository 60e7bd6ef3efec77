// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "util/base/clock.h"

static void test_goes_on(void **state)
{
	uint64_t begin = now_ns();

	(void)state;
	usleep(2000);
	assert_in_range(now_ns(), begin + 2000000, UINT64_MAX);
}

static void test_is_since_1970(void **state)
{
	const uint64_t second = 1000000000;
	uint64_t before = (uint64_t)time(NULL);
	uint64_t now = clock_ns(CLOCK_REALTIME);

	(void)state;
	/* time() may be a tick behind */
	assert_in_range(now, (before - 1) * second, (before + 60) * second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(test_is_since_1970),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
