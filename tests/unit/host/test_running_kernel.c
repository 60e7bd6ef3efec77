// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>
#include <cmocka.h>

#include "util/host/running_kernel.h"

static void test_by_build_id(void **state)
{
	uint8_t id[BUILD_ID_MAX], other[BUILD_ID_MAX] = {0};
	size_t size = running_kernel_build_id(id);
	struct kernel_identity k = {
		.release = "0.1", .machine = "none", .build_id = id, .build_id_size = size};

	(void)state;
	if (!size)
		skip(); /* this kernel exposes none */
	assert_true(running_kernel_is(&k));
	memcpy(other, id, size);
	other[0] ^= 1;
	k.build_id = other;
	assert_false(running_kernel_is(&k));
}

static void test_a_module_that_is_not_loaded_has_none(void **state)
{
	uint8_t id[BUILD_ID_MAX];

	(void)state;
	assert_int_equal(running_module_build_id("no_such_module", id), 0);
}

static void test_else_by_release_and_machine(void **state)
{
	struct utsname uts;
	struct kernel_identity k;

	(void)state;
	assert_int_equal(uname(&uts), 0);
	k = (struct kernel_identity){.release = uts.release, .machine = uts.machine};
	assert_true(running_kernel_is(&k));
	k.machine = NULL;
	assert_false(running_kernel_is(&k));
	k = (struct kernel_identity){.release = "0.1", .machine = uts.machine};
	assert_false(running_kernel_is(&k));
	k.release = NULL;
	assert_false(running_kernel_is(&k));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_build_id),
		cmocka_unit_test(test_a_module_that_is_not_loaded_has_none),
		cmocka_unit_test(test_else_by_release_and_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
