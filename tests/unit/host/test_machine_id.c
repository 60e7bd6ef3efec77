// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/host/machine_id.h"

static void check(const char *text, const char *machine, const char *boot)
{
	char path[] = "/tmp/machine-id.XXXXXX";
	int fd = mkstemp(path);
	struct machine_id id;

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "%s", text) >= 0);
	machine_id_read(&id, path, path);
	close(fd);
	unlink(path);
	assert_string_equal(id.machine, machine);
	assert_string_equal(id.boot, boot);
}

/* The same as `systemd-id128 machine-id --app-specific=7d0b6f0e2c5b4a4f9d3ce1b86a4f52c7`. */
static void test_derived_as_systemd_does(void **state)
{
	(void)state;
	check("3d1219c7c4c5404aaa1f6d2a48adfda4\n", "e2dcc2b2d19740d384c802705fec9f51",
	      "3d1219c7c4c5404aaa1f6d2a48adfda4");
	check("3d1219c7-c4c5-404a-aa1f-6d2a48adfda4", "e2dcc2b2d19740d384c802705fec9f51",
	      "3d1219c7c4c5404aaa1f6d2a48adfda4");
}

static void test_unknown(void **state)
{
	static const char *const texts[] = {
		"",
		"uninitialized\n",
		"3d1219c7c4c5404aaa1f6d2a48adfd",
		"3d1219c7c4c5404aaa1f6d2a48adfda4a4",
		"3d1219c7c4c5404aaa1f6d2a48adfd-",
		"3d1219c7c4c5404a 0x1f6d2a48adfda4",
	};
	struct machine_id id;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check(texts[i], "", "");
	machine_id_read(&id, "/nowhere/machine-id", "/nowhere/boot_id");
	assert_string_equal(id.machine, "");
	assert_string_equal(id.boot, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_derived_as_systemd_does),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("machine_id", tests, NULL, NULL);
}
