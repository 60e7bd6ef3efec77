// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "util/ftrace/trace_line.h"

static struct trace_line parse(const char *text)
{
	struct trace_line l;

	trace_line_parse(&l, text, strlen(text));
	return l;
}

static void expect_part(struct text_part part, const char *text)
{
	assert_int_equal(part.len, strlen(text));
	assert_memory_equal(part.at, text, part.len);
}

static void expect_field(const struct trace_line *l, const char *name, const char *value)
{
	struct text_part v;

	assert_true(trace_line_field(l, name, &v));
	expect_part(v, value);
}

static void an_event_has_its_parts(void **state)
{
	struct trace_line l = parse("            bash-11865   [003] d..1. 25088.513499: kfree: "
				    "call_site=__fput+0x141/0x2a0 ptr=00000000839ae922");

	(void)state;
	assert_int_equal(l.kind, TRACE_LINE_EVENT);
	expect_part(l.comm, "bash");
	assert_int_equal(l.pid, 11865);
	assert_int_equal(l.cpu, 3);
	expect_part(l.flags, "d..1.");
	assert_int_equal(l.time_ns, 25088513499000);
	expect_part(l.name, "kfree");
	expect_field(&l, "call_site", "__fput+0x141/0x2a0");
	expect_field(&l, "ptr", "00000000839ae922");
	assert_false(trace_line_field(&l, "site", &l.comm));
}

static void options_add_or_leave_out_parts(void **state)
{
	struct trace_line l = parse(" x-7     (    42) [000] .....     0.000012345: kfree: ptr=1");

	(void)state;
	assert_int_equal(l.kind, TRACE_LINE_EVENT);
	expect_part(l.comm, "x");
	assert_int_equal(l.pid, 7);
	assert_int_equal(l.time_ns, 12345);
	l = parse(" x-7 [000] 123456: kfree: ptr=1"); /* the clock counts events; no flags */
	assert_int_equal(l.kind, TRACE_LINE_EVENT);
	assert_int_equal(l.time_ns, 123456);
	assert_int_equal(l.flags.len, 0);
}

static void a_name_may_look_like_anything(void **state)
{
	static const char *const names[] = {"a b", "x-1 [000] .....", "[1]", "-", "a:b: c", "(7)"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char text[128];
		struct trace_line l;

		snprintf(text, sizeof(text), "%16s-9     [001] ..... 1.000001: kfree: ptr=1",
			 names[i]);
		l = parse(text);
		assert_int_equal(l.kind, TRACE_LINE_EVENT);
		expect_part(l.comm, names[i]);
		assert_int_equal(l.pid, 9);
		assert_int_equal(l.cpu, 1);
	}
}

static void a_call_site_has_its_module(void **state)
{
	struct trace_line l =
		parse(" x-7 [000] ..... 1.0: kfree: call_site=f+0x1/0x2 [ext4 5be5a1] ptr=2");

	(void)state;
	expect_field(&l, "call_site", "f+0x1/0x2 [ext4 5be5a1]");
	expect_field(&l, "ptr", "2");
}

static void stacks_are_lines_of_their_own(void **state)
{
	struct trace_line l =
		parse("            bash-11865   [000] d..1. 25088.513525: <stack trace>");

	(void)state;
	assert_int_equal(l.kind, TRACE_LINE_STACK);
	expect_part(l.flags, "d..1.");
	l = parse(" => kmem_cache_free");
	assert_int_equal(l.kind, TRACE_LINE_FRAME);
	expect_part(l.fields, "kmem_cache_free");
}

static void what_is_missing_is_counted(void **state)
{
	struct trace_line l = parse("# entries-in-buffer/entries-written: 100/135   #P:2");

	(void)state;
	assert_int_equal(l.kind, TRACE_LINE_WRITTEN);
	assert_int_equal(l.nr, 35);
	l = parse("CPU:1 [LOST 42 EVENTS]");
	assert_int_equal(l.kind, TRACE_LINE_LOST);
	assert_int_equal(l.cpu, 1);
	assert_int_equal(l.nr, 42);
	assert_int_equal(parse("CPU:1 [LOST EVENTS]").nr, 1);
}

static void other_lines_are_other_lines(void **state)
{
	static const char *const texts[] = {
		"",
		"# tracer: nop",
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION",
		"##### CPU 1 buffer started ####",
		"bash-1 [000] ..... 1.0: no event",
		"bash-1 [000] ..... 1.0",
		"bash-99999999999999999999 [000] ..... 1.0: kfree: ptr=1",
		"bash-1 [99999999999999999999] ..... 1.0: kfree: ptr=1",
		"bash-1 [000",
		"-1 [",
		"CPU:",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(parse(texts[i]).kind, TRACE_LINE_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_has_its_parts),
		cmocka_unit_test(options_add_or_leave_out_parts),
		cmocka_unit_test(a_name_may_look_like_anything),
		cmocka_unit_test(a_call_site_has_its_module),
		cmocka_unit_test(stacks_are_lines_of_their_own),
		cmocka_unit_test(what_is_missing_is_counted),
		cmocka_unit_test(other_lines_are_other_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
