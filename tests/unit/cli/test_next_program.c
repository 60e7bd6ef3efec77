// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <errno.h>
#include <cmocka.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/cli/next_program.h"

static const char *const dirs[] = {"none", "link", "plain", "good", "other"};

/* link/perf is this program, plain/perf is not executable, good/perf and other/perf are. */
static int make_dirs(void **state)
{
	static char top[] = "/tmp/test_next_program.XXXXXX";
	char self[2048];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	*state = mkdtemp(top);
	if (len <= 0 || !*state || chdir(top))
		return -1;
	self[len] = '\0';
	unsetenv("PERF_KMEM_TRIED");
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		_cleanup_fclose_ FILE *file = NULL;
		char path[64];

		snprintf(path, sizeof(path), "%s/perf", dirs[i]);
		if (mkdir(dirs[i], 0755))
			return -1;
		if (!strcmp(dirs[i], "none"))
			continue;
		if (!strcmp(dirs[i], "link")) {
			/* under qemu-user, a link to /proc/self/exe leads to qemu */
			if (symlink(self, path))
				return -1;
			continue;
		}
		file = fopen(path, "we");
		if (!file || chmod(path, strcmp(dirs[i], "plain") ? 0755 : 0644))
			return -1;
	}
	return 0;
}

static int remove_dirs(void **state)
{
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/perf", dirs[i]);
		unlink(path);
		rmdir(dirs[i]);
	}
	return rmdir(*state);
}

static void test_find_skips_what_is_us_or_cannot_run(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;

	(void)state;
	setenv("PATH", "none:link:plain:good:other", 1);
	assert_true(next_program_find("perf", &path));
	assert_string_equal(path.buf, "good/perf");
	strbuf_reset(&path);
	setenv("PATH", "none:link:plain:", 1);
	assert_false(next_program_find("perf", &path));
	assert_string_equal(path.buf, "");
	unsetenv("PATH");
	assert_false(next_program_find("perf", &path));
}

/* There is a "perf" here, too: only a PATH with this directory finds it. */
static void test_an_empty_part_of_PATH_is_not_this_directory(void **state)
{
	static const char *const empty[] = {":none", "none:", "none::link", ""};
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;

	(void)state;
	assert_int_equal(chdir("good"), 0);
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
		setenv("PATH", empty[i], 1);
		assert_false(next_program_find("perf", &path));
	}
	setenv("PATH", ":.", 1);
	assert_true(next_program_find("perf", &path));
	assert_string_equal(path.buf, "./perf");
	assert_int_equal(chdir(".."), 0);
}

static void test_those_that_were_tried_are_not_again(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;
	struct stat st;
	char tried[128];

	(void)state;
	setenv("PATH", "good:other", 1);
	assert_int_equal(stat("good/perf", &st), 0);
	snprintf(tried, sizeof(tried), ",%lx:%lx,", (unsigned long)st.st_dev,
		 (unsigned long)st.st_ino);
	setenv("PERF_KMEM_TRIED", tried, 1);
	assert_true(next_program_find("perf", &path));
	assert_string_equal(path.buf, "other/perf");
	next_program_forget();
	assert_null(getenv("PERF_KMEM_TRIED"));
}

static void test_exec_says_when_there_is_none(void **state)
{
	const char *argv[] = {"perf", "x", NULL};

	(void)state;
	setenv("PATH", "none:link:plain", 1);
	assert_int_equal(next_program_exec("perf", argv), -ENOENT);
	/* empty files have no interpreter: each is tried, none can be run */
	setenv("PATH", "good:other", 1);
	assert_int_equal(next_program_exec("perf", argv), -ENOEXEC);
	assert_string_equal(argv[0], "perf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_skips_what_is_us_or_cannot_run),
		cmocka_unit_test(test_an_empty_part_of_PATH_is_not_this_directory),
		cmocka_unit_test(test_those_that_were_tried_are_not_again),
		cmocka_unit_test(test_exec_says_when_there_is_none),
	};

	return cmocka_run_group_tests(tests, make_dirs, remove_dirs);
}
