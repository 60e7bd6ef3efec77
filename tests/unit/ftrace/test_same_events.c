// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/ftrace/same_events.h"

/* common_type, common_flags, common_preempt_count, common_pid, a field */
#define BYTES 12

static int count(void *ctx, const struct cpu_event *event)
{
	(void)event;
	++*(size_t *)ctx;
	return 0;
}

/* Number of events that come out of one in buffer 0 and one in buffer 1, which differ in this byte
 * (-1: none) and time. */
static size_t come_out(int differs_at, uint64_t ns)
{
	uint8_t a[BYTES] = {7, 0, 1, 2, 3}, b[BYTES] = {7, 0, 1, 2, 3};
	struct cpu_event first = {.time_ns = 1000, .id = 7, .data = a, .size = BYTES};
	struct cpu_event second = {.time_ns = 1000 + ns, .id = 7, .data = b, .size = BYTES};
	size_t nr = 0;
	struct same_events *s = same_events_new(count, &nr);

	assert_non_null(s);
	if (differs_at >= 0)
		b[differs_at] ^= 4;
	assert_int_equal(same_events_add(s, &first, 0), 0);
	assert_int_equal(same_events_add(s, &second, 1), 0);
	assert_int_equal(same_events_flush(s), 0);
	assert_int_equal(same_events_joined(s), 2 - nr);
	same_events_free(s);
	return nr;
}

static void what_two_buffers_have_comes_once(void **state)
{
	(void)state;
	assert_int_equal(come_out(-1, 500), 1);
}

static void an_interrupt_may_change_the_flags_in_between(void **state)
{
	(void)state;
	assert_int_equal(come_out(2, 500), 1);
}

static void other_bytes_or_much_later_is_another_event(void **state)
{
	(void)state;
	assert_int_equal(come_out(3, 500), 2);
	assert_int_equal(come_out(BYTES - 1, 500), 2);
	assert_int_equal(come_out(-1, SAME_EVENTS_NS + 1), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_two_buffers_have_comes_once),
		cmocka_unit_test(an_interrupt_may_change_the_flags_in_between),
		cmocka_unit_test(other_bytes_or_much_later_is_another_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
