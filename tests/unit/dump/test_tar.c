// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/dump/tar.h"

static void check_round_trip(const char *name, uint64_t size)
{
	uint8_t block[TAR_BLOCK];
	struct tar_entry e;

	tar_make_header(block, name, size, 1700000000);
	assert_int_equal(tar_parse_header(block, &e), 1);
	assert_string_equal(e.name, name);
	assert_int_equal(e.size, size);
	assert_true(e.is_file);
}

static void test_what_is_written_is_read(void **state)
{
	(void)state;
	check_round_trip("perf-kmem-snapshot/info", 0);
	check_round_trip("a", 511);
	check_round_trip("b", (1ull << 33) - 1);
	check_round_trip("c", 1ull << 33); /* does not fit 11 octal digits */
	check_round_trip("d", 1ull << 50);
}

static void test_tar_reads_it(void **state)
{
	char path[] = "/tmp/test_tar.XXXXXX", command[128], line[64] = "";
	uint8_t block[TAR_BLOCK], zeroes[3 * TAR_BLOCK] = "hello\n";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	(void)state;
	assert_non_null(f);
	tar_make_header(block, "folder/file", 6, 1700000000);
	fwrite(block, 1, sizeof(block), f);
	fwrite(zeroes, 1, sizeof(zeroes), f);
	fclose(f);
	snprintf(command, sizeof(command), "tar xOf %s folder/file", path);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_int_equal(pclose(f), 0);
	assert_string_equal(line, "hello\n");
	remove(path);
}

static void test_zeroes_end_it(void **state)
{
	uint8_t block[TAR_BLOCK] = {0};
	struct tar_entry e;

	(void)state;
	assert_int_equal(tar_parse_header(block, &e), 0);
}

static void test_each_changed_byte_is_noticed(void **state)
{
	uint8_t block[TAR_BLOCK];
	struct tar_entry e;

	(void)state;
	tar_make_header(block, "name", 1234, 1700000000);
	for (size_t i = 0; i < TAR_BLOCK; i++) {
		/* blanks and NULs around the checksum itself mean nothing */
		if (i >= 148 && i < 156)
			continue;
		block[i] ^= 1;
		assert_int_equal(tar_parse_header(block, &e), -EINVAL);
		block[i] ^= 1;
	}
	assert_int_equal(tar_parse_header(block, &e), 1);
}

static void test_padding(void **state)
{
	(void)state;
	assert_int_equal(tar_padding(0), 0);
	assert_int_equal(tar_padding(1), 511);
	assert_int_equal(tar_padding(512), 0);
	assert_int_equal(tar_padding(513), 511);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_tar_reads_it),
		cmocka_unit_test(test_zeroes_end_it),
		cmocka_unit_test(test_each_changed_byte_is_noticed),
		cmocka_unit_test(test_padding),
	};

	return cmocka_run_group_tests_name("tar", tests, NULL, NULL);
}
