// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/symbol/symbol_file.h"
#include "util/symbol/symbol_table.h"

static const char kallsyms[] = "ffffffff81000000 T _stext\nffffffff81000100 t helper\n";

/* A temporary file with this content; the caller unlinks and frees its name. */
static char *write_file(const char *content, size_t len)
{
	char *path = strdup("/tmp/test-symbol-file.XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, len), len);
	close(fd);
	return path;
}

static void test_plain_text_is_read_as_it_is(void **state)
{
	char *path = write_file(kallsyms, strlen(kallsyms));
	struct strbuf text = STRBUF_INIT;

	(void)state;
	assert_int_equal(symbol_file_read(&text, path, NULL), 0);
	assert_string_equal(text.buf, kallsyms);
	strbuf_deinit(&text);
	unlink(path);
	free(path);
}

static void test_gzip_is_unpacked(void **state)
{
	char *path = write_file(kallsyms, strlen(kallsyms)), command[256], packed[128];
	struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;
	int ret;

	(void)state;
	snprintf(packed, sizeof(packed), "%s.gz", path);
	snprintf(command, sizeof(command), "gzip -f %s", path);
	assert_int_equal(system(command), 0);
	ret = symbol_file_read(&text, packed, &err);
	if (ret == -ENOTSUP) {
		assert_non_null(strstr(err.msg, "zlib"));
	} else {
		assert_int_equal(ret, 0);
		assert_string_equal(text.buf, kallsyms);
	}
	strbuf_deinit(&text);
	unlink(packed);
	free(path);
}

/* The test program itself is an ELF file with a function main. */
static void test_elf_functions_are_listed(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct symbol_table table;
	uint64_t moved_by;
	bool found;
	int ret = symbol_file_read(&text, "/proc/self/exe", &err);

	(void)state;
	if (ret == -ENOTSUP) {
		assert_non_null(strstr(err.msg, "libelf"));
		return;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(
		symbol_table_init(&table, strdup(text.buf), text.len, "main", 0x10000, &moved_by),
		0);
	assert_int_not_equal(moved_by, 0);
	found = !strcmp(symbol_table_find(&table, 0x10000)->name, "main");
	assert_true(found);
	symbol_table_deinit(&table);
	strbuf_deinit(&text);
}

static void test_errors_name_the_file(void **state)
{
	static const char broken_elf[] = "\177ELF and nothing more";
	char *path = write_file(broken_elf, sizeof(broken_elf));
	struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(symbol_file_read(&text, "/nonexistent/kallsyms", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "'/nonexistent/kallsyms'"));
	assert_true(symbol_file_read(&text, path, &err) < 0);
	assert_non_null(strstr(err.msg, path));
	strbuf_deinit(&text);
	unlink(path);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_text_is_read_as_it_is),
		cmocka_unit_test(test_gzip_is_unpacked),
		cmocka_unit_test(test_elf_functions_are_listed),
		cmocka_unit_test(test_errors_name_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
