// SPDX-License-Identifier: GPL-2.0-or-later
/* A program of ours stands for a vmlinux: it has a build-id, functions and a symbol to go by. */
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

#include "util/usersym/disassembly.h"
#include "util/usersym/kernel_image.h"

#ifdef HAVE_LIBELF

static struct source_facts facts;
static struct elf_file self;
static uint64_t main_address;

static int setup(void **state)
{
	(void)state;
	source_facts_init(&facts);
	if (elf_file_open(&self, "/proc/self/exe", NULL) || !self.build_id_size ||
	    !elf_file_symbol(&self, "main", &main_address))
		return -1;
	memcpy(facts.kernel_build_id, self.build_id, self.build_id_size);
	facts.kernel_build_id_size = self.build_id_size;
	strcpy(facts.kernel_text_symbol, "main");
	facts.kernel_text_address = 0xffffffff81000000;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	elf_file_close(&self);
	source_facts_deinit(&facts);
	return 0;
}

static void test_named(void **state)
{
	struct error err = ERROR_INIT;
	struct kernel_image k;
	struct code_bytes code;

	(void)state;
	if (kernel_image_open(&k, "/proc/self/exe", &facts, NULL, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(facts.kernel_text_address - k.moved_by, main_address);
	assert_true(dso_code(&k.dso, main_address, &code));
	assert_int_equal(code.address, main_address);
#ifdef __thumb__
	assert_true(code.is_thumb);
#else
	assert_false(code.is_thumb);
#endif
	assert_true(code.size > 8 && code.size < 4096);
	assert_false(dso_code(&k.dso, 1, &code));
	kernel_image_close(&k);
}

static void test_refused(void **state)
{
	struct source_facts other = facts;
	struct error err = ERROR_INIT;
	struct kernel_image k;

	(void)state;
	other.kernel_build_id[0] ^= 1;
	assert_int_equal(kernel_image_open(&k, "/proc/self/exe", &other, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "not the kernel that was recorded"));
	/* the user says that it is, where the recording does not */
	other.kernel_build_id_size = 0;
	assert_int_equal(kernel_image_open(&k, "/proc/self/exe", &other, NULL, &err), 0);
	kernel_image_close(&k);
	other = facts;
	strcpy(other.kernel_text_symbol, "no_such_symbol");
	assert_int_equal(kernel_image_open(&k, "/proc/self/exe", &other, NULL, &err), -ENODATA);
	assert_int_equal(kernel_image_open(&k, "/dev/null", &facts, NULL, &err), -EINVAL);
	assert_int_equal(kernel_image_open(&k, "/nonexistent", &facts, NULL, &err), -ENOENT);
}

/* Find an image by build-id and by release, below a directory; never one with another build-id. */
static void test_found(void **state)
{
	char dir[] = "/tmp/perf-kmem-test.XXXXXX", command[4096], path[2048];
	/* under qemu-user, only the process itself reads its own program in /proc/PID/exe */
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct dso_search search = {.symfs = dir};
	struct error err = ERROR_INIT;
	struct kernel_image k;

	(void)state;
	assert_true(len > 0);
	path[len] = '\0';
	assert_non_null(mkdtemp(dir));
	free(facts.osrelease);
	facts.osrelease = strdup("1.2.3-test");
	assert_int_equal(kernel_image_open(&k, NULL, &facts, &search, &err), -ENOENT);
	snprintf(command, sizeof(command), "mkdir %s/boot && cp '%s' %s/boot/vmlinux-1.2.3-test",
		 dir, path, dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(kernel_image_open(&k, NULL, &facts, &search, &err), 0);
	kernel_image_close(&k);
	facts.kernel_build_id[0] ^= 1;
	assert_int_equal(kernel_image_open(&k, NULL, &facts, &search, &err), -ENOENT);
	facts.kernel_build_id[0] ^= 1;
	free(facts.osrelease);
	facts.osrelease = strdup("../boot/vmlinux");
	assert_int_equal(kernel_image_open(&k, NULL, &facts, &search, &err), -ENOENT);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_named, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_found, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
