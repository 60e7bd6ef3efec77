// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/symbol/late_symbols.h"

static void test_read_once_when_asked_for(void **state)
{
	char path[] = "/tmp/late-symbols.XXXXXX";
	int fd = mkstemp(path);
	struct late_symbols *l = late_symbols_new(path);
	const struct symbol *sym;

	(void)state;
	assert_true(fd >= 0);
	assert_non_null(l);
	assert_false(module_space_has(late_symbols_modules(l), 0xffffffffc0000010));
	assert_true(dprintf(fd, "ffffffff81000000 T _text\n"
				"ffffffffc0000000 t module_function\t[module]\n") > 0);
	sym = symbol_table_find(late_symbols_table(l), 0xffffffffc0000010);
	assert_non_null(sym);
	assert_string_equal(sym->name, "module_function");
	assert_string_equal(sym->module, "module");
	assert_true(module_space_has(late_symbols_modules(l), 0xffffffffc0000010));
	assert_int_equal(unlink(path), 0);
	close(fd);
	assert_ptr_equal(symbol_table_find(late_symbols_table(l), 0xffffffffc0000010), sym);
	late_symbols_free(l);
}

static void test_empty_without_a_file(void **state)
{
	struct late_symbols *l = late_symbols_new("/nonexistent");

	(void)state;
	assert_non_null(l);
	assert_null(symbol_table_find(late_symbols_table(l), 0xffffffff81000000));
	late_symbols_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_once_when_asked_for),
		cmocka_unit_test(test_empty_without_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
