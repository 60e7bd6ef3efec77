// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/ftrace/ring_reader.h"

static const char stats[] = "entries: 64\n"
			    "overrun: 100\n"
			    "commit overrun: 20\n"
			    "bytes: 3000\n"
			    "oldest event ts:  1.2\n"
			    "now ts:  9.3\n"
			    "dropped events: 3\n"
			    "read events: 5\n";

static void lost_events_were_overwritten_or_dropped(void **state)
{
	(void)state;
	assert_int_equal(ring_stats_lost(stats), 123);
}

static void dropped_events_were_not_overwritten(void **state)
{
	(void)state;
	assert_int_equal(ring_stats_dropped(stats), 23);
}

static void without_these_lines_nothing_is_lost(void **state)
{
	(void)state;
	assert_int_equal(ring_stats_lost(""), 0);
	assert_int_equal(ring_stats_lost("entries: 64\n"), 0);
	assert_int_equal(ring_stats_lost("entries: 64"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_events_were_overwritten_or_dropped),
		cmocka_unit_test(dropped_events_were_not_overwritten),
		cmocka_unit_test(without_these_lines_nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
