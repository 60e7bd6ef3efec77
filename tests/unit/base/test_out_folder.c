// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/scratch_file.h"
#include "util/base/out_folder.h"
#include "util/base/strbuf.h"

#ifdef HAVE_LIBZSTD
#include <zstd.h>
#define SUFFIX ".zst"
#else
#define SUFFIX ""
#endif

static int is_no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The names in the folder, each followed by a blank. */
static void assert_names(const char *path, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	struct dirent **entries;
	int nr = scandir(path, &entries, is_no_dot, alphasort);

	assert_true(nr >= 0);
	for (int i = 0; i < nr; i++) {
		strbuf_addf(&sb, "%s ", entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	assert_string_equal(sb.len ? sb.buf : "", want);
	strbuf_deinit(&sb);
}

static void assert_content(const char *folder, const char *name, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	char path[256], text[64];
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(strbuf_read_file(&sb, path), 0);
#ifdef HAVE_LIBZSTD
	len = ZSTD_decompress(text, sizeof(text), sb.buf, sb.len);
	assert_false(ZSTD_isError(len));
#else
	len = sb.len;
	memcpy(text, sb.buf, len);
#endif
	assert_int_equal(len, strlen(want));
	assert_memory_equal(text, want, len);
	strbuf_deinit(&sb);
}

/* 2026-11-29 09:15:00 UTC and some seconds */
static int put(const struct out_folder *f, int seconds, const char *text, struct error *err)
{
	const struct timespec now = {.tv_sec = 1795943700 + seconds, .tv_nsec = 123456789};

	return out_folder_put(f, &now, "leak.jsonl", text, strlen(text), err);
}

#define NAMED(seconds) "20261129T0915" seconds ".123456Z-leak.jsonl" SUFFIX

static void test_a_file_is_named_after_its_time(void **state)
{
	struct out_folder f = {.max_bytes = 1000};
	struct scratch_file s;

	(void)state;
	scratch_file_init(&s);
	f.path = s.path;
	assert_int_equal(put(&f, 0, "first", NULL), 0);
	assert_int_equal(put(&f, 7, "second", NULL), 0);
	assert_names(s.path, NAMED("00") " " NAMED("07") " ");
	assert_content(s.path, NAMED("00"), "first");
	assert_content(s.path, NAMED("07"), "second");
	scratch_remove_all(s.path);
	scratch_file_deinit(&s);
}

static void add_other(const char *folder, const char *name)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fclose(out);
}

static void test_the_oldest_go_when_there_are_too_many(void **state)
{
	struct out_folder f = {.max_bytes = 1000, .max_files = 2};
	struct scratch_file s;

	(void)state;
	scratch_file_init(&s);
	f.path = s.path;
	assert_int_equal(put(&f, 9, "", NULL), 0);
	add_other(s.path, "20261129.txt");
	add_other(s.path, "20261129T091500.12345Z-short");
	for (int i = 0; i < 3; i++)
		assert_int_equal(put(&f, i, "", NULL), 0);
	/* the clock went back: the file that was written last stays all the same */
	assert_names(s.path,
		     "20261129.txt 20261129T091500.12345Z-short " NAMED("02") " " NAMED("09") " ");
	f.max_files = 1;
	assert_int_equal(put(&f, 1, "", NULL), 0);
	assert_names(s.path, "20261129.txt 20261129T091500.12345Z-short " NAMED("01") " ");
	scratch_remove_all(s.path);
	scratch_file_deinit(&s);
}

static void test_the_oldest_go_when_they_are_too_large(void **state)
{
	struct out_folder f = {.max_bytes = 60};
	struct scratch_file s;

	(void)state;
	scratch_file_init(&s);
	f.path = s.path;
	/* of 26 bytes each, 35 if packed */
	for (int i = 0; i < 6; i++)
		assert_int_equal(put(&f, i, "abcdefghijklmnopqrstuvwxyz", NULL), 0);
	assert_names(s.path, SUFFIX[0] ? NAMED("05") " " : NAMED("04") " " NAMED("05") " ");
	f.max_bytes = 1;
	assert_int_equal(put(&f, 8, "abc", NULL), 0);
	assert_names(s.path, NAMED("08") " ");
	scratch_remove_all(s.path);
	scratch_file_deinit(&s);
}

static void test_errors_name_the_folder(void **state)
{
	struct out_folder f = {.path = "/proc/self/status", .max_bytes = 60};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(out_folder_check(&f, &err), -ENOTDIR);
	assert_string_equal(err.msg, "cannot write into '/proc/self/status': Not a directory");
	f.path = "/proc/self/none";
	assert_int_equal(put(&f, 0, "", &err), -ENOENT);
	assert_string_equal(err.msg, "cannot make the folder '/proc/self/none': No such file or "
				     "directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_is_named_after_its_time),
		cmocka_unit_test(test_the_oldest_go_when_there_are_too_many),
		cmocka_unit_test(test_the_oldest_go_when_they_are_too_large),
		cmocka_unit_test(test_errors_name_the_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
