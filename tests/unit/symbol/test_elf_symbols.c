// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbols of small programs (tests/programs) against those that nm and objdump list. */
#include <elf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/programs.h"
#include "tests/unit/skip.h"
#include "util/usersym/elf_functions.h"

#ifdef HAVE_LIBELF
#define WITH_LIBELF 1
#else
#define WITH_LIBELF 0
#endif

/* ---- symbols that are made here: what overlaps ---- */

static struct elf_symbols symbols;

static void add(uint64_t start, uint64_t size, const char *name, uint32_t rank)
{
	const struct elf_symbol sym = {
		.start = start, .end = start + size, .name = name, .has_size = true, .rank = rank};

	assert_int_equal(elf_symbols_add(&symbols, &sym), 0);
}

static void check(uint64_t address, const char *name, uint64_t function)
{
	const struct elf_symbol *sym = elf_symbols_find(&symbols, address);

	if (!name) {
		assert_null(sym);
		return;
	}
	assert_non_null(sym);
	assert_string_equal(sym->name, name);
	assert_int_equal(sym->function, function);
}

static void test_an_address_belongs_to_what_starts_last(void **state)
{
	(void)state;
	add(0x100, 0x100, "outer", 1);
	add(0x120, 0x20, "inner", 1);
	add(0x130, 0x08, "innermost", 1);
	add(0x1f0, 0x20, "across", 1);
	assert_int_equal(elf_symbols_arrange(&symbols), 0);
	check(0xff, NULL, 0);
	check(0x100, "outer", 0x100);
	check(0x12f, "inner", 0x120);
	check(0x137, "innermost", 0x130);
	check(0x138, "inner", 0x120);
	check(0x140, "outer", 0x100);
	check(0x1f0, "across", 0x1f0);
	check(0x20f, "across", 0x1f0);
	check(0x210, NULL, 0);
	elf_symbols_deinit(&symbols);
}

static void test_of_several_names_the_best_one_stays(void **state)
{
	(void)state;
	add(0x100, 0x10, "worse", 1);
	add(0x100, 0x10, "better", 2);
	add(0x200, 0x10, "short", 1);
	add(0x200, 0x10, "longer", 1);
	assert_int_equal(elf_symbols_arrange(&symbols), 0);
	assert_int_equal(symbols.nr, 2);
	check(0x100, "better", 0x100);
	check(0x200, "longer", 0x200);
	elf_symbols_deinit(&symbols);
}

static void test_what_has_no_size_ends_where_the_next_one_starts(void **state)
{
	const struct elf_symbol assembly = {.start = 0x100, .end = 0x1000, .name = "assembly"};
	const struct elf_symbol label = {
		.start = 0x208, .end = 0x1000, .name = "label", .is_label = true};

	(void)state;
	assert_int_equal(elf_symbols_add(&symbols, &assembly), 0);
	assert_int_equal(elf_symbols_add(&symbols, &label), 0);
	add(0x200, 0x10, "function", 1);
	assert_int_equal(elf_symbols_arrange(&symbols), 0);
	check(0x1ff, "assembly", 0x100);
	check(0x208, "function", 0x200); /* a label in a function does not end it */
	check(0x210, NULL, 0);
	elf_symbols_deinit(&symbols);
}

/* ---- programs ---- */

static struct elf_file file, debug;

static char *open_program(const char *name)
{
	char *path = WITH_LIBELF ? program_path(name) : NULL;

	if (!path)
		skip_because("perf is built without libelf, or the test programs are not built");
	assert_int_equal(elf_file_open(&file, path, NULL), 0);
	return path;
}

/* The lines "ADDRESS REST" of the output of a command for sh; returns how many could be compared.
 */
static unsigned int compare_lines(const char *format, const char *path,
				  bool (*compare)(uint64_t address, char *rest))
{
	unsigned int nr = 0;
	char line[1024], *command;
	FILE *f;

	assert_true(asprintf(&command, "%s '%s'", format, path) > 0);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *rest;
		uint64_t address = strtoull(line, &rest, 16);

		line[strcspn(line, "\n")] = '\0';
		if (!address || *rest != ' ')
			continue;
		nr += compare(address, rest + 1);
	}
	assert_int_equal(pclose(f), 0);
	free(command);
	return nr;
}

