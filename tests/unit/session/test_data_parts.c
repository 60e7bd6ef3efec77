// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/session/data_parts.h"

static void put(const char *dir, const char *name, size_t size)
{
	char path[128], bytes[64] = {0};
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void test_parts_in_the_order_of_their_numbers(void **state)
{
	static const unsigned int numbers[] = {0, 2, 7, 10};
	char dir[] = "/tmp/test_data_parts.XXXXXX", command[64], path[64];
	struct data_parts p;

	(void)state;
	assert_non_null(mkdtemp(dir));
	put(dir, "data", 33);
	put(dir, "data.10", 1);
	put(dir, "data.2", 2);
	put(dir, "data.0", 4);
	put(dir, "data.3.old", 8);
	put(dir, "data.x", 16);
	put(dir, "data.42949672950", 16);
	snprintf(path, sizeof(path), "%s/data.7", dir);
	assert_int_equal(mkdir(path, 0700), 0);

	assert_int_equal(data_parts_list(dir, &p), 0);
	assert_int_equal(p.nr, 4);
	for (size_t i = 0; i < p.nr; i++)
		assert_int_equal(p.v[i], numbers[i]);
	data_parts_deinit(&p);
	/* a path that is not a directory has none */
	assert_int_equal(data_parts_bytes(dir), 1 + 2 + 4);

	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(data_parts_list(dir, &p), -ENOENT);
	data_parts_deinit(&p);
	assert_int_equal(data_parts_bytes(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_in_the_order_of_their_numbers),
	};

	return cmocka_run_group_tests_name("data_parts", tests, NULL, NULL);
}
