// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions, lines and inlined functions of small programs (tests/programs), at each address of
 * their code, against what addr2line of binutils says.
 */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/programs.h"
#include "tests/unit/skip.h"
#include "util/usersym/elf_functions.h"
#include "util/usersym/source_lines.h"

struct program {
	struct elf_file file;
	struct elf_symbols symbols;
	struct source_lines *lines;
};

static void open_program(struct program *p, const char *path)
{
	struct error err = ERROR_INIT;

	assert_int_equal(elf_file_open(&p->file, path, &err), 0);
	assert_int_equal(elf_functions_read(&p->symbols, &p->file, NULL, NULL, &err), 0);
	if (source_lines_open(&p->file, path, &p->lines, &err))
		fail_msg("%s", err.msg);
}

static void close_program(struct program *p)
{
	source_lines_close(p->lines);
	elf_symbols_deinit(&p->symbols);
	elf_file_close(&p->file);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "FILE:LINE", with what binutils writes behind it cut; "??" becomes "". */
static void clean_place(char *place)
{
	char *colon, *blank = strchr(place, ' ');

	if (blank)
		*blank = '\0';
	colon = strrchr(place, ':');
	if (!strncmp(place, "??", 2) || !colon || !strcmp(colon, ":0") || !strcmp(colon, ":?"))
		place[0] = '\0';
	else
		memmove(place, base_name(place), strlen(base_name(place)) + 1);
}

struct theirs {
	char function[1024], place[1024];
};

static bool read_line(FILE *f, char *line, int size)
{
	if (!fgets(line, size, f))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

/* For a static function DWARF may have a plain name, and the symbol table the mangled one. binutils
 * prefers that, also for functions inlined in it. */
static bool is_symbol(struct program *p, uint64_t address, const char *name)
{
	const struct elf_symbol *sym = elf_symbols_find(&p->symbols, address);

	return sym && !strcmp(sym->name, name);
}

/* addr2line writes the address, then for each frame a function and a place. */
static void compare_address(struct program *p, const char *path, uint64_t address,
			    const struct theirs *theirs, size_t nr_theirs)
{
	struct source_frame ours[SOURCE_FRAMES_MAX];
	size_t nr = source_lines_find(p->lines, address, ours);
	char place[1024];

	/* without debug information they know the symbol, and nothing else */
	if (!nr) {
		for (size_t i = 0; i < nr_theirs; i++)
			if (theirs[i].place[0])
				fail_msg("%s %#" PRIx64 ": nothing, not %s at %s", path, address,
					 theirs[i].function, theirs[i].place);
		return;
	}
	for (size_t i = 0; i < nr && i < nr_theirs; i++) {
		place[0] = '\0';
		if (ours[i].file && ours[i].line)
			snprintf(place, sizeof(place), "%s:%u", base_name(ours[i].file),
				 ours[i].line);
		if (strcmp(place, theirs[i].place) != 0)
			fail_msg("%s %#" PRIx64 " frame %zu: at '%s', not '%s'", path, address, i,
				 place, theirs[i].place);
		if (ours[i].function && strcmp(ours[i].function, theirs[i].function) != 0 &&
		    ((i && i + 1 < nr) || !is_symbol(p, address, theirs[i].function)))
			fail_msg("%s %#" PRIx64 " frame %zu: in %s, not %s", path, address, i,
				 ours[i].function, theirs[i].function);
	}
	if (nr != nr_theirs)
		fail_msg("%s %#" PRIx64 ": %zu frames, not %zu", path, address, nr, nr_theirs);
}

/* Is it code of the program itself? Code from the compiler has no lines. */
static bool is_of_program(struct program *p, const struct elf_symbol *sym)
{
	struct source_frame frames[SOURCE_FRAMES_MAX];

	return !sym->is_plt && source_lines_find(p->lines, sym->start, frames);
}

static void compare_program(const char *name, size_t addresses_min)
{
	char *path = program_path(name), *command, addresses[] = "/tmp/test_source_lines.XXXXXX";
	struct theirs theirs[SOURCE_FRAMES_MAX];
	size_t nr_addresses = 0, nr = 0, inlined = 0;
	uint64_t address = 0;
	struct program p;
	char line[1024];
	FILE *f;
	int fd = mkstemp(addresses);

	if (!path)
		skip_because("the test programs are not built");
	open_program(&p, path);
	f = fdopen(fd, "w");
	assert_non_null(f);
	for (size_t i = 0; i < p.symbols.nr; i++)
		for (uint64_t at = p.symbols.v[i].start;
		     is_of_program(&p, &p.symbols.v[i]) && at < p.symbols.v[i].end; at++)
			fprintf(f, "%#" PRIx64 "\n", at);
	fclose(f);
	assert_true(asprintf(&command, "${ADDR2LINE:-addr2line} -a -f -i -e '%s' < %s", path,
			     addresses) > 0);
	f = popen(command, "r");
	assert_non_null(f);
	while (read_line(f, line, sizeof(line))) {
		if (!strncmp(line, "0x", 2)) {
			if (nr_addresses++)
				compare_address(&p, path, address, theirs, nr);
			inlined += nr > 1;
			nr = 0;
			address = strtoull(line, NULL, 16);
			continue;
		}
		assert_true(nr < SOURCE_FRAMES_MAX);
		snprintf(theirs[nr].function, sizeof(theirs[nr].function), "%s", line);
		assert_true(read_line(f, theirs[nr].place, sizeof(theirs[nr].place)));
		clean_place(theirs[nr++].place);
	}
	assert_true(nr > 0);
	compare_address(&p, path, address, theirs, nr);
	assert_int_equal(pclose(f), 0);
	if (nr_addresses < addresses_min || inlined < addresses_min / 10)
		fail_msg("only %zu addresses compared, %zu of inlined functions", nr_addresses,
			 inlined);
	unlink(addresses);
	close_program(&p);
	free(command);
	free(path);
}

static bool have_libdw(void)
{
#if defined(HAVE_LIBDW) && defined(HAVE_LIBELF)
	return !system("${ADDR2LINE:-addr2line} --version >/dev/null 2>&1");
#else
	return false;
#endif
}

#define TEST_PROGRAM(name, file)                                                                   \
	static void test_lines_of_##name(void **state)                                             \
	{                                                                                          \
		(void)state;                                                                       \
		if (!have_libdw())                                                                 \
			skip_because("perf is built without libdw");                               \
		compare_program(file, 150);                                                        \
	}

TEST_PROGRAM(a_pie, "pie")
TEST_PROGRAM(a_program_at_fixed_addresses, "fixed")
TEST_PROGRAM(one_without_frame_pointers, "nofp")
TEST_PROGRAM(a_static_one, "static")
TEST_PROGRAM(one_with_packed_debug_information, "packed")
TEST_PROGRAM(dwarf_4, "dwarf4")
TEST_PROGRAM(one_without_unused_functions, "sections")
TEST_PROGRAM(a_library, "libinlined.so")
TEST_PROGRAM(cplusplus, "names")

/* Files without lines report that. */
static void test_a_file_without_debug_information(void **state)
{
	char *path = program_path("stripped");
	struct source_lines *lines;
	struct error err = ERROR_INIT;
	struct elf_file file;

	(void)state;
	if (!have_libdw() || !path)
		skip_because("perf is built without libdw, or the test programs are not built");
	assert_int_equal(elf_file_open(&file, path, &err), 0);
	assert_int_equal(source_lines_open(&file, path, &lines, &err), -ENODATA);
	assert_non_null(strstr(err.msg, path));
	elf_file_close(&file);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_a_pie),
		cmocka_unit_test(test_lines_of_a_program_at_fixed_addresses),
		cmocka_unit_test(test_lines_of_one_without_frame_pointers),
		cmocka_unit_test(test_lines_of_a_static_one),
		cmocka_unit_test(test_lines_of_one_with_packed_debug_information),
		cmocka_unit_test(test_lines_of_dwarf_4),
		cmocka_unit_test(test_lines_of_one_without_unused_functions),
		cmocka_unit_test(test_lines_of_a_library),
		cmocka_unit_test(test_lines_of_cplusplus),
		cmocka_unit_test(test_a_file_without_debug_information),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
