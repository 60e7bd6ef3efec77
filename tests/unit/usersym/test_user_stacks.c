// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames by frame pointers, in programs that are not there: what is known of them without names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include "util/usersym/user_stacks.h"

#define PID 41

static struct source_facts facts;
static struct user_stacks *stacks;
static struct intern strings;

static void map(uint32_t pid, uint64_t start, const char *path)
{
	const struct source_map m = {.pid = pid,
				     .tid = pid,
				     .start = start,
				     .length = 0x10000,
				     .file_offset = 0x1000,
				     .path = path};

	assert_int_equal(user_stacks_map(stacks, &m), 0);
}

static int setup(void **state)
{
	(void)state;
	source_facts_init(&facts);
	intern_init(&strings);
	assert_int_equal(user_stacks_new(&stacks, &facts, NULL, NULL), 0);
	map(PID, 0x400000, "/nowhere/program");
	map(PID, 0x7f0000000000, "/nowhere/libc.so.6");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	user_stacks_free(stacks);
	intern_deinit(&strings);
	source_facts_deinit(&facts);
	return 0;
}

static uint32_t chain_of(uint32_t pid, const uint64_t *entries, uint64_t nr)
{
	const struct sample sample = {
		.pid = pid, .callchain = (const uint8_t *)entries, .nr_callchain = nr};

	return user_stacks_chain(stacks, &sample);
}

static const char *string(uint32_t number)
{
	assert_int_not_equal(number, INTERN_NONE);
	return intern_get(&strings, number, NULL);
}

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)

/* The C library's part of a system call is not who allocates. */
static void test_the_caller_of_the_library(void **state)
{
	static const uint64_t entries[] = {KERNEL,	   0xffffffff81000000, USER,
					   0x7f0000000123, 0x400456,	       0x400789};
	uint32_t chain = chain_of(PID, entries, 6);
	struct frame_chain frames;
	struct user_name name;

	(void)state;
	frames = user_stacks_frames(stacks, chain);
	assert_int_equal(frames.nr, 3);
	for (size_t i = 0; i < frames.nr; i++)
		assert_true(user_stacks_is_frame(frame_chain_at(&frames, i)));
	assert_true(user_stacks_name(stacks, frame_chain_at(&frames, 2), &name));
	assert_string_equal(name.dso, "/nowhere/program");
	assert_null(name.symbol);
	assert_true(name.address == 0x1789);
	assert_string_equal(string(user_stacks_symbol(stacks, chain, &strings)),
			    "0x1456 [program]");
	assert_string_equal(string(user_stacks_dso(stacks, chain, &strings)), "/nowhere/program");
	assert_string_equal(string(user_stacks_line(stacks, chain, &strings)), "[program]");
}

static int nr_told;

static void tell(void *ctx, const char *why_not)
{
	nr_told += strstr(why_not, ctx) != NULL;
}

static void test_what_is_not_found_is_told(void **state)
{
	static const uint64_t entries[] = {USER, 0x400456};
	char path[] = "/nowhere/program";

	(void)state;
	nr_told = 0;
	user_stacks_symbol(stacks, chain_of(PID, entries, 2), &strings);
	assert_int_equal(user_stacks_unknown(stacks, 5, tell, path), 1);
	assert_int_equal(nr_told, 1);
	assert_int_equal(user_stacks_unknown(stacks, 0, tell, path), 1);
	assert_int_equal(nr_told, 1);
}

/* A frame is a place in a file, wherever a process has it; without a map it is an address. */
static void test_frames_of_processes(void **state)
{
	static const uint64_t entries[] = {USER, 0x400456}, elsewhere[] = {USER, 0x500456};
	uint32_t first = chain_of(PID, entries, 2);

	(void)state;
	map(PID + 1, 0x500000, "/nowhere/program");
	assert_int_equal(chain_of(PID + 1, elsewhere, 2), first);
	assert_int_not_equal(chain_of(PID + 2, entries, 2), first);
	assert_string_equal(
		string(user_stacks_symbol(stacks, chain_of(PID + 2, entries, 2), &strings)),
		"0x400456 [unknown]");
	/* a child has its parent's; another program none of them */
	assert_int_equal(user_stacks_process(stacks, PROCESS_FORKED, PID + 3, PID), 0);
	assert_int_equal(chain_of(PID + 3, entries, 2), first);
	assert_int_equal(user_stacks_process(stacks, PROCESS_EXEC, PID + 3, 0), 0);
	assert_int_not_equal(chain_of(PID + 3, entries, 2), first);
	assert_int_equal(chain_of(PID, entries, 2), first);
}

static void test_no_user_frames(void **state)
{
	static const uint64_t entries[] = {KERNEL, 0xffffffff81000000};
	uint32_t chain = chain_of(0, entries, 2);

	(void)state;
	assert_int_equal(user_stacks_frames(stacks, chain).nr, 0);
	assert_string_equal(string(user_stacks_symbol(stacks, chain, &strings)), "none");
	assert_string_equal(string(user_stacks_dso(stacks, chain, &strings)), "none");
	assert_string_equal(string(user_stacks_line(stacks, chain, &strings)), "none");
}

/* Chains of any length, and with markers that no kernel writes. */
static void test_chains_that_make_no_sense(void **state)
{
	static uint64_t entries[1000];

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		entries[i] = i % 7 ? USER - i % 3 : 0x400000 + i;
	entries[0] = USER;
	assert_in_range(user_stacks_frames(stacks, chain_of(PID, entries, 1000)).nr, 0,
			USER_FRAMES_MAX);
	for (size_t i = 1; i < 1000; i++)
		entries[i] = i;
	assert_int_equal(user_stacks_frames(stacks, chain_of(PID, entries, 1000)).nr,
			 USER_FRAMES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_caller_of_the_library, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_not_found_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(test_frames_of_processes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_user_frames, setup, teardown),
		cmocka_unit_test_setup_teardown(test_chains_that_make_no_sense, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
