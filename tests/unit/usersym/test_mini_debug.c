// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions that a stripped library has in .gnu_debugdata. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/programs.h"
#include "tests/unit/skip.h"
#include "util/usersym/elf_functions.h"
#include "util/usersym/mini_debug.h"

#if defined(HAVE_LIBLZMA) && defined(HAVE_LIBELF)
#define WITH_LIBLZMA 1
#else
#define WITH_LIBLZMA 0
#endif

static struct elf_file open_program(const char *name)
{
	struct elf_file file;
	char *path = WITH_LIBLZMA ? program_path(name) : NULL;

	if (!path)
		skip_because("perf is built without liblzma, or the test programs are not built");
	assert_int_equal(elf_file_open(&file, path, NULL), 0);
	free(path);
	return file;
}

static void test_its_functions_are_those_from_before_it_was_stripped(void **state)
{
	struct elf_file stripped = open_program("mini"), whole = open_program("libinlined.so"),
			mini;
	struct elf_symbols expected, exported, found;

	(void)state;
	assert_int_equal(mini_debug_open(&mini, &stripped, "mini", NULL), 0);
	assert_int_equal(elf_functions_read(&expected, &whole, NULL, NULL, NULL), 0);
	assert_int_equal(elf_functions_read(&exported, &stripped, NULL, NULL, NULL), 0);
	assert_int_equal(elf_functions_read(&found, &stripped, NULL, &mini, NULL), 0);
	assert_true(exported.nr && exported.nr < expected.nr);
	assert_int_equal(found.nr, expected.nr);
	for (size_t i = 0; i < found.nr; i++) {
		assert_int_equal(found.v[i].start, expected.v[i].start);
		assert_int_equal(found.v[i].end, expected.v[i].end);
		assert_string_equal(found.v[i].name, expected.v[i].name);
	}
	elf_symbols_deinit(&expected);
	elf_symbols_deinit(&exported);
	elf_symbols_deinit(&found);
	elf_file_close(&mini);
	elf_file_close(&stripped);
	elf_file_close(&whole);
}

static void test_one_that_has_none(void **state)
{
	struct elf_file whole = open_program("libinlined.so"), mini;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(mini_debug_open(&mini, &whole, "whole", &err), -ENODATA);
	elf_file_close(&whole);
}

/* Each byte is covered by one of xz's checksums. */
static void test_with_any_byte_changed_it_is_refused(void **state)
{
	struct elf_file file = open_program("mini"), changed, mini;
	uint64_t address;
	size_t size;
	const uint8_t *section = elf_file_section(&file, ".gnu_debugdata", &size, &address);
	size_t offset = (size_t)(section - file.bytes);

	(void)state;
	for (size_t i = 0; i < size; i++) {
		struct error err = ERROR_INIT;
		uint8_t *image = malloc(file.size);

		assert_non_null(image);
		memcpy(image, file.bytes, file.size);
		image[offset + i] ^= 0x10;
		assert_int_equal(elf_file_open_image(&changed, image, file.size, "changed", NULL),
				 0);
		assert_true(mini_debug_open(&mini, &changed, "changed", &err) < 0);
		assert_non_null(strstr(err.msg, "the .gnu_debugdata of 'changed' "));
		elf_file_close(&changed);
	}
	elf_file_close(&file);
}

/* Its own, in a program that has another build-id. */
static void test_of_another_program_it_is_refused(void **state)
{
	struct elf_file file = open_program("mini"), mini;
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(file.build_id_size > 0);
	file.build_id[0] ^= 1;
	assert_int_equal(mini_debug_open(&mini, &file, "mini", &err), -EINVAL);
	assert_string_equal(err.msg, "the .gnu_debugdata of 'mini' is of another program");
	elf_file_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_its_functions_are_those_from_before_it_was_stripped),
		cmocka_unit_test(test_one_that_has_none),
		cmocka_unit_test(test_with_any_byte_changed_it_is_refused),
		cmocka_unit_test(test_of_another_program_it_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
