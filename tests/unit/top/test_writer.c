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

#include "tests/unit/scratch_file.h"
#include "util/base/log.h"
#include "util/top/writer.h"

struct folder {
	char path[40], away[48], file[48];
	struct out_file out;
	struct top_writer writer;
};

static void open_writer(struct folder *f, bool replaces)
{
	struct error err = ERROR_INIT;

	strcpy(f->path, "/tmp/test_writer.XXXXXX");
	assert_non_null(mkdtemp(f->path));
	snprintf(f->file, sizeof(f->file), "%s/file", f->path);
	snprintf(f->away, sizeof(f->away), "%s.away", f->path);
	assert_int_equal(out_file_open(&f->out, f->file, NULL, &err), 0);
	assert_int_equal(top_writer_start(&f->writer, &f->out, replaces), 0);
}

static void close_writer(struct folder *f)
{
	out_file_deinit(&f->out);
	unlink(f->file);
	assert_int_equal(rmdir(f->path), 0);
}

/* Add a block, and wait until it is written or has failed. */
static int put(struct folder *f, const char *text)
{
	const int ret = top_writer_put(&f->writer, strdup(text), strlen(text));

	pthread_mutex_lock(&f->writer.lock);
	while (f->writer.text || f->writer.is_writing)
		pthread_cond_wait(&f->writer.changed, &f->writer.lock);
	pthread_mutex_unlock(&f->writer.lock);
	return ret;
}

static void check_file(const char *path, const char *expected)
{
	char text[64] = "";
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	assert_string_equal(text, expected);
}

static void test_blocks_are_appended(void **state)
{
	struct folder f;

	(void)state;
	open_writer(&f, false);
	assert_int_equal(access(f.file, F_OK), -1);
	assert_int_equal(put(&f, "one\n"), 0);
	assert_int_equal(put(&f, "two\n"), 0);
	assert_int_equal(top_writer_end(&f.writer), 0);
	check_file(f.file, "one\ntwo\n");
	close_writer(&f);
}

static void test_blocks_replace_each_other(void **state)
{
	FILE *old;
	struct folder f;

	(void)state;
	open_writer(&f, true);
	assert_int_equal(put(&f, "the first one\n"), 0);
	old = fopen(f.file, "r");
	assert_non_null(old);
	assert_int_equal(put(&f, "two\n"), 0);
	check_file(f.file, "two\n");
	/* a reader has a whole block, whatever comes after */
	assert_int_equal(getc(old), 't');
	assert_int_equal(fseek(old, 0, SEEK_END), 0);
	assert_int_equal(ftell(old), strlen("the first one\n"));
	fclose(old);
	assert_int_equal(top_writer_end(&f.writer), 0);
	check_file(f.file, "two\n");
	close_writer(&f);
}

/* The folder is gone for a while. */
static void test_a_block_that_fails_leaves_the_old_one(void **state)
{
	char old[64];
	struct folder f;

	(void)state;
	log_set_level(LOG_QUIET);
	open_writer(&f, true);
	assert_int_equal(put(&f, "one\n"), 0);
	assert_int_equal(rename(f.path, f.away), 0);
	assert_int_equal(put(&f, "two\n"), 0);
	assert_int_equal(f.writer.error, ENOENT);
	snprintf(old, sizeof(old), "%s/file", f.away);
	check_file(old, "one\n");
	assert_int_equal(put(&f, "three\n"), 0);
	assert_int_equal(rename(f.away, f.path), 0);
	assert_int_equal(put(&f, "four\n"), 0);
	check_file(f.file, "four\n");
	assert_int_equal(top_writer_end(&f.writer), 0);
	close_writer(&f);
	log_set_level(LOG_WARN);
}

static void test_each_block_becomes_a_file(void **state)
{
	struct out_folder folder = {.max_bytes = 1000};
	struct scratch_file s;
	struct folder f;

	(void)state;
	scratch_file_init(&s);
	folder.path = s.path;
	log_set_level(LOG_QUIET);
	assert_int_equal(top_writer_start_files(&f.writer, &folder, "leak.jsonl"), 0);
	assert_int_equal(put(&f, "one"), 0);
	assert_int_equal(access(s.path, F_OK), 0);
	/* a block that fails is lost, and the next one tries again */
	folder.path = "/proc/self/none";
	assert_int_equal(put(&f, "two"), 0);
	assert_int_equal(f.writer.error, ENOENT);
	folder.path = s.path;
	assert_int_equal(put(&f, "three"), 0);
	assert_int_equal(top_writer_end(&f.writer), 0);
	assert_int_equal(scratch_remove_all(s.path), 2);
	scratch_file_deinit(&s);
	log_set_level(LOG_WARN);
}

static void test_the_last_failure_is_reported(void **state)
{
	struct folder f;

	(void)state;
	log_set_level(LOG_QUIET);
	open_writer(&f, true);
	assert_int_equal(put(&f, "one\n"), 0);
	assert_int_equal(rename(f.path, f.away), 0);
	assert_int_equal(put(&f, "two\n"), 0);
	assert_int_equal(top_writer_end(&f.writer), -ENOENT);
	assert_int_equal(rename(f.away, f.path), 0);
	check_file(f.file, "one\n");
	close_writer(&f);
	log_set_level(LOG_WARN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_are_appended),
		cmocka_unit_test(test_blocks_replace_each_other),
		cmocka_unit_test(test_a_block_that_fails_leaves_the_old_one),
		cmocka_unit_test(test_each_block_becomes_a_file),
		cmocka_unit_test(test_the_last_failure_is_reported),
	};

	return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
