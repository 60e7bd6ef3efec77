// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames by frame pointers, in programs that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include "util/usersym/user_hint.h"

#define PID  41
#define USER ((uint64_t)PERF_CONTEXT_USER)

static struct source_facts facts;
static struct user_stacks *stacks;
static struct intern strings;
static struct strbuf hint;

static void map(uint64_t start, const char *path)
{
	const struct source_map m = {
		.pid = PID, .tid = PID, .start = start, .length = 0x10000, .path = path};

	assert_int_equal(user_stacks_map(stacks, &m), 0);
}

static int setup(void **state)
{
	(void)state;
	source_facts_init(&facts);
	intern_init(&strings);
	strbuf_init(&hint);
	return user_stacks_new(&stacks, &facts, NULL, NULL);
}

static int teardown(void **state)
{
	(void)state;
	user_stacks_free(stacks);
	intern_deinit(&strings);
	strbuf_deinit(&hint);
	source_facts_deinit(&facts);
	return 0;
}

static void request(uint64_t a, uint64_t b, unsigned int times)
{
	const uint64_t entries[] = {USER, a, b};
	const struct sample sample = {
		.pid = PID, .callchain = (const uint8_t *)entries, .nr_callchain = b ? 3 : 2};

	while (times--)
		assert_int_not_equal(
			user_stacks_line(stacks, user_stacks_chain(stacks, &sample), &strings),
			INTERN_NONE);
}

static void expect(const char *text)
{
	assert_true(user_hint_add(stacks, &hint));
	if (!strstr(hint.buf, text))
		fail_msg("'%s' is not in '%s'", text, hint.buf);
}

static void test_nothing_to_say(void **state)
{
	(void)state;
	assert_false(user_hint_add(stacks, &hint));
}

static void test_a_run_time_system_in_the_stack(void **state)
{
	(void)state;
	map(0x400000, "/nowhere/node");
	map(0x7f0000000000, "//anon");
	request(0x7f0000000123, 0x400456, 1);
	expect("Node.js: for the names of its functions run it as 'node --perf-basic-prof");
}

/* Its frames are not reached by frame pointers. */
static void test_a_run_time_system_of_the_process(void **state)
{
	(void)state;
	map(0x400000, "/nowhere/libjvm.so");
	map(0x7f0000000000, "//anon");
	request(0x7f0000000123, 0, 1);
	expect("-XX:+DumpPerfMapAtExit");
}

/* A Go program contains its run-time system. */
static void test_a_stack_that_ends_inside(void **state)
{
	(void)state;
	map(0x400000, "/nowhere/server");
	assert_int_equal(user_stacks_skip(stacks, "server", NULL), 0);
	request(0x400123, 0, 1);
	expect("most stacks end in '/nowhere/server' before the program's own code");
}

static void test_the_largest_reason_counts(void **state)
{
	(void)state;
	map(0x400000, "/nowhere/libc.so.6");
	map(0x500000, "/nowhere/python3.11");
	request(0x400123, 0, 3);
	request(0x500123, 0, 2);
	expect("100% of the allocations of user space have no source line, most stacks end in the "
	       "C library: record with --user-stacks=dwarf");
	request(0x500123, 0, 2);
	strbuf_reset(&hint);
	expect("'python3 -X perf'");
}

static void test_all_files_of_a_run_time_system_count_together(void **state)
{
	(void)state;
	map(0x400000, "/nowhere/libc.so.6");
	map(0x500000, "/nowhere/java");
	map(0x600000, "/nowhere/libjvm.so");
	request(0x400123, 0, 3);
	request(0x500123, 0, 2);
	request(0x600123, 0, 2);
	expect("are of Java:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing_to_say, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_run_time_system_in_the_stack, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_run_time_system_of_the_process, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_stack_that_ends_inside, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_largest_reason_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_files_of_a_run_time_system_count_together,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
