// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/host/running_kernel.h"

static void test_by_build_id(void **state)
{
	uint8_t id[BUILD_ID_MAX], other[BUILD_ID_MAX] = {0};
	size_t size = running_kernel_build_id(id);
	struct kernel_identity k = {
		.release = "0.1", .machine = "none", .build_id = id, .build_id_size = size};

	(void)state;
	if (!size)
		skip_because("the running kernel exposes no build-id");
	assert_true(running_kernel_is(&k));
	memcpy(other, id, size);
	other[0] ^= 1;
	k.build_id = other;
	assert_false(running_kernel_is(&k));
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

static struct page_types read_text(const char *text)
{
	char path[] = "/tmp/test_running_kernel.XXXXXX";
	int fd = mkstemp(path);
	struct page_types p;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(page_types_init(&p, path), 0);
	unlink(path);
	return p;
}

static int add_module(void *ctx, const struct running_module *m)
{
	char *text = ctx;

	sprintf(text + strlen(text), "%s %llx-%llx %zu;", m->name, (unsigned long long)m->start,
		(unsigned long long)m->end, m->build_id_size);
	return !strcmp(m->name, "last");
}

static void test_modules(void **state)
{
	char path[] = "/tmp/test_running_kernel.XXXXXX", text[128] = "";
	FILE *f = fdopen(mkstemp(path), "w");

	(void)state;
	fputs("no_such_module 4096 1 - Live 0xffffffffc0000000 (OE)\n"
	      "hidden 8192 0 - Live 0x0000000000000000\n"
	      "no line of a module\n"
	      "last 16 0 - Live 0xffffffffc0001000\n"
	      "unread 16 0 - Live 0xffffffffc0002000\n",
	      f);
	fclose(f);
	assert_int_equal(running_modules_for_each(path, add_module, text), 1);
	unlink(path);
	assert_string_equal(text, "no_such_module ffffffffc0000000-ffffffffc0001000 0;"
				  "last ffffffffc0001000-ffffffffc0001010 0;");
	assert_int_equal(running_modules_for_each(path, add_module, text), 0);
}

static void test_pageblocks_and_migrate_types(void **state)
{
	struct page_types p = read_text("Page block order: 9\n\n"
					"Number of blocks type     Unmovable      Movable  "
					"Reclaimable   HighAtomic      Isolate \n"
					"Node 0, zone      DMA            1            7\n");

	(void)state;
	assert_int_equal(p.pageblock_order, 9);
	assert_string_equal(p.migratetypes, "Unmovable Movable Reclaimable HighAtomic Isolate");
	page_types_deinit(&p);
}

static void test_a_text_without_migrate_types(void **state)
{
	struct page_types p = read_text("nothing");

	(void)state;
	assert_int_equal(p.pageblock_order, 0);
	assert_null(p.migratetypes);
	assert_int_equal(page_types_init(&p, "/nonexistent"), 0);
	assert_int_equal(p.pageblock_order, 0);
	assert_null(p.migratetypes);
}

static bool is_confidential(const char *levels)
{
	char path[] = "/tmp/test_running_kernel.XXXXXX";
	int fd = mkstemp(path);
	bool ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, levels, strlen(levels)), strlen(levels));
	close(fd);
	ret = running_kernel_is_confidential(path);
	unlink(path);
	return ret;
}

static void test_confidential(void **state)
{
	(void)state;
	assert_true(is_confidential("none integrity [confidentiality]\n"));
	assert_false(is_confidential("none [integrity] confidentiality\n"));
	assert_false(is_confidential(""));
	assert_false(running_kernel_is_confidential("/nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_build_id),
		cmocka_unit_test(test_confidential),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_else_by_release_and_machine),
		cmocka_unit_test(test_pageblocks_and_migrate_types),
		cmocka_unit_test(test_a_text_without_migrate_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
