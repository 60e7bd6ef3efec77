// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <linux/perf_event.h>
#include <cmocka.h>

#include "builtin/perf/event-lines.h"

static struct source_facts facts;
static struct event_lines lines;
static struct source_event event = {.name = (char *)"sys:ev", .has_callchain = true};

static int setup(void **state)
{
	struct event_lines_style style = {0};
	static struct source_event *events[] = {&event};

	(void)state;
	source_facts_init(&facts);
	facts.events = events;
	facts.nr_events = 1;
	assert_int_equal(event_lines_parse_fields("tid,ip,sym,dso", &style.fields), 0);
	event_lines_init(&lines, &facts, &style, NULL, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	event_lines_deinit(&lines);
	facts.events = NULL;
	facts.nr_events = 0;
	source_facts_deinit(&facts);
	return 0;
}

static void map(uint32_t pid, uint64_t start, const char *path)
{
	const struct source_map m = {
		.pid = pid, .start = start, .length = 0x1000, .prot = PROT_EXEC, .path = path};

	assert_int_equal(event_lines_map(&lines, &m), 0);
}

/* Twice, which must make no difference. */
static void assert_frame(uint32_t pid, uint64_t address, const char *expected)
{
	const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, address};
	const struct sample sample = {.event = &event,
				      .pid = pid,
				      .tid = pid,
				      .callchain = (const uint8_t *)chain,
				      .nr_callchain = 2};
	struct error err = ERROR_INIT;
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%5u \n\t%s\n\n", pid, expected);
	for (int i = 0; i < 2; i++) {
		strbuf_reset(&lines.out);
		assert_int_equal(event_lines_add(&lines, &sample, "comm", &err), 0);
		assert_false(event_lines_failed(&lines));
		assert_string_equal(lines.out.buf, text.buf);
	}
	strbuf_deinit(&text);
}

static void test_frames_are_those_of_the_moment(void **state)
{
	(void)state;
	assert_frame(10, 0x400010, "          400010 [unknown] ([unknown])");
	map(10, 0x400000, "/none/first");
	assert_frame(10, 0x400010, "              10 [unknown] (/none/first)");
	map(10, 0x400000, "/none/second");
	assert_frame(10, 0x400010, "              10 [unknown] (/none/second)");
	assert_frame(11, 0x400010, "          400010 [unknown] ([unknown])");
	assert_int_equal(event_lines_process(&lines, PROCESS_FORKED, 11, 10), 0);
	assert_frame(11, 0x400010, "              10 [unknown] (/none/second)");
	assert_int_equal(event_lines_process(&lines, PROCESS_EXEC, 10, 0), 0);
	assert_frame(10, 0x400010, "          400010 [unknown] ([unknown])");
	assert_frame(11, 0x400010, "              10 [unknown] (/none/second)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frames_are_those_of_the_moment, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
