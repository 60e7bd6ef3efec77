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

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/cli/config.h"
#include "util/cli/config_edit.h"

static int parse(struct config *cfg, const char *text, struct error *err)
{
	return config_parse(cfg, "FILE", text, strlen(text), err);
}

static void assert_value(const char *text, const char *key, const char *value)
{
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;
	struct error err = ERROR_INIT;

	assert_int_equal(parse(&cfg, text, &err), 0);
	assert_non_null(config_get(&cfg, key));
	assert_string_equal(config_get(&cfg, key)->value, value);
}

static void assert_error(const char *text, const char *message)
{
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;
	struct error err = ERROR_INIT;

	assert_int_equal(parse(&cfg, text, &err), -EINVAL);
	assert_string_equal(err.msg, message);
}

static void test_values(void **state)
{
	(void)state;
	assert_value("[kmem]\n\tdefault = page\n", "kmem.default", "page");
	assert_value("[kmem]default=page", "kmem.default", "page");
	assert_value("[kmem] default = two  words \t # why\n", "kmem.default", "two  words");
	assert_value("[kmem]\ndefault = \"a # b ; c \" ; why\n", "kmem.default", "a # b ; c ");
	assert_value("[kmem]\ndefault = a\" b \"c\n", "kmem.default", "a b c");
	assert_value("[kmem]\ndefault = \\t\\n\\b\\\"\\\\x\n", "kmem.default", "\t\n\b\"\\x");
	assert_value("[kmem]\ndefault = one \\\n two\n", "kmem.default", "one  two");
	assert_value("[kmem]\r\ndefault = one\\\r\ntwo\r\n", "kmem.default", "onetwo");
	assert_value("[kmem]\ndefault =\n", "kmem.default", "");
	assert_value("[kmem]\ndefault = \"\"\n", "kmem.default", "");
	assert_value("[kmem]\ndefault\n", "kmem.default", "true");
	assert_value("[kmem]\ndefault # why\n", "kmem.default", "true");
	assert_value("\xef\xbb\xbf[kmem]\ndefault = \xc3\xa9\n", "kmem.default", "\xc3\xa9");
	assert_value("[a]\nhide_src-code2 = 1\n", "a.hide_src-code2", "1");
}

static void test_keys(void **state)
{
	(void)state;
	assert_value("[KMem]\nDefault = page\n", "kmem.default", "page");
	assert_value("[kmem]\ndefault = page\n", "KMEM.DEFAULT", "page");
	assert_value("[a \"B.c \\\" \\\\\"]\nX = 1\n", "a.B.c \" \\.x", "1");
	assert_value("[a.b]\nx = 1\n", "a.b.x", "1");
}

static void test_subsections_keep_their_case(void **state)
{
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;

	(void)state;
	assert_int_equal(parse(&cfg, "[a \"B\"]\nx = 1\n", NULL), 0);
	assert_non_null(config_get(&cfg, "A.B.X"));
	assert_null(config_get(&cfg, "a.b.x"));
	assert_null(config_get(&cfg, "a.B"));
	assert_null(config_get(&cfg, "x"));
}

static void test_the_last_one_counts(void **state)
{
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;
	const struct config_entry *entry;

	(void)state;
	assert_int_equal(parse(&cfg, "[kmem]\nlines = 1\n\n[b]\nx\n[kmem]\nlines = 2\n", NULL), 0);
	assert_int_equal(config_parse(&cfg, "SECOND", "[kmem]\n\n\tlines = 3", 18, NULL), 0);
	assert_int_equal(cfg.nr, 4);
	entry = config_get(&cfg, "kmem.lines");
	assert_string_equal(entry->value, "3");
	assert_string_equal(entry->path, "SECOND");
	assert_int_equal(entry->line, 3);
	assert_int_equal(cfg.entries[2].line, 7);
	assert_string_equal(cfg.entries[2].path, "FILE");
}

