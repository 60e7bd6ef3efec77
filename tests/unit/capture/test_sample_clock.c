// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/capture/sample_clock.h"

static void test_it_goes_on(void **state)
{
	char before[16] = "", after[16] = "";
	uint64_t first = 0, second = 0;

	(void)state;
	prctl(PR_GET_NAME, before);
	if (sample_clock_read(&first))
		skip_because("no permission to open an event");
	usleep(2000);
	assert_int_equal(sample_clock_read(&second), 0);
	assert_true(first > 0);
	/* the machine may be busy: at least the time slept */
	assert_true(second - first >= 2000000);
	/* and the thread keeps its name */
	prctl(PR_GET_NAME, after);
	assert_string_equal(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
