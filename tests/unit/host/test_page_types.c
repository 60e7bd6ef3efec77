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

#include "util/host/page_types.h"

static struct page_types told(const char *text)
{
	char path[] = "/tmp/test_page_types.XXXXXX";
	int fd = mkstemp(path);
	struct page_types p;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(page_types_init(&p, path), 0);
	unlink(path);
	return p;
}

static void test_pageblocks_and_migrate_types(void **state)
{
	struct page_types p = told("Page block order: 9\n\n"
				   "Number of blocks type     Unmovable      Movable  "
				   "Reclaimable   HighAtomic      Isolate \n"
				   "Node 0, zone      DMA            1            7\n");

	(void)state;
	assert_int_equal(p.pageblock_order, 9);
	assert_string_equal(p.migratetypes, "Unmovable Movable Reclaimable HighAtomic Isolate");
	page_types_deinit(&p);
}

static void test_nothing_is_told(void **state)
{
	struct page_types p = told("nothing");

	(void)state;
	assert_int_equal(p.pageblock_order, 0);
	assert_null(p.migratetypes);
	assert_int_equal(page_types_init(&p, "/nonexistent"), 0);
	assert_int_equal(p.pageblock_order, 0);
	assert_null(p.migratetypes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pageblocks_and_migrate_types),
		cmocka_unit_test(test_nothing_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
