// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/machine/process_maps.h"

static struct process_maps maps;

static int setup(void **state)
{
	(void)state;
	process_maps_init(&maps);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	process_maps_deinit(&maps);
	return 0;
}

static void add_map(uint32_t pid, uint64_t start, uint64_t length, uint64_t offset,
		    const char *path)
{
	const struct source_map map = {.pid = pid,
				       .tid = pid,
				       .start = start,
				       .length = length,
				       .file_offset = offset,
				       .path = path};

	assert_int_equal(process_maps_map(&maps, &map), 0);
}

static void change(enum source_process_change what, uint32_t pid, uint32_t parent)
{
	assert_int_equal(process_maps_change(&maps, what, pid, parent), 0);
}

/* path: NULL if nothing is mapped there */
static void check(uint32_t pid, uint64_t address, const char *path, uint64_t offset)
{
	struct mapped_address at;

	if (!path) {
		assert_false(process_maps_find(&maps, pid, address, &at));
		return;
	}
	assert_true(process_maps_find(&maps, pid, address, &at));
	assert_string_equal(process_maps_file(&maps, at.file).path, path);
	assert_int_equal(at.offset, offset);
}

static void test_an_address_is_a_file_and_an_offset(void **state)
{
	(void)state;
	add_map(7, 0x1000, 0x2000, 0x500, "/bin/a");
	check(7, 0xfff, NULL, 0);
	check(7, 0x1000, "/bin/a", 0x500);
	check(7, 0x2fff, "/bin/a", 0x24ff);
	check(7, 0x3000, NULL, 0);
	check(8, 0x1000, NULL, 0);
}

static void test_a_later_map_cuts_earlier_ones(void **state)
{
	(void)state;
	add_map(7, 0x1000, 0x4000, 0, "/bin/a");
	add_map(7, 0x2000, 0x1000, 0x100, "/bin/b");
	check(7, 0x1fff, "/bin/a", 0xfff);
	check(7, 0x2000, "/bin/b", 0x100);
	check(7, 0x3000, "/bin/a", 0x2000);
	add_map(7, 0x1800, 0x3000, 0, "/bin/c"); /* the end of a, b, and the beginning of a */
	check(7, 0x17ff, "/bin/a", 0x7ff);
	check(7, 0x2800, "/bin/c", 0x1000);
	check(7, 0x4800, "/bin/a", 0x3800);
	check(7, 0x5000, NULL, 0);
}

static void test_a_forked_process_has_a_copy(void **state)
{
	(void)state;
	add_map(7, 0x1000, 0x1000, 0, "/bin/a");
	add_map(7, 0x3000, 0x1000, 0, "/bin/b");
	change(PROCESS_FORKED, 8, 7);
	add_map(8, 0x1800, 0x100, 0, "/lib/c");
	add_map(7, 0x3000, 0x800, 0, "/lib/d");
	check(7, 0x1800, "/bin/a", 0x800);
	check(8, 0x1800, "/lib/c", 0);
	check(7, 0x3000, "/lib/d", 0);
	check(8, 0x3000, "/bin/b", 0);
	change(PROCESS_FORKED, 8, 9); /* of which nothing is known: it is another process */
	check(8, 0x3000, NULL, 0);
}

static void test_exec_and_a_process_found_running_start_empty(void **state)
{
	(void)state;
	add_map(7, 0x1000, 0x1000, 0, "/bin/a");
	change(PROCESS_FORKED, 8, 7);
	change(PROCESS_EXEC, 8, 0);
	check(8, 0x1000, NULL, 0);
	check(7, 0x1000, "/bin/a", 0);
	change(PROCESS_NEW, 9, 7);
	check(9, 0x1000, NULL, 0);
}

static void test_a_process_is_known_for_some_time_after_its_end(void **state)
{
	(void)state;
	add_map(7, 0x1000, 0x1000, 0, "/bin/a");
	change(PROCESS_EXITED, 7, 0);
	check(7, 0x1000, "/bin/a", 0);
	for (uint32_t pid = 1000; pid < 1000 + PROCESS_MAPS_ENDED_MAX; pid++) {
		add_map(pid, 0x1000, 0x1000, 0, "/bin/a");
		change(PROCESS_EXITED, pid, 0);
	}
	check(7, 0x1000, NULL, 0);
	check(1000, 0x1000, "/bin/a", 0);
	/* one whose number is used again is not forgotten */
	change(PROCESS_EXITED, 1001, 0);
	add_map(1001, 0x1000, 0x1000, 0, "/bin/b");
	for (uint32_t pid = 5000; pid < 5000 + 3 * PROCESS_MAPS_ENDED_MAX; pid++) {
		add_map(pid, 0x1000, 0x1000, 0, "/bin/a");
		change(PROCESS_EXITED, pid, 0);
	}
	check(1001, 0x1000, "/bin/b", 0);
	assert_true(maps.processes.nr < 2 * PROCESS_MAPS_ENDED_MAX);
}

