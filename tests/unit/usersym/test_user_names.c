// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of addresses in this very program, and of the libraries that it has mapped. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/usersym/user_names.h"

#ifdef HAVE_LIBELF
#define WITH_LIBELF 1
#else
#define WITH_LIBELF 0
#endif

#ifdef HAVE_LIBDW
#define WITH_LIBDW WITH_LIBELF
#else
#define WITH_LIBDW 0
#endif

static struct process_maps maps;
static struct source_facts facts;
static struct user_names names;

/* The mappings of this process, as in a recording. */
static __attribute__((noinline)) void add_own_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct source_map map = {.pid = (uint32_t)getpid()};
		uint64_t end;
		char path[2048] = "//anon", prot[8];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %2047s",
			   &map.start, &end, prot, &map.file_offset, &map.major, &map.minor,
			   &map.inode, path) < 7 ||
		    prot[2] != 'x')
			continue;
		map.length = end - map.start;
		map.path = path;
		assert_int_equal(process_maps_map(&maps, &map), 0);
	}
	fclose(f);
}

static int setup(void **state)
{
	(void)state;
	process_maps_init(&maps);
	source_facts_init(&facts);
	add_own_maps();
	return user_names_init(&names, &maps, &facts, NULL, NULL);
}

static int teardown(void **state)
{
	(void)state;
	user_names_deinit(&names);
	source_facts_deinit(&facts);
	process_maps_deinit(&maps);
	return 0;
}

static struct user_name name_of(uintptr_t address)
{
	struct mapped_address at;
	struct user_name name;

	assert_true(process_maps_find(&maps, (uint32_t)getpid(), address, &at));
	assert_int_equal(user_names_find(&names, at, &name), 0);
	return name;
}

/* Bit 0 of a pointer to Thumb code is not part of the address. */
static uintptr_t address_of(int (*function)(void **))
{
#ifdef __thumb__
	return (uintptr_t)function & ~(uintptr_t)1;
#else
	return (uintptr_t)function;
#endif
}

static void test_functions_of_the_program_have_names(void **state)
{
	struct user_name name = name_of(address_of(setup));

	(void)state;
	if (!WITH_LIBELF)
		skip_because("perf is built without libelf");
	assert_string_equal(name.symbol, "setup");
	assert_int_equal(name.offset, 0);
	assert_non_null(strstr(name.dso, "test_user_names"));
	name = name_of(address_of(teardown) + 1);
	assert_string_equal(name.symbol, "teardown");
	assert_int_equal(name.offset, 1);
}

static void test_functions_of_libraries_have_names(void **state)
{
	struct user_name name = name_of((uintptr_t)getpid);

	(void)state;
	if (!WITH_LIBELF)
		skip_because("perf is built without libelf");
	/* with a debug file, "__getpid", which is not weak */
	assert_non_null(name.symbol);
	assert_non_null(strstr(name.symbol, "getpid"));
	assert_non_null(strstr(name.dso, "libc"));
}

static void test_an_address_becomes_a_name_once(void **state)
{
	(void)state;
	if (!WITH_LIBELF)
		skip_because("perf is built without libelf");
	assert_ptr_equal(name_of((uintptr_t)setup).symbol, name_of((uintptr_t)setup + 1).symbol);
}

static void test_addresses_have_source_lines(void **state)
{
	const struct user_frame *frames, *again;
	struct mapped_address at;
	size_t nr;

	(void)state;
	assert_true(process_maps_find(&maps, (uint32_t)getpid(), (uintptr_t)add_own_maps, &at));
	assert_int_equal(user_names_lines(&names, at, &frames, &nr), 0);
	if (!nr) {
		assert_false(WITH_LIBDW);
		skip_because("perf is built without libdw");
	}
	assert_string_equal(frames[nr - 1].function, "add_own_maps");
	assert_non_null(strstr(frames[0].file, "test_user_names.c"));
	assert_true(frames[0].line > 0);
	assert_int_equal(user_names_lines(&names, at, &again, &nr), 0);
	assert_ptr_equal(again, frames);
}

