// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"

static void test_empty_is_printable(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_string_equal(sb.buf, "");
	assert_int_equal(sb.len, 0);
	assert_int_equal(strbuf_add(&sb, NULL, 0), 0);
	assert_string_equal(sb.buf, "");
	strbuf_deinit(&sb);
	strbuf_deinit(&sb);
	assert_string_equal(sb.buf, "");
}

static void test_add_keeps_the_nul(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&sb, "one");
	strbuf_addch(&sb, ',');
	strbuf_add(&sb, "two\0x", 5);
	assert_int_equal(sb.len, 9);
	assert_memory_equal(sb.buf, "one,two\0x", 10);
	assert_false(sb.failed);
}

static void test_addf_grows_over_every_boundary(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	char text[301];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		memset(text, 'x', n);
		text[n] = '\0';
		strbuf_deinit(&sb);
		assert_int_equal(strbuf_addf(&sb, "%s", text), 0);
		assert_int_equal(sb.len, n);
		assert_string_equal(sb.buf, text);
		assert_int_equal(strbuf_addf(&sb, "<%d>", 42), 0);
		assert_string_equal(sb.buf + n, "<42>");
	}
}

static void test_setlen_only_cuts(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	size_t cap;

	(void)state;
	strbuf_setlen(&sb, 0);
	strbuf_addstr(&sb, "abcdef");
	strbuf_setlen(&sb, 9);
	assert_string_equal(sb.buf, "abcdef");
	strbuf_setlen(&sb, 3);
	assert_string_equal(sb.buf, "abc");
	cap = sb.cap;
	strbuf_reset(&sb);
	assert_string_equal(sb.buf, "");
	assert_int_equal(sb.cap, cap);
}

/* A request that cannot be satisfied leaves the content unchanged, and sets `failed`. */
static void test_overflow_fails_and_sticks(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&sb, "kept");
	assert_int_equal(strbuf_grow(&sb, SIZE_MAX), -ENOMEM);
	assert_int_equal(strbuf_grow(&sb, SIZE_MAX - 4), -ENOMEM);
	assert_true(sb.failed);
	assert_string_equal(sb.buf, "kept");
	strbuf_addstr(&sb, "!");
	assert_true(sb.failed);
	/* whatever was made of it */
	strbuf_reset(&sb);
	assert_true(sb.failed);
	strbuf_deinit(&sb);
	assert_false(sb.failed);
}

static void test_detach_hands_over(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	_cleanup_free_ char *empty = strbuf_detach(&sb);
	_cleanup_free_ char *full = NULL;

	(void)state;
	assert_string_equal(empty, "");
	strbuf_addstr(&sb, "text");
	full = strbuf_detach(&sb);
	assert_string_equal(full, "text");
	assert_string_equal(sb.buf, "");
	assert_int_equal(sb.cap, 0);
}

static void test_read_a_pipe_to_its_end(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	int fds[2];

	(void)state;
	strbuf_addstr(&sb, "> ");
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "a\0b", 3), 3);
	close(fds[1]);
	assert_int_equal(strbuf_read(&sb, fds[0]), 0);
	close(fds[0]);
	assert_int_equal(sb.len, 5);
	assert_memory_equal(sb.buf, "> a\0b", 6);
}

/* Longer than any buffer, and of a size unknown to stat(). */
static void test_read_files(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	char path[] = "/tmp/test_strbuf.XXXXXX";
	int fd = mkstemp(path);
	char chunk[1000];

	(void)state;
	assert_true(fd >= 0);
	memset(chunk, 'z', sizeof(chunk));
	for (int i = 0; i < 300; i++)
		assert_int_equal(write(fd, chunk, sizeof(chunk)), sizeof(chunk));
	close(fd);
	assert_int_equal(strbuf_read_file(&sb, path), 0);
	unlink(path);
	assert_int_equal(sb.len, 300000);
	assert_int_equal(strlen(sb.buf), 300000);

	strbuf_reset(&sb);
	assert_int_equal(strbuf_read_file(&sb, "/proc/self/stat"), 0);
	assert_true(sb.len > 0);
	assert_int_equal(strbuf_read_file(&sb, "/nonexistent/file"), -ENOENT);
	assert_int_equal(strbuf_read_file(&sb, "/"), -EISDIR);
	assert_int_equal(strbuf_read(&sb, -1), -EBADF);
}

static void test_add_hex_fills_up_on_the_left(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_add_hex(&sb, 0, 1);
	strbuf_add_hex(&sb, 0x1f, 4);
	strbuf_add_hex(&sb, UINT64_MAX, 1);
	strbuf_add_hex(&sb, 0xabc, 16);
	assert_string_equal(sb.buf, "0  1fffffffffffffffff             abc");
}

static void test_add_hex_bytes(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_add_hex_bytes(&sb, (const uint8_t[]){0, 0x1f, 0xff}, 3);
	assert_string_equal(sb.buf, "001fff");
	strbuf_add_hex_bytes(&sb, NULL, 0);
	assert_string_equal(sb.buf, "001fff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_is_printable),
		cmocka_unit_test(test_add_keeps_the_nul),
		cmocka_unit_test(test_addf_grows_over_every_boundary),
		cmocka_unit_test(test_add_hex_fills_up_on_the_left),
		cmocka_unit_test(test_add_hex_bytes),
		cmocka_unit_test(test_setlen_only_cuts),
		cmocka_unit_test(test_overflow_fails_and_sticks),
		cmocka_unit_test(test_detach_hands_over),
		cmocka_unit_test(test_read_a_pipe_to_its_end),
		cmocka_unit_test(test_read_files),
	};

	return cmocka_run_group_tests_name("strbuf", tests, NULL, NULL);
}
