// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/ftrace/trace_stats.h"

static const char stats[] = "entries: 64\n"
			    "overrun: 100\n"
			    "commit overrun: 20\n"
			    "bytes: 3000\n"
			    "oldest event ts:  1.2\n"
			    "now ts:  9.3\n"
			    "dropped events: 3\n"
			    "read events: 5\n";

static void lost_is_what_was_overwritten_or_had_no_room(void **state)
{
	(void)state;
	assert_int_equal(trace_stats_lost(stats), 123);
}

static void dropped_is_only_what_had_no_room(void **state)
{
	(void)state;
	assert_int_equal(trace_stats_dropped(stats), 23);
}

static void a_text_without_these_lines_tells_of_no_loss(void **state)
{
	(void)state;
	assert_int_equal(trace_stats_lost(""), 0);
	assert_int_equal(trace_stats_lost("entries: 64\n"), 0);
	assert_int_equal(trace_stats_lost("entries: 64"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_is_what_was_overwritten_or_had_no_room),
		cmocka_unit_test(dropped_is_only_what_had_no_room),
		cmocka_unit_test(a_text_without_these_lines_tells_of_no_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