/* Where nothing is known, the file is still named, and why there is nothing. */
static void test_a_file_that_is_not_there(void **state)
{
	const struct source_map map = {
		.pid = 1, .start = 0x1000, .length = 0x1000, .path = "/nonexistent/\033[2J"};
	struct mapped_address at;
	struct user_name name;

	(void)state;
	user_names_deinit(&names);
	assert_int_equal(process_maps_map(&maps, &map), 0);
	assert_int_equal(user_names_init(&names, &maps, &facts, NULL, NULL), 0);
	assert_true(process_maps_find(&maps, 1, 0x1010, &at));
	assert_null(user_names_why_not(&names, at.file));
	assert_int_equal(user_names_find(&names, at, &name), 0);
	assert_string_equal(name.dso, "/nonexistent/?[2J");
	assert_null(name.symbol);
	assert_int_equal(name.address, 0x10);
	assert_non_null(strstr(user_names_why_not(&names, at.file), "was not found"));
}

/* Facts of a recording of the running kernel. */
static void be_of_running_kernel(void)
{
	struct utsname u;

	assert_int_equal(uname(&u), 0);
	facts.osrelease = strdup(u.release);
	facts.arch = strdup(u.machine);
}

static void skip_without_vdso(void)
{
	skip_because("no libelf, or no vdso in this process (qemu-user has none on 32-bit ARM)");
}

/* Its functions have two names each, of which one is weak. */
static void test_functions_of_the_vdso_have_names(void **state)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	struct mapped_address at;
	unsigned int nr = 0;

	(void)state;
	if (!WITH_LIBELF || !start)
		skip_without_vdso();
	be_of_running_kernel();
	for (uintptr_t a = start; process_maps_find(&maps, (uint32_t)getpid(), a, &at); a += 4) {
		struct user_name name = name_of(a);

		assert_string_equal(name.dso, "[vdso]");
		if (!name.symbol || name.offset)
			continue;
		nr += strstr(name.symbol, "__vdso_") || strstr(name.symbol, "__kernel_");
	}
	assert_true(nr >= 2);
}

/* The vdso of another kernel is another library. */
static void test_the_vdso_of_another_kernel_is_not_ours(void **state)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);

	(void)state;
	if (!start)
		skip_without_vdso();
	facts.osrelease = strdup("3.2.1-another");
	facts.arch = strdup("x86_64");
	for (uintptr_t a = start; a < start + 4096; a += 16)
		assert_null(name_of(a).symbol);
}

static bool has_line(const char *path, mode_t mode)
{
	FILE *f = fopen(path, "w");

	return f && fputs("7000 100 planted\n", f) > 0 && !fclose(f) && !chmod(path, mode);
}

static bool is_link(const char *path)
{
	return !symlink("/etc/passwd", path);
}

static bool is_fifo(const char *path)
{
	return !mkfifo(path, 0600);
}

static bool is_open_to_all(const char *path)
{
	return has_line(path, 0666);
}

static bool is_of_another(const char *path)
{
	return has_line(path, 0644) && !chown(path, 12345, 12345);
}

static bool is_huge(const char *path)
{
	return has_line(path, 0644) && !truncate(path, (off_t)1 << 40);
}

/* Code that is made at run time, of which its maker has written a map. */
static void test_code_made_at_run_time_has_names(void **state)
{
	static const char text[] = "7000 100 a function\n7100 80 another\n";
	struct source_map map = {.start = 0x7000, .length = 0x1000, .path = "//anon"};
	struct mapped_address at;
	struct user_name name;
	char path[64];
	FILE *f;

	(void)state;
	map.pid = (uint32_t)getpid();
	be_of_running_kernel();
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", map.pid);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	fclose(f);
	chmod(path, 0644);
	user_names_deinit(&names);
	assert_int_equal(process_maps_map(&maps, &map), 0);
	assert_int_equal(user_names_init(&names, &maps, &facts, NULL, NULL), 0);
	assert_true(process_maps_find(&maps, map.pid, 0x7010, &at));
	assert_int_equal(user_names_find(&names, at, &name), 0);
	assert_string_equal(name.dso, "//anon");
	assert_string_equal(name.symbol, "a function");
	assert_int_equal(name.offset, 0x10);
	assert_true(process_maps_find(&maps, map.pid, 0x7180, &at));
	assert_int_equal(user_names_find(&names, at, &name), 0);
	assert_null(name.symbol);
	unlink(path);
}

