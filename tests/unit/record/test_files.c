// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/record/files.h"

static void test_names_and_limit(void **state)
{
	const struct timespec now = {.tv_sec = 1000000000, .tv_nsec = 990000000};
	char dir[] = "/tmp/test_files.XXXXXX", base[64];
	struct files f = {.max = 2};
	char *names[3];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(base, sizeof(base), "%s/d", dir);
	/* Always a new one, even at the same moment. */
	for (int i = 0; i < 3; i++) {
		FILE *file;

		names[i] = files_name(base, &now);
		assert_non_null(names[i]);
		assert_int_equal(strlen(names[i]), strlen(base) + 1 + 16);
		file = fopen(names[i], "wx");
		assert_non_null(file);
		fclose(file);
		assert_int_equal(files_add(&f, names[i], 100 + (uint64_t)i), 0);
	}
	assert_int_equal(f.nr, 2);
	assert_int_equal(f.bytes, 203);
	assert_int_equal(access(names[0], F_OK), -1);
	assert_string_equal(f.v[0].path, names[1]);
	files_deinit(&f);
	for (int i = 0; i < 3; i++) {
		unlink(names[i]);
		free(names[i]);
	}
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names_and_limit)};

	return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
