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

#include "util/usersym/source_text.h"

static void write_file(const char *path, const char *content, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, size, f), size);
	fclose(f);
}

static void test_lines(void **state)
{
	static const char content[] = "first\n\nthird\0hidden\nlast";
	char path[] = "/tmp/perf-kmem-test.XXXXXX";
	struct source_text s;

	(void)state;
	close(mkstemp(path));
	write_file(path, content, sizeof(content) - 1);
	assert_int_equal(source_text_read(&s, path), 0);
	assert_null(source_text_line(&s, 0));
	assert_string_equal(source_text_line(&s, 1), "first");
	assert_string_equal(source_text_line(&s, 2), "");
	assert_string_equal(source_text_line(&s, 3), "third");
	assert_string_equal(source_text_line(&s, 4), "last");
	assert_null(source_text_line(&s, 5));
	source_text_deinit(&s);

	write_file(path, "", 0);
	assert_int_equal(source_text_read(&s, path), 0);
	assert_null(source_text_line(&s, 1));
	source_text_deinit(&s);
	unlink(path);
}

/* Files that a path in debug information may lead to. */
static void test_refused(void **state)
{
	char dir[] = "/tmp/perf-kmem-test.XXXXXX", path[64];
	struct source_text s;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(source_text_read(&s, dir), -EINVAL);
	assert_int_equal(source_text_read(&s, "/dev/zero"), -EINVAL);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(source_text_read(&s, path), -EINVAL);
	unlink(path);
	write_file(path, "x", 1);
	assert_int_equal(truncate(path, SOURCE_TEXT_MAX + 1), 0);
	assert_int_equal(source_text_read(&s, path), -EINVAL);
	unlink(path);
	assert_int_equal(source_text_read(&s, path), -ENOENT);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
