// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames by frame pointers, in programs that are not there. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include "tests/unit/skip.h"
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

/* A function that the built-in rules skip. */
static __attribute__((noinline)) int xmalloc(const char *text)
{
	return (int)strlen(text);
}

/* Map the part of this program that has the address. Returns its path. */
static const char *map_own_code(uintptr_t address)
{
	static char path[2048];
	struct source_map m = {.pid = PID, .tid = PID, .path = path};
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];
	uint64_t end = 0;

	assert_non_null(f);
	while (end <= address && fgets(line, sizeof(line), f))
		sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %2047s",
		       &m.start, &end, &m.file_offset, &m.major, &m.minor, &m.inode, path);
	fclose(f);
	m.length = end - m.start;
	assert_int_equal(user_stacks_map(stacks, &m), 0);
	return path;
}

/* A Go program contains its run-time system. */
static void test_a_stack_that_ends_inside(void **state)
{
	char *text;

	(void)state;
#ifndef HAVE_LIBELF
	skip_because("perf is built without libelf");
#endif
	assert_true(asprintf(&text, "end in '%s' before the program's own code",
			     map_own_code((uintptr_t)xmalloc)) > 0);
	request((uintptr_t)xmalloc, 0, (unsigned int)xmalloc("x"));
	expect(text);
	free(text);
}

/* Skipped by a built-in rule or by the user. */
static void test_a_stack_that_ends_in_a_library(void **state)
{
	(void)state;
	map(0x400000, "/nowhere/libjemalloc.so.2");
	request(0x400123, 0, 1);
	expect("end in '/nowhere/libjemalloc.so.2': record with --user-stacks=dwarf");
	map(0x500000, "/nowhere/libcpool.so");
	assert_int_equal(user_stacks_skip(stacks, "libcpool", NULL), 0);
	request(0x500123, 0, 2);
	strbuf_reset(&hint);
	expect("end in '/nowhere/libcpool.so': record with --user-stacks=dwarf");
}

static void test_the_largest_reason_counts(void **state)
{
	(void)state;
	map(0x400000, "/nowhere/libc.so.6");
	map(0x500000, "/nowhere/python3.11");
	request(0x400123, 0, 3);
	request(0x500123, 0, 2);
	expect("100% of the allocations of user space have no source line, 60% have stacks that "
	       "end in '/nowhere/libc.so.6': record with --user-stacks=dwarf");
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
		cmocka_unit_test_setup_teardown(test_a_stack_that_ends_in_a_library, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_the_largest_reason_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_files_of_a_run_time_system_count_together,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