/* "SIZE t NAME": several names may have the address. _.stapsdt.base is a weak name of data. */
static bool compare_function(uint64_t address, char *rest)
{
	const struct elf_symbol *first = elf_symbols_find(&symbols, address);
	char name[512], type;
	uint64_t size;

	if (sscanf(rest, "%" SCNx64 " %c %511s", &size, &type, name) != 3 ||
	    !strchr("tTwWi", type) || !strcmp(name, "_.stapsdt.base"))
		return false;
	if (!first || first->function != address || !elf_symbols_find(&symbols, address + size - 1))
		fail_msg("%#" PRIx64 ": not the %" PRIu64 " bytes of %s", address, size, name);
	return true;
}

/* "<NAME@plt>:" */
static bool compare_plt(uint64_t address, char *rest)
{
	const struct elf_symbol *sym = elf_symbols_find(&symbols, address);
	char *end = strstr(rest, "@plt>:");

	if (rest[0] != '<' || !end || !strncmp(rest, "<*ABS*", 6))
		return false;
	*end = '\0';
	if (!sym) {
		fail_msg("%#" PRIx64 ": nothing, not %s@plt", address, rest + 1);
		return false;
	}
	assert_true(sym->is_plt);
	assert_string_equal(sym->name, rest + 1);
	assert_int_equal(sym->start, address);
	return true;
}

static void test_functions_are_those_of_nm(void **state)
{
	static const char *const names[] = {"pie", "fixed", "static", "libinlined.so"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = open_program(names[i]);

		assert_int_equal(elf_functions_read(&symbols, &file, NULL, NULL, NULL), 0);
		assert_true(compare_lines("${NM:-nm} -S", path, compare_function) >= 2);
		elf_symbols_deinit(&symbols);
		elf_file_close(&file);
		free(path);
	}
}

static void test_entries_of_the_linkage_table_are_those_of_objdump(void **state)
{
	static const char *const names[] = {"pie", "fixed", "libinlined.so", "stripped"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = open_program(names[i]);

		assert_int_equal(elf_functions_read(&symbols, &file, NULL, NULL, NULL), 0);
		assert_true(compare_lines("${OBJDUMP:-objdump} -d", path, compare_plt) >= 2);
		elf_symbols_deinit(&symbols);
		elf_file_close(&file);
		free(path);
	}
}

static void test_a_stripped_program_has_the_names_of_its_debug_file(void **state)
{
	char *path = open_program("stripped"), *debug_path = program_path("stripped.debug");
	const char *link;
	unsigned int nr = 0;

	(void)state;
	link = elf_file_debuglink(&file);
	assert_non_null(link);
	assert_string_equal(link, "stripped.debug");
	assert_int_equal(elf_file_open(&debug, debug_path, NULL), 0);
	assert_int_equal(debug.build_id_size, file.build_id_size);
	assert_memory_equal(debug.build_id, file.build_id, sizeof(file.build_id));
	assert_int_equal(elf_functions_read(&symbols, &file, &debug, NULL, NULL), 0);
	for (size_t i = 0; i < symbols.nr; i++)
		nr += !strcmp(symbols.v[i].name, "outer_function");
	assert_int_equal(nr, 1);
	elf_symbols_deinit(&symbols);
	elf_file_close(&debug);
	elf_file_close(&file);
	free(debug_path);
	free(path);
}

static void test_an_offset_in_the_file_is_an_address(void **state)
{
	char *path = open_program("fixed");
	uint64_t address;

	(void)state;
	assert_true(elf_file_address(&file, 0, &address));
	assert_int_equal(address, 0x400000);
	assert_false(elf_file_address(&file, UINT64_MAX, &address));
	elf_file_close(&file);
	free(path);
}

static void test_bit_0_of_a_thumb_function(void **state)
{
	const struct elf_file arm = {.machine = EM_ARM}, x86 = {.machine = EM_X86_64};

	(void)state;
	if (!WITH_LIBELF)
		skip_because("perf is built without libelf");
	assert_true(elf_file_is_thumb(&arm, STT_FUNC, 0x101));
	assert_false(elf_file_is_thumb(&arm, STT_FUNC, 0x100));
	assert_false(elf_file_is_thumb(&arm, STT_NOTYPE, 0x101));
	assert_false(elf_file_is_thumb(&x86, STT_FUNC, 0x101));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_address_belongs_to_what_starts_last),
		cmocka_unit_test(test_of_several_names_the_best_one_stays),
		cmocka_unit_test(test_what_has_no_size_ends_where_the_next_one_starts),
		cmocka_unit_test(test_functions_are_those_of_nm),
		cmocka_unit_test(test_entries_of_the_linkage_table_are_those_of_objdump),
		cmocka_unit_test(test_a_stripped_program_has_the_names_of_its_debug_file),
		cmocka_unit_test(test_an_offset_in_the_file_is_an_address),
		cmocka_unit_test(test_bit_0_of_a_thumb_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
