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

#include "util/base/strbuf.h"
#include "util/source/input.h"

#define SIZE 300000

static const struct source_options usual;

static char dir[] = "/tmp/test_input.XXXXXX";

static char byte_at(size_t i)
{
	return (char)("0123456789abcdef"[(i * i >> 7) % 16]);
}

/* A file of SIZE bytes, made from the plain one by the command; its path goes to path. */
static void make(const char *command, char path[64])
{
	char line[256];
	FILE *f;

	snprintf(path, 64, "%s/plain", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < SIZE; i++)
		putc(byte_at(i), f);
	fclose(f);
	if (!command)
		return;
	snprintf(path, 64, "%s/made", dir);
	snprintf(line, sizeof(line), "cd %s && %s >made", dir, command);
	assert_int_equal(system(line), 0);
}

static int open_it(const char *path, struct input **ret_input)
{
	struct error err = ERROR_INIT;
	int ret = input_open(path, &usual, ret_input, &err);

	if (ret == -ENOTSUP)
		assert_non_null(strstr(err.msg, "and this perf was built without"));
	else
		assert_int_equal(ret, 0);
	return ret;
}

static size_t read_all(struct input *in)
{
	char buf[1000];
	size_t at = 0;
	ssize_t n;

	while ((n = input_read(in, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(buf[i], byte_at(at++));
	assert_int_equal(n, 0);
	return at;
}

static void check(const char *command, enum packing packing)
{
	struct source_facts facts;
	struct input *in;
	char path[64];

	make(command, path);
	if (open_it(path, &in))
		return;
	assert_int_equal(input_packing(in), packing);
	assert_int_equal(input_probed(in)->head_size, SOURCE_HEAD_SIZE);
	for (size_t i = 0; i < SOURCE_HEAD_SIZE; i++)
		assert_int_equal(input_probed(in)->head[i], byte_at(i));
	source_facts_init(&facts);
	input_serve(in, &facts);
	assert_int_equal(read_all(in), SIZE);
	assert_string_equal(facts.damage.what, "");
	source_facts_deinit(&facts);
	input_free(in);
}

static void test_a_file_is_unpacked_whatever_it_is_packed_with(void **state)
{
	(void)state;
	check(NULL, PACKING_NONE);
	check("gzip -c plain", PACKING_GZIP);
	check("zstd -qc plain", PACKING_ZSTD);
}

static void test_streams_one_after_another_are_one(void **state)
{
	(void)state;
	check("(head -c 99999 plain | gzip -c; tail -c +100000 plain | gzip -c)", PACKING_GZIP);
	check("(head -c 99999 plain | zstd -qc; tail -c +100000 plain | zstd -qc)", PACKING_ZSTD);
}

/* The rest is read, and the facts report it. */
static void check_cut(const char *command, const char *what)
{
	struct source_facts facts;
	struct input *in;
	char path[64];
	size_t nr;

	make(command, path);
	if (open_it(path, &in))
		return;
	source_facts_init(&facts);
	nr = read_all(in); /* the facts may come later */
	assert_true(nr > SIZE / 4 && nr < SIZE);
	input_serve(in, &facts);
	assert_string_equal(facts.damage.what, what);
	assert_true(facts.damage.truncated);
	assert_true(facts.damage.first_pos > 0);
	source_facts_deinit(&facts);
	input_free(in);
}

static void test_a_cut_file_gives_what_is_there(void **state)
{
	(void)state;
	check_cut("(gzip -c plain | head -c $(($(gzip -c plain | wc -c) * 2 / 3)))",
		  "the gzip data end too early");
	check_cut("(head -c 99999 plain | gzip -c; echo and then something else)",
		  "the gzip data cannot be unpacked any further");
	check_cut("(head -c 99999 plain | zstd -qc; tail -c +100000 plain | zstd -qc | head -c 20)",
		  "the zstd data end too early");
	check_cut("(head -c 99999 plain | zstd -qc; echo and then something else)",
		  "the zstd data cannot be unpacked any further");
}

static void test_a_part_ends_by_itself(void **state)
{
	struct input *in, *part;
	char path[64], c;

	(void)state;
	make(NULL, path);
	assert_int_equal(open_it(path, &in), 0);
	assert_int_equal(input_open_part(in, "part", 12345, &part), 0);
	assert_string_equal(input_path(part), "part");
	assert_int_equal(read_all(part), 12345);
	input_free(part);
	assert_int_equal(input_read(in, &c, 1), 1);
	assert_int_equal(c, byte_at(12345));
	/* unread bytes are skipped */
	assert_int_equal(input_open_part(in, "part", 10000, &part), 0);
	input_free(part);
	assert_int_equal(input_read(in, &c, 1), 1);
	assert_int_equal(c, byte_at(22346));
	/* it ends where the outer one does */
	assert_int_equal(input_open_part(in, "part", UINT64_MAX, &part), 0);
	input_free(part);
	assert_int_equal(input_read(in, &c, 1), 0);
	input_free(in);
}

static void test_for_seeking_it_becomes_a_file(void **state)
{
	struct error err = ERROR_INIT;
	struct input *in;
	struct stat st;
	char path[64], c;
	int fd;

	(void)state;
	make("gzip -c plain", path);
	if (open_it(path, &in))
		return;
	assert_int_equal(input_to_file(in, &fd, &err), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, SIZE);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(pread(fd, &c, 1, 77777), 1);
	assert_int_equal(c, byte_at(77777));
	close(fd);
	input_free(in);
}

static void test_a_bomb_does_not_fill_the_disk(void **state)
{
	struct error err = ERROR_INIT;
	struct source_facts facts;
	struct input *in;
	struct stat st;
	char path[64];
	int fd;

	(void)state;
	make("(head -c 1G /dev/zero | zstd -qc)", path);
	if (open_it(path, &in))
		return;
	source_facts_init(&facts);
	input_serve(in, &facts);
	assert_int_equal(input_to_file(in, &fd, &err), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_in_range(st.st_size, 256 << 20, 257 << 20);
	assert_true(facts.damage.truncated);
	close(fd);
	input_free(in);
	source_facts_deinit(&facts);
}

static int stop_at_once(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	uint64_t *told = ctx;

	(void)nr_samples;
	assert_true(bytes <= bytes_total);
	++*told;
	return 1;
}

static void test_the_caller_may_stop_it(void **state)
{
	uint64_t told = 0;
	const struct source_options options = {.progress = stop_at_once, .progress_ctx = &told};
	struct source_facts facts;
	struct input *in;
	char path[64], *buf = malloc(1 << 20);

	(void)state;
	assert_non_null(buf);
	make("(head -c 3M /dev/zero)", path);
	source_facts_init(&facts);
	assert_int_equal(input_open(path, &options, &in, NULL), 0);
	input_serve(in, &facts);
	assert_int_equal(input_read(in, buf, 1 << 20), 1 << 20);
	assert_int_equal(input_read(in, buf, 1 << 20), 0);
	assert_int_equal(input_read(in, buf, 1 << 20), 0);
	assert_int_equal(told, 1);
	assert_true(facts.stop.stopped);
	assert_int_equal(facts.stop.bytes, 1 << 20);
	assert_int_equal(facts.stop.bytes_total, 3 << 20);
	source_facts_deinit(&facts);
	input_free(in);
	free(buf);
}

static void test_the_caller_may_stop_unpacking(void **state)
{
	uint64_t told = 0, done = 0;
	const struct source_options options = {.progress = stop_at_once, .progress_ctx = &told};
	struct source_facts facts;
	struct input *in;
	char path[64], *buf = malloc(1 << 20);
	ssize_t n;

	(void)state;
	assert_non_null(buf);
	/* a few hundred bytes, which are read at once */
	make("(head -c 200M /dev/zero | gzip -c | gzip -c)", path);
	source_facts_init(&facts);
	if (!input_open(path, &options, &in, NULL)) {
		input_serve(in, &facts);
		while ((n = input_read(in, buf, 1 << 20)) > 0)
			done += (uint64_t)n;
		assert_in_range(done, 1, 16 << 20);
		assert_int_equal(told, 1);
		assert_true(facts.stop.stopped);
		input_free(in);
	}
	source_facts_deinit(&facts);
	free(buf);
}

static void test_what_cannot_be_opened(void **state)
{
	struct error err = ERROR_INIT;
	struct input *in;

	(void)state;
	assert_int_equal(input_open("/nonexistent", &usual, &in, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no recording '/nonexistent'"));
	assert_int_equal(input_open("/tmp", &usual, &in, &err), 0);
	assert_true(input_probed(in)->is_directory);
	assert_int_equal(input_probed(in)->head_size, 0);
	input_free(in);
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char line[64];

	(void)state;
	snprintf(line, sizeof(line), "rm -r %s", dir);
	return system(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_is_unpacked_whatever_it_is_packed_with),
		cmocka_unit_test(test_streams_one_after_another_are_one),
		cmocka_unit_test(test_a_cut_file_gives_what_is_there),
		cmocka_unit_test(test_a_part_ends_by_itself),
		cmocka_unit_test(test_for_seeking_it_becomes_a_file),
		cmocka_unit_test(test_a_bomb_does_not_fill_the_disk),
		cmocka_unit_test(test_the_caller_may_stop_it),
		cmocka_unit_test(test_the_caller_may_stop_unpacking),
		cmocka_unit_test(test_what_cannot_be_opened),
	};

	return cmocka_run_group_tests_name("input", tests, setup, teardown);
}
