// SPDX-License-Identifier: GPL-2.0-or-later
/* Which samples are counted as the same, also when tasks and address spaces change between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mman.h>

#include "util/profile/profile.h"
#include "util/source/facts.h"

#define PID	7
#define ADDRESS 0x401010

static struct source_facts facts;
static struct source_event event = {.period = 1, .name = (char *)(uintptr_t) "cpu-clock"};
static struct profile profile;

static int setup(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	source_facts_init(&facts);
	assert_int_equal(profile_init(&profile, &facts, PROFILE_COMM, NULL, &err), 0);
	assert_int_equal(profile_take_comm(&profile, PID, "sh"), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	profile_deinit(&profile);
	source_facts_deinit(&facts);
	return 0;
}

static void add(int32_t cpu, uint64_t ip)
{
	const struct sample s = {
		.event = &event, .pid = PID, .tid = PID, .cpu = cpu, .ip = ip, .in_user = true};

	assert_int_equal(profile_add(&profile, &s, 0), 0);
}

static void map(const char *path)
{
	const struct source_map m = {.pid = PID,
				     .tid = PID,
				     .start = 0x401000,
				     .length = 0x1000,
				     .prot = PROT_READ | PROT_EXEC,
				     .path = path};

	assert_int_equal(profile_take_map(&profile, &m), 0);
}

static uint64_t nr_of(uint32_t row)
{
	return profile_row(&profile, row)->nr;
}

static void samples_that_are_the_same_are_one_row(void **state)
{
	(void)state;
	add(0, ADDRESS);
	add(1, ADDRESS);
	add(0, ADDRESS + 1);
	add(0, ADDRESS);
	assert_int_equal(profile.rows.nr, 2);
	assert_int_equal(nr_of(0), 3);
	assert_int_equal(nr_of(1), 1);
}

static void cpus_are_told_apart_if_asked_for(void **state)
{
	(void)state;
	profile.parts |= PROFILE_CPU;
	add(0, ADDRESS);
	add(1, ADDRESS);
	add(0, ADDRESS);
	assert_int_equal(profile.rows.nr, 2);
	assert_int_equal(nr_of(0), 2);
}

static void a_task_that_gets_another_name_is_another_row(void **state)
{
	(void)state;
	add(0, ADDRESS);
	assert_int_equal(profile_take_comm(&profile, PID, "make"), 0);
	add(0, ADDRESS);
	assert_int_equal(profile.rows.nr, 2);
	assert_int_not_equal(profile_row(&profile, 0)->comm, profile_row(&profile, 1)->comm);
}

static void a_thread_has_the_name_of_its_parent_from_the_fork_on(void **state)
{
	(void)state;
	assert_int_equal(profile_take_comm(&profile, PID + 1, "make"), 0);
	add(0, ADDRESS);
	assert_int_equal(profile_take_fork(&profile, PID + 1, PID), 0);
	add(0, ADDRESS);
	assert_int_equal(profile.rows.nr, 2);
	assert_string_equal(profile_string(&profile, profile_row(&profile, 1)->comm), "make");
}

static void what_is_mapped_there_later_is_another_place(void **state)
{
	(void)state;
	map("/bin/one");
	add(0, ADDRESS);
	map("/bin/two");
	add(0, ADDRESS);
	map("/bin/one");
	add(0, ADDRESS);
	assert_int_equal(profile.rows.nr, 2);
	assert_int_equal(nr_of(0), 2);
}

static void after_an_exec_an_address_is_another_place(void **state)
{
	(void)state;
	map("/bin/one");
	add(0, ADDRESS);
	assert_int_equal(profile_take_process(&profile, PROCESS_EXEC, PID, 0), 0);
	add(0, ADDRESS);
	assert_int_equal(profile.rows.nr, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_that_are_the_same_are_one_row),
		TEST(cpus_are_told_apart_if_asked_for),
		TEST(a_task_that_gets_another_name_is_another_row),
		TEST(a_thread_has_the_name_of_its_parent_from_the_fork_on),
		TEST(what_is_mapped_there_later_is_another_place),
		TEST(after_an_exec_an_address_is_another_place),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
