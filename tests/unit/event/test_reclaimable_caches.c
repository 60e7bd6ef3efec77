// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/key.h"
#include "util/event/reclaimable_caches.h"

static bool has(const char *reported, const char *cache)
{
	struct reclaimable_caches r;
	struct key_names names;
	bool ret;

	key_names_init(&names);
	assert_int_equal(reclaimable_caches_init(&r, &names.strings, reported), 0);
	assert_true(r.known == (reported != NULL));
	ret = reclaimable_caches_has(&r, &names.strings, intern_add_str(&names.strings, cache));
	reclaimable_caches_deinit(&r);
	key_names_deinit(&names);
	return ret;
}

static void test_the_source_decides(void **state)
{
	(void)state;
	assert_true(has("bdev_cache/dentry", "dentry"));
	assert_true(has("bdev_cache/dentry", "bdev_cache"));
	assert_false(has("bdev_cache/dentry", "dent"));
	/* its own kernel says that this one is not */
	assert_false(has("bdev_cache/dentry", "buffer_head"));
	assert_false(has("", "dentry"));
}

static void test_without_it_names_decide(void **state)
{
	(void)state;
	assert_true(has(NULL, "dentry"));
	assert_true(has(NULL, "ext4_inode_cache"));
	assert_false(has(NULL, "bdev_cache"));
	assert_false(has(NULL, "signal_cache"));
}

static void test_kmalloc_says_so_in_its_name(void **state)
{
	(void)state;
	assert_true(has(NULL, "kmalloc-rcl-64"));
	assert_true(has("dentry", "kmalloc-rcl-64"));
	assert_false(has("dentry", "kmalloc-64"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_source_decides),
		cmocka_unit_test(test_without_it_names_decide),
		cmocka_unit_test(test_kmalloc_says_so_in_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