static void test_files_are_told_apart_by_what_identifies_them(void **state)
{
	static const uint8_t id[BUILD_ID_MAX] = {1, 2, 3};
	struct source_map map = {.pid = 7, .start = 0x1000, .length = 0x1000, .path = "/bin/a"};
	struct mapped_address at;

	(void)state;
	assert_int_equal(process_maps_map(&maps, &map), 0);
	map.pid = 8;
	assert_int_equal(process_maps_map(&maps, &map), 0);
	assert_int_equal(process_maps_nr_files(&maps), 1);
	map.inode = 12;
	assert_int_equal(process_maps_map(&maps, &map), 0);
	assert_int_equal(process_maps_nr_files(&maps), 2);
	map.build_id = id;
	map.build_id_size = sizeof(id);
	assert_int_equal(process_maps_map(&maps, &map), 0);
	assert_int_equal(process_maps_nr_files(&maps), 3);
	assert_true(process_maps_find(&maps, 8, 0x1000, &at));
	assert_int_equal(process_maps_file(&maps, at.file).build_id_size, sizeof(id));
	assert_memory_equal(process_maps_file(&maps, at.file).build_id, id, sizeof(id));
	assert_int_equal(process_maps_file(&maps, at.file).inode, 12);
	assert_int_equal(process_maps_file(&maps, 0).pid, 7);
}

static void test_memory_of_no_file_is_its_process(void **state)
{
	struct mapped_address a, b;

	(void)state;
	add_map(7, 0x1000, 0x1000, 0x77, "//anon");
	add_map(8, 0x1000, 0x1000, 0x77, "//anon");
	check(7, 0x1234, "//anon", 0x1234);
	assert_true(process_maps_find(&maps, 7, 0x1000, &a));
	assert_true(process_maps_find(&maps, 8, 0x1000, &b));
	assert_int_not_equal(a.file, b.file);
	assert_int_equal(process_maps_file(&maps, b.file).pid, 8);
	assert_true(process_maps_file(&maps, b.file).is_private);
}

static void test_broken_ranges_do_no_harm(void **state)
{
	(void)state;
	add_map(7, UINT64_MAX - 10, 100, 0, "/bin/a");
	check(7, UINT64_MAX - 1, "/bin/a", 9);
	add_map(7, 5, 0, 0, "/bin/a");
	check(7, 5, NULL, 0);
	add_map(7, 0, UINT64_MAX, 0, "/bin/b");
	check(7, UINT64_MAX - 1, "/bin/b", UINT64_MAX - 1);
}

/* The same as above, done with arrays. */
#define SPACE	  200
#define PROCESSES 6

static void test_random_maps_and_forks_equal_a_model(void **state)
{
	static struct {
		int file;
		uint64_t offset;
	} model[PROCESSES][SPACE];
	static const char *const paths[] = {NULL, "/a", "/b", "/c", "/d"};

	(void)state;
	srand(1);
	for (int step = 0; step < 20000; step++) {
		int pid = rand() % PROCESSES, other = rand() % PROCESSES;

		if (rand() % 8) {
			int start = rand() % SPACE, length = 1 + rand() % 40;
			int file = 1 + rand() % 4, offset = rand() % 1000;

			add_map((uint32_t)pid, (uint64_t)start, (uint64_t)length, (uint64_t)offset,
				paths[file]);
			for (int i = start; i < start + length && i < SPACE; i++) {
				model[pid][i].file = file;
				model[pid][i].offset = (uint64_t)(offset + i - start);
			}
		} else if (rand() % 3 && pid != other) {
			change(PROCESS_FORKED, (uint32_t)pid, (uint32_t)other);
			memcpy(model[pid], model[other], sizeof(model[pid]));
		} else if (!(rand() % 4)) {
			change(PROCESS_EXEC, (uint32_t)pid, 0);
			memset(model[pid], 0, sizeof(model[pid]));
		}
		for (int i = 0; i < SPACE; i += 7)
			check((uint32_t)pid, (uint64_t)i, paths[model[pid][i].file],
			      model[pid][i].offset);
	}
	for (int pid = 0; pid < PROCESSES; pid++)
		for (int i = 0; i < SPACE; i++)
			check((uint32_t)pid, (uint64_t)i, paths[model[pid][i].file],
			      model[pid][i].offset);
	/* nothing is kept that nobody has */
	for (uint32_t pid = 0; pid < PROCESSES; pid++)
		change(PROCESS_EXEC, pid, 0);
	add_map(1, 0, 1, 0, "/a");
	assert_true(maps.nr_nodes < 4 * PROCESSES * SPACE);
}

/* A process with many maps, forked again and again, each with a map of its own: copies would take
 * gigabytes. */
static void test_many_forks_of_many_maps_share_them(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 50000; i++)
		add_map(1, i * 0x1000, 0x800, i, "/bin/a");
	for (uint32_t pid = 2; pid < 20000; pid++) {
		change(PROCESS_FORKED, pid, pid - 1);
		add_map(pid, (uint64_t)pid * 0x1000, 0x1000, 0, "/bin/b");
	}
	check(19999, 19998 * 0x1000ull, "/bin/b", 0);
	check(19999, 49999 * 0x1000ull, "/bin/a", 49999);
	check(19998, 19999 * 0x1000ull, "/bin/a", 19999);
	assert_true(maps.nr_nodes < 50000 + 20000 * 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(test_an_address_is_a_file_and_an_offset),
		TEST(test_a_later_map_cuts_earlier_ones),
		TEST(test_a_forked_process_has_a_copy),
		TEST(test_exec_and_a_process_found_running_start_empty),
		TEST(test_a_process_is_known_for_some_time_after_its_end),
		TEST(test_files_are_told_apart_by_what_identifies_them),
		TEST(test_memory_of_no_file_is_its_process),
		TEST(test_broken_ranges_do_no_harm),
		TEST(test_random_maps_and_forks_equal_a_model),
		TEST(test_many_forks_of_many_maps_share_them),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
