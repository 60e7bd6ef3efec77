// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/scratch_file.h"
#include "util/base/out_file.h"
#include "util/base/strbuf.h"

static void assert_content(const char *path, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(strbuf_read_file(&sb, path), 0);
	assert_string_equal(sb.buf, want);
	strbuf_deinit(&sb);
}

static void write_file(const struct scratch_file *f, const struct out_file_how *how,
		       const char *text)
{
	struct out_file file;
	FILE *out;

	assert_int_equal(out_file_open(&file, f->path, how, NULL), 0);
	assert_int_equal(out_file_stream(&file, &out, NULL), 0);
	fputs(text, out);
	assert_int_equal(out_file_publish(&file, NULL), 0);
	out_file_deinit(&file);
}

static void test_what_was_there_stays_until_it_is_published(void **state)
{
	struct out_file file;
	struct scratch_file f;
	struct stat st;

	(void)state;
	scratch_file_init(&f);
	write_file(&f, NULL, "first");
	assert_int_equal(stat(f.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(out_file_open(&file, f.path, NULL, NULL), 0);
	assert_int_equal(out_file_append(&file, "second", 6), 0);
	assert_content(f.path, "first");
	out_file_deinit(&file);
	assert_content(f.path, "first");
	write_file(&f, NULL, "third");
	assert_content(f.path, "third");
	assert_int_equal(access(f.old, F_OK), -1);
	scratch_file_deinit(&f);
}

static void test_a_shared_file_has_the_mode_of_the_umask(void **state)
{
	static const struct out_file_how how = {.is_shared = true};
	static const mode_t masks[] = {022, 027, 077};
	const mode_t before = umask(022);
	struct scratch_file f;
	struct stat st;

	(void)state;
	scratch_file_init(&f);
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		umask(masks[i]);
		write_file(&f, &how, "text");
		assert_int_equal(stat(f.path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0644 & ~masks[i]);
	}
	umask(before);
	scratch_file_deinit(&f);
}

static void test_an_old_file_is_kept_if_wanted(void **state)
{
	const struct out_file_how how = {.keep_old = true};
	struct scratch_file f;

	(void)state;
	scratch_file_init(&f);
	write_file(&f, &how, "first");
	write_file(&f, &how, "second");
	assert_content(f.path, "second");
	assert_content(f.old, "first");
	scratch_file_deinit(&f);
}

static void test_a_link_is_replaced(void **state)
{
	struct scratch_file f;
	struct stat st;

	(void)state;
	scratch_file_init(&f);
	write_file(&f, NULL, "precious");
	assert_int_equal(rename(f.path, f.old), 0);
	assert_int_equal(symlink(f.old, f.path), 0);
	write_file(&f, NULL, "report");
	assert_content(f.old, "precious");
	assert_int_equal(lstat(f.path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	scratch_file_deinit(&f);
}

static void test_what_does_not_fit_is_cut_off(void **state)
{
	struct rlimit unlimited, small;
	struct out_file file;
	struct scratch_file f;

	(void)state;
	scratch_file_init(&f);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
	small = (struct rlimit){10, unlimited.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(out_file_open(&file, f.path, NULL, NULL), 0);
	assert_int_equal(out_file_append(&file, "12345678", 8), 0);
	assert_int_equal(out_file_publish(&file, NULL), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(out_file_append(&file, "12345678", 8), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
	assert_content(f.path, "12345678");
	assert_int_equal(out_file_append(&file, "9", 1), 0);
	assert_content(f.path, "123456789");
	out_file_deinit(&file);
	scratch_file_deinit(&f);
}

static void test_our_own_file_descriptors_are_not_opened_again(void **state)
{
	struct out_file file;
	struct error err;
	struct scratch_file f;
	char name[40];
	int fd;

	(void)state;
	scratch_file_init(&f);
	write_file(&f, NULL, "before");
	fd = open(f.path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_true(fd >= 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	assert_int_equal(out_file_open(&file, name, NULL, NULL), 0);
	assert_int_equal(out_file_append(&file, ", after", 7), 0);
	assert_int_equal(out_file_publish(&file, NULL), 0);
	out_file_deinit(&file);
	close(fd);
	assert_content(f.path, "before, after");
	assert_int_equal(out_file_open(&file, name, NULL, &err), -EBADF);
	assert_non_null(strstr(err.msg, name));
	out_file_deinit(&file);
	assert_true(out_file_is_stdout("-") && out_file_is_stdout("/dev/stdout") &&
		    out_file_is_stdout("/proc/self/fd/1"));
	assert_false(out_file_is_stdout("/dev/stderr") || out_file_is_stdout("1"));
	scratch_file_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_there_stays_until_it_is_published),
		cmocka_unit_test(test_a_shared_file_has_the_mode_of_the_umask),
		cmocka_unit_test(test_an_old_file_is_kept_if_wanted),
		cmocka_unit_test(test_a_link_is_replaced),
		cmocka_unit_test(test_what_does_not_fit_is_cut_off),
		cmocka_unit_test(test_our_own_file_descriptors_are_not_opened_again),
	};

	return cmocka_run_group_tests_name("out_file", tests, NULL, NULL);
}