static void test_errors_name_the_line(void **state)
{
	(void)state;
	assert_error("x = 1\n", "FILE:1: a key before the first [section]");
	assert_error("[kmem]\n\n  = 3\n", "FILE:3: neither [section] nor key = value: '= 3'");
	assert_error("[kmem]\nlines 3\n", "FILE:2: 'lines' must be followed by '='");
	assert_error("[kmem]\nx = \"a\ny = 1\n", "FILE:2: the value has no closing quote");
	assert_error("[kmem]\nx = a\\q\n",
		     "FILE:2: unknown escape in a value; write \\\\ for a backslash");
	assert_error("[kmem\n", "FILE:1: the section has no closing ]");
	assert_error("[]\n", "FILE:1: a section is [name] or [name \"subsection\"]");
	assert_error("[a b]\n", "FILE:1: a section is [name] or [name \"subsection\"]");
	assert_error("[a \"b]\n", "FILE:1: the subsection's name has no closing quote");
	assert_error("[a \"b\"\n", "FILE:1: the section has no closing ]");
	assert_error("\n[a \"", "FILE:2: the subsection's name has no closing quote");
	assert_error("[a]\nx = \\",
		     "FILE:2: unknown escape in a value; write \\\\ for a backslash");
}

static void test_bounds(void **state)
{
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;
	_cleanup_free_ char *big = calloc(1, CONFIG_FILE_MAX + 1);
	struct error err = ERROR_INIT;

	(void)state;
	memset(big, '\n', CONFIG_FILE_MAX + 1);
	assert_int_equal(config_parse(&cfg, "FILE", big, CONFIG_FILE_MAX, &err), 0);
	assert_int_equal(config_parse(&cfg, "FILE", big, CONFIG_FILE_MAX + 1, &err), -EFBIG);
	assert_int_equal(config_parse(&cfg, "FILE", "[a]\n\0", 5, &err), -EINVAL);
	assert_string_equal(err.msg, "FILE: a NUL byte at offset 4, this is not text");
	assert_int_equal(config_parse(&cfg, "FILE", NULL, 0, &err), 0);
}

static void test_typed_values(void **state)
{
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;
	struct error err = ERROR_INIT;
	uint64_t v = 0;

	(void)state;
	assert_int_equal(parse(&cfg, "[a]\nn = 20\ns = foo\n", &err), 0);
	assert_int_equal(config_entry_u64(config_get(&cfg, "a.n"), 1, 20, &v, &err), 0);
	assert_int_equal(v, 20);
	assert_int_equal(config_entry_u64(config_get(&cfg, "a.n"), 1, 19, &v, &err), -EINVAL);
	assert_string_equal(err.msg, "FILE:2: a.n is '20', want a number from 1 to 19");
	config_bad_value(config_get(&cfg, "a.s"), "'slab' or 'page'", &err);
	assert_string_equal(err.msg, "FILE:3: a.s is 'foo', want 'slab' or 'page'");
}

static void test_canonical_keys(void **state)
{
	static const char *const bad[] = {"",	   "a",	    "a.",     ".a",   "a.9",
					  "a b.c", "a.b c", "a.\n.b", "a\".b"};
	struct error err = ERROR_INIT;
	char *key;

	(void)state;
	assert_int_equal(config_key_canonical("KMem.Skip-Callsite", &key, &err), 0);
	assert_string_equal(key, "kmem.skip-callsite");
	free(key);
	assert_int_equal(config_key_canonical("A.Any Thing.B", &key, &err), 0);
	assert_string_equal(key, "a.Any Thing.b");
	free(key);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(config_key_canonical(bad[i], &key, &err), -EINVAL);
}

static void assert_edit(const char *before, const char *key, const char *value, const char *after)
{
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;

	assert_int_equal(config_edit("FILE", before, strlen(before), key, value, &out, &err), 0);
	assert_string_equal(out.buf, after);
}

static void test_edit_keeps_the_rest(void **state)
{
	(void)state;
	assert_edit("", "kmem.default", "page", "[kmem]\n\tdefault = page\n");
	assert_edit("# top\n[kmem] ; c\n  default = slab\t# why\n\n[b]\nx\n", "kmem.default",
		    "page", "# top\n[kmem] ; c\n  default = page\t# why\n\n[b]\nx\n");
	assert_edit("[kmem]\nlines = 3 # c\n[b]\nx", "kmem.sort", "hit",
		    "[kmem]\nlines = 3 # c\n\tsort = hit\n[b]\nx\n");
	assert_edit("[kmem]\nlines = 1\nlines = 2\n", "kmem.lines", "9",
		    "[kmem]\nlines = 1\nlines = 9\n");
	assert_edit("[b]\nx = 1 \\\n 2", "a.Sub \"x\".key", " # \\",
		    "[b]\nx = 1 \\\n 2\n[a \"Sub \\\"x\\\"\"]\n\tkey = \" # \\\\\"\n");
	assert_edit("[b]\nx = 1\\\n", "a.b", "2", "[b]\nx = 1\\\n\n[a]\n\tb = 2\n");
	assert_edit("[b]\nx = 1 \\\n 2 # c\ny\n", "b.x", "", "[b]\nx = \"\" # c\ny\n");
}