/* Files that anybody may have put there are not used, and a warning says so. */
static void test_a_map_that_others_made_is_refused(void **state)
{
	static const struct {
		const char *why;
		bool (*make)(const char *path);
	} maps_of_others[] = {
		{"link", is_link},
		{"regular", is_fifo},
		{"others than its owner", is_open_to_all},
		{"belongs to user 12345", is_of_another},
		{"MiB", is_huge},
	};
	struct source_map map = {.start = 0x7000, .length = 0x1000, .path = "//anon"};
	struct mapped_address at;
	struct user_name name;
	char path[64];

	(void)state;
	map.pid = (uint32_t)getpid();
	be_of_running_kernel();
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", map.pid);
	assert_int_equal(process_maps_map(&maps, &map), 0);
	assert_true(process_maps_find(&maps, map.pid, 0x7010, &at));
	for (size_t i = 0; i < sizeof(maps_of_others) / sizeof(maps_of_others[0]); i++) {
		if (!maps_of_others[i].make(path)) {
			unlink(path);
			continue; /* only root can */
		}
		user_names_deinit(&names);
		assert_int_equal(user_names_init(&names, &maps, &facts, NULL, NULL), 0);
		assert_int_equal(user_names_find(&names, at, &name), 0);
		unlink(path);
		assert_null(name.symbol);
		assert_non_null(user_names_why_not(&names, at.file));
		assert_non_null(strstr(user_names_why_not(&names, at.file), path));
		assert_non_null(strstr(user_names_why_not(&names, at.file), maps_of_others[i].why));
	}
	/* a missing file is not reported */
	user_names_deinit(&names);
	assert_int_equal(user_names_init(&names, &maps, &facts, NULL, NULL), 0);
	assert_int_equal(user_names_find(&names, at, &name), 0);
	assert_null(user_names_why_not(&names, at.file));
}

/* The recording says that another file was there: its names would be wrong. */
static void test_a_file_that_was_replaced_is_refused(void **state)
{
	static const uint8_t id[BUILD_ID_MAX] = {1, 2, 3, 4};
	char path[1024];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct source_map map = {.pid = 1, .start = 0x1000, .length = 0x100000};
	struct mapped_address at;
	struct user_name name;

	(void)state;
	if (!WITH_LIBELF)
		skip_because("perf is built without libelf");
	assert_true(len > 0);
	path[len] = '\0';
	map.path = path;
	for (int by_build_id = 0; by_build_id < 2; by_build_id++) {
		user_names_deinit(&names);
		map.inode = by_build_id ? 0 : 1;
		map.build_id = by_build_id ? id : NULL;
		map.build_id_size = by_build_id ? sizeof(id) : 0;
		assert_int_equal(process_maps_map(&maps, &map), 0);
		assert_int_equal(user_names_init(&names, &maps, &facts, NULL, NULL), 0);
		assert_true(process_maps_find(&maps, 1, 0x9000, &at));
		assert_int_equal(user_names_find(&names, at, &name), 0);
		assert_null(name.symbol);
		assert_non_null(strstr(user_names_why_not(&names, at.file),
				       by_build_id ? "0102030400" : "was replaced"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(test_functions_of_the_program_have_names),
		TEST(test_functions_of_libraries_have_names),
		TEST(test_an_address_becomes_a_name_once),
		TEST(test_addresses_have_source_lines),
		TEST(test_a_file_that_is_not_there),
		TEST(test_functions_of_the_vdso_have_names),
		TEST(test_the_vdso_of_another_kernel_is_not_ours),
		TEST(test_code_made_at_run_time_has_names),
		TEST(test_a_map_that_others_made_is_refused),
		TEST(test_a_file_that_was_replaced_is_refused),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
