// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
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

#include "tests/unit/skip.h"
#include "util/usersym/disassembly.h"

static bool is_installed(void)
{
	return !system("objdump --version >/dev/null 2>&1");
}

/* push; jump over; zeroes; a call to 0x401000; return */
static const uint8_t code[] = {0x55, 0xeb, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0xe8, 0, 0, 0, 0, 0xc3};

static void test_instructions(void **state)
{
	uint8_t bytes[sizeof(code)];
	const int32_t distance = 0x401000 - (0x400000 + 16);
	const struct code_bytes c = {bytes, sizeof(bytes), 0x400000, EM_X86_64, false, false};
	struct disassembly d = DISASSEMBLY_INIT, intel = DISASSEMBLY_INIT;
	struct error err = ERROR_INIT;
	uint64_t target = 0;
	size_t len = 0;

	(void)state;
	if (!is_installed())
		skip_because("objdump is not installed");
	memcpy(bytes, code, sizeof(code));
	memcpy(bytes + 12, &distance, sizeof(distance));
	if (disassemble(&d, &c, NULL, NULL, &err))
		fail_msg("%s", err.msg);
	/* all of it, the zeroes too, in order; nothing twice */
	assert_true(d.nr > 4);
	for (size_t i = 1; i < d.nr; i++)
		assert_true(d.v[i].address > d.v[i - 1].address);
	assert_int_equal(d.v[0].address, 0x400000);
	assert_non_null(strstr(d.v[0].text, "push"));
	assert_int_equal(d.v[d.nr - 1].address, 0x400010);
	assert_string_equal(d.v[d.nr - 1].text, "ret");
	assert_true(disassembly_target(d.v[1].text, &target, &len));
	assert_int_equal(target, 0x40000b);
	assert_int_equal(d.v[d.nr - 2].address, 0x40000b);
	assert_true(disassembly_target(d.v[d.nr - 2].text, &target, &len));
	assert_int_equal(target, 0x401000);

	assert_int_equal(disassemble(&intel, &c, "objdump", "intel", &err), 0);
	assert_string_equal(intel.v[0].text, "push   rbp");
	assert_string_equal(d.v[0].text, "push   %rbp");
	disassembly_deinit(&d);
	disassembly_deinit(&intel);
}

static void test_errors(void **state)
{
	struct code_bytes c = {code, sizeof(code), 0, EM_X86_64, false, false};
	struct disassembly d = DISASSEMBLY_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(disassemble(&d, &c, "/nonexistent/objdump", NULL, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/objdump"));
	assert_int_equal(disassemble(&d, &c, "false", NULL, &err), -EIO);
	assert_int_equal(disassemble(&d, &c, "true", NULL, &err), 0);
	assert_int_equal(d.nr, 0);
	/* lines that are not of the code */
	assert_int_equal(disassemble(&d, &c, "echo", NULL, &err), 0);
	assert_int_equal(d.nr, 0);
	c.machine = 0xfffe;
	assert_int_equal(disassemble(&d, &c, NULL, NULL, &err), -ENOTSUP);
	disassembly_deinit(&d);
}

/* A script in place of objdump; the caller removes it. */
static void write_script(char *path, const char *text)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "#!/bin/sh\n%s\n", text) > 0);
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
}

/* qemu-user reports a program that is not there by this status. */
static void test_status_of_a_missing_program(void **state)
{
	struct code_bytes c = {code, sizeof(code), 0, EM_X86_64, false, false};
	struct disassembly d = DISASSEMBLY_INIT;
	char path[] = "/tmp/perf-kmem-test.XXXXXX";
	struct error err = ERROR_INIT;

	(void)state;
	write_script(path, "exit 127");
	assert_int_equal(disassemble(&d, &c, path, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.msg, path));
	disassembly_deinit(&d);
	unlink(path);
}

/* The script writes its arguments as the text of an instruction. */
static void test_options(void **state)
{
	static const struct {
		const char *style, *options;
		bool is_thumb;
	} cases[] = {
		{NULL, "--adjust-vma=0x0 /dev/stdin", false},
		{"intel", "--adjust-vma=0x0 -M intel /dev/stdin", false},
		{NULL, "--adjust-vma=0x0 -M force-thumb /dev/stdin", true},
		{"reg-names-raw", "--adjust-vma=0x0 -M force-thumb -M reg-names-raw /dev/stdin",
		 true},
	};
	char path[] = "/tmp/perf-kmem-test.XXXXXX";
	struct code_bytes c = {code, sizeof(code), 0, EM_ARM, false, false};
	struct error err = ERROR_INIT;

	(void)state;
	write_script(path, "printf ' 0:\\t%s\\n' \"$*\"");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct disassembly d = DISASSEMBLY_INIT;

		c.is_thumb = cases[i].is_thumb;
		assert_int_equal(disassemble(&d, &c, path, cases[i].style, &err), 0);
		assert_int_equal(d.nr, 1);
		assert_string_equal(strstr(d.v[0].text, "--adjust"), cases[i].options);
		disassembly_deinit(&d);
	}
	unlink(path);
}

static void test_targets(void **state)
{
	static const struct {
		const char *text;
		uint64_t target; /* 0: none */
		size_t len;
	} cases[] = {
		{"call   0x1139", 0x1139, 7},
		{"mov    0x2e5f(%rip),%eax        # 0x4024", 0x4024, 34},
		{"cbz    w0, 0xffff800080010000", 0xffff800080010000, 11},
		{"push   $0x5", 0, 0},
		{"mov    eax,0x1139", 0, 0},
		{"call   *0x1139", 0, 0},
		{"ret", 0, 0},
		{"", 0, 0},
		{"bad    0x", 0, 0},
		{"bad    0x12g", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t target = 0;
		size_t len = 0;

		assert_int_equal(disassembly_target(cases[i].text, &target, &len),
				 cases[i].target != 0);
		assert_int_equal(target, cases[i].target);
		assert_int_equal(len, cases[i].len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_status_of_a_missing_program),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