static void test_every_value_survives_an_edit(void **state)
{
	(void)state;
	for (int c = 1; c < 256; c++) {
		const char value[] = {(char)c, 'a', (char)c, '\0'};
		_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;
		_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;

		assert_int_equal(config_edit("FILE", "", 0, "a.b", value, &out, NULL), 0);
		assert_int_equal(parse(&cfg, out.buf, NULL), 0);
		assert_string_equal(config_get(&cfg, "a.b")->value, value);
	}
}

static void test_a_broken_file_is_not_edited(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(config_edit("FILE", "[a\n", 3, "a.b", "1", &out, &err), -EINVAL);
	assert_string_equal(err.msg, "FILE:1: the section has no closing ]");
}

/* Its own home directory, and a system file with nothing relevant. */
static int enter_home(void **state)
{
	static char home[] = "/tmp/test_config.XXXXXX";

	*state = mkdtemp(home);
	setenv("HOME", home, 1);
	unsetenv("PERF_CONFIG");
	return *state ? 0 : -1;
}

static int leave_home(void **state)
{
	static const char *const names[] = {".perfconfig", "real", "other"};
	const char *home = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;

		strbuf_addf(&path, "%s/%s", home, names[i]);
		unlink(path.buf);
	}
	return rmdir(home);
}

static void test_load(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf other = STRBUF_INIT;
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;
	static const struct config_setting one_is_bad[] = {{"test.x", "3"}, {"nosection", "3"}};
	struct error err = ERROR_INIT;
	struct stat st;

	strbuf_addf(&path, "%s/.perfconfig", (const char *)*state);
	strbuf_addf(&other, "%s/other", (const char *)*state);
	assert_int_equal(config_load(&cfg, &err), 0);
	config_deinit(&cfg);

	/* a symbolic link to a private file stays a link, and the file private */
	assert_int_equal(symlink("real", path.buf), 0);
	assert_int_equal(config_set(path.buf, "test.x", "1", &err), -ENOENT);
	unlink(path.buf);
	assert_int_equal(config_set(path.buf, "test.x", "1", &err), 0);
	assert_int_equal(rename(path.buf, other.buf), 0);
	assert_int_equal(chmod(other.buf, 0600), 0);
	assert_int_equal(symlink("other", path.buf), 0);
	assert_int_equal(config_set(path.buf, "test.x", "2", &err), 0);
	assert_int_equal(lstat(path.buf, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path.buf, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* all are set or none */
	assert_int_equal(config_set_all(path.buf, one_is_bad, 2, &err), -EINVAL);

	assert_int_equal(config_load(&cfg, &err), 0);
	assert_string_equal(config_get(&cfg, "test.x")->value, "2");
	assert_string_equal(config_get(&cfg, "test.x")->path, path.buf);
	config_deinit(&cfg);

	setenv("PERF_CONFIG", "/dev/null", 1);
	assert_int_equal(config_load(&cfg, &err), 0);
	assert_null(config_get(&cfg, "test.x"));
	config_deinit(&cfg);
	setenv("PERF_CONFIG", "/dev/zero", 1);
	assert_int_equal(config_load(&cfg, &err), -EFBIG);
	setenv("PERF_CONFIG", "/tmp/there/is/no/such/file", 1);
	assert_int_equal(config_load(&cfg, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "PERF_CONFIG: "));
	assert_non_null(strstr(err.msg, "/tmp/there/is/no/such/file"));
	unsetenv("PERF_CONFIG");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_subsections_keep_their_case),
		cmocka_unit_test(test_the_last_one_counts),
		cmocka_unit_test(test_errors_name_the_line),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_typed_values),
		cmocka_unit_test(test_canonical_keys),
		cmocka_unit_test(test_edit_keeps_the_rest),
		cmocka_unit_test(test_every_value_survives_an_edit),
		cmocka_unit_test(test_a_broken_file_is_not_edited),
		cmocka_unit_test_setup_teardown(test_load, enter_home, leave_home),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
