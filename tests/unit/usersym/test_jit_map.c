// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/usersym/jit_map.h"

static char dir[] = "/tmp/test_jit_map.XXXXXX";
static char path[64], other[64];

static int setup(void **state)
{
	FILE *f;

	(void)state;
	memset(dir + strlen(dir) - 6, 'X', 6);
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/map", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	f = fopen(path, "w");
	if (!f)
		return -1;
	fputs("1000 10 one\n", f);
	fclose(f);
	return chmod(path, 0644);
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	unlink(other);
	return rmdir(dir);
}

static void check_read(const char *what, int expected, const char *message)
{
	struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	assert_int_equal(jit_map_read(&text, what, (uid_t)-1, &err), expected);
	if (message) {
		assert_non_null(strstr(err.msg, message));
		assert_non_null(strstr(err.msg, what));
	} else {
		assert_string_equal(text.buf, "1000 10 one\n");
	}
	strbuf_deinit(&text);
}

static void test_ones_own_file_is_read(void **state)
{
	(void)state;
	check_read(path, 0, NULL);
}

static void test_links_are_refused(void **state)
{
	(void)state;
	assert_int_equal(symlink(path, other), 0);
	check_read(other, -EPERM, "link");
	assert_int_equal(unlink(other), 0);
	assert_int_equal(link(path, other), 0);
	check_read(other, -EPERM, "link");
}

static void test_what_others_may_write_to_is_refused(void **state)
{
	(void)state;
	chmod(path, 0666);
	check_read(path, -EPERM, "others");
}

static void test_what_belongs_to_others_is_refused(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	if (geteuid() || chown(path, 12345, 12345))
		skip_because("needs root");
	check_read(path, -EPERM, "12345");
	/* but not if it is theirs who ran the process */
	assert_int_equal(jit_map_read(&text, path, 12345, NULL), 0);
	strbuf_deinit(&text);
}

static void test_what_is_not_a_file_is_refused(void **state)
{
	(void)state;
	check_read(dir, -EINVAL, "regular");
	check_read("/dev/zero", -EINVAL, "regular");
	assert_int_equal(mkfifo(other, 0600), 0);
	check_read(other, -EINVAL, "regular"); /* and not waited for */
	assert_int_equal(jit_map_read(NULL, "/nonexistent/map", 0, NULL), -ENOENT);
}

static void test_what_is_too_large_is_refused(void **state)
{
	(void)state;
	assert_int_equal(truncate(path, (off_t)JIT_MAP_MAX + 1), 0);
	check_read(path, -EFBIG, "MiB");
}

static void check_name(const struct elf_symbols *s, uint64_t address, const char *name)
{
	const struct elf_symbol *sym = elf_symbols_find(s, address);

	if (!name) {
		assert_null(sym);
		return;
	}
	assert_non_null(sym);
	assert_string_equal(sym->name, name);
}

static void test_lines_are_functions(void **state)
{
	static const char lines[] = "2000 100 void Foo::bar()\n"
				    "garbage\n"
				    "1000 0 empty\n"
				    "ffffffffffffff00 200 beyond\n"
				    "12 34\n"
				    " 1200 10 blank\n"
				    "\n"
				    "A000 10 hex\n"
				    "2000 80 again\n"
				    "3000 10 unfinished";
	struct strbuf text = STRBUF_INIT;
	struct elf_symbols s;

	(void)state;
	strbuf_addstr(&text, lines);
	assert_int_equal(jit_map_parse(&s, &text, NULL), 0);
	assert_int_equal(s.nr, 2);
	check_name(&s, 0x2000, "again"); /* the later one */
	check_name(&s, 0x207f, "again");
	check_name(&s, 0x2080, NULL);
	check_name(&s, 0xa00f, "hex");
	check_name(&s, 0x3000, NULL);
	elf_symbols_deinit(&s);
	strbuf_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(test_ones_own_file_is_read),
		TEST(test_links_are_refused),
		TEST(test_what_others_may_write_to_is_refused),
		TEST(test_what_belongs_to_others_is_refused),
		TEST(test_what_is_not_a_file_is_refused),
		TEST(test_what_is_too_large_is_refused),
		TEST(test_lines_are_functions),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
