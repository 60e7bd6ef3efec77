// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/machine/cgroups.h"

struct fixture {
	struct intern strings;
	struct cgroups cgroups;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	intern_init(&f->strings);
	cgroups_init(&f->cgroups, &f->strings);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	cgroups_deinit(&f->cgroups);
	intern_deinit(&f->strings);
	free(f);
	return 0;
}

static const char *path(struct fixture *f, uint64_t id)
{
	return intern_get(&f->strings, cgroups_path(&f->cgroups, id), NULL);
}

static void test_an_id_has_its_latest_path(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(cgroups_set_path(&f->cgroups, 7, "/old"), 0);
	assert_string_equal(path(f, 7), "/old");
	assert_int_equal(cgroups_set_path(&f->cgroups, 7, "/new"), 0);
	assert_string_equal(path(f, 7), "/new");
}

static void test_a_cgroup_that_was_made_again_is_the_same(void **state)
{
	struct fixture *f = *state;

	cgroups_set_path(&f->cgroups, 7, "/a");
	cgroups_set_path(&f->cgroups, 8, "/a");
	assert_int_equal(cgroups_path(&f->cgroups, 7), cgroups_path(&f->cgroups, 8));
}

static void test_without_a_path_it_is_a_number(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(path(f, UINT64_MAX), "18446744073709551615");
	assert_string_equal(path(f, 9), "9");
	cgroups_set_path(&f->cgroups, 9, "/named");
	assert_string_equal(path(f, 9), "/named");
	assert_string_equal(path(f, 0), "unknown");
}

static void test_no_path_is_longer_than_any_of_the_kernel(void **state)
{
	struct fixture *f = *state;
	char *huge = malloc(3 * PATH_MAX);

	memset(huge, 'x', 3 * PATH_MAX);
	huge[3 * PATH_MAX - 1] = '\0';
	assert_int_equal(cgroups_set_path(&f->cgroups, 7, huge), 0);
	assert_int_equal(strlen(path(f, 7)), PATH_MAX);
	free(huge);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_id_has_its_latest_path),
		TEST(test_a_cgroup_that_was_made_again_is_the_same),
		TEST(test_without_a_path_it_is_a_number),
		TEST(test_no_path_is_longer_than_any_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
