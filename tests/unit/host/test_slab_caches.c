// SPDX-License-Identifier: GPL-2.0-or-later
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

#include "util/base/cleanup.h"
#include "util/host/slab_caches.h"

static char dir[] = "/tmp/test_slab_caches.XXXXXX";

static int setup(void **state)
{
	(void)state;
	memcpy(strrchr(dir, '.'), ".XXXXXX", sizeof(".XXXXXX"));
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* target: NULL for a directory. */
static void put(const char *name, const char *target)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(target ? symlink(target, path) : mkdir(path, 0700), 0);
}

/* As in /sys/kernel/slab: a directory for each unmerged cache, links to groups. */
static void test_families_and_merged_caches(void **state)
{
	_cleanup_(slab_caches_deinit) struct slab_caches c;

	(void)state;
	put(":A-0001152", NULL);
	put(":0000256", NULL);
	put("signal_cache", ":A-0001152");
	put("UNIX", ":A-0001152");
	put("UNIX-STREAM", ":A-0001152");
	put("biovec-16", ":0000256"); /* the only one of its size */
	put("filp", NULL);
	put("kmalloc-64", NULL);
	put("kmalloc-cg-64", NULL);
	put("kmalloc-rcl-8k", NULL); /* a size that not every family has */
	put("a\nb", ":0000256");
	assert_int_equal(slab_caches_init(&c, dir, "/nonexistent"), 0);
	assert_true(c.known);
	assert_string_equal(c.families.buf, "kmalloc kmalloc-cg");
	assert_string_equal(c.aliases.buf, "UNIX/UNIX-STREAM/signal_cache\n");
	assert_false(c.reclaimable_known);
}

static void put_text(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Through links to groups, too; a cache whose file cannot be read is in no list. */
static void test_reclaimable_caches(void **state)
{
	_cleanup_(slab_caches_deinit) struct slab_caches c;

	(void)state;
	put(":a-0000104", NULL);
	put_text(":a-0000104/reclaim_account", "1\n");
	put("buffer_head", ":a-0000104");
	put("Acpi-State", ":a-0000104");
	put("dentry", NULL);
	put_text("dentry/reclaim_account", "1\n");
	put("filp", NULL);
	put_text("filp/reclaim_account", "0\n");
	put("task_struct", NULL);
	assert_int_equal(slab_caches_init(&c, dir, "/nonexistent"), 0);
	assert_true(c.reclaimable_known);
	assert_string_equal(c.reclaimable.buf, "Acpi-State/buffer_head/dentry");
}

static void test_slabinfo_where_there_is_no_sysfs(void **state)
{
	_cleanup_(slab_caches_deinit) struct slab_caches c;
	char path[128];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/slabinfo", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs("slabinfo - version: 2.1\n# name            <active_objs> <num_objs>\n"
	      "dma-kmalloc-128        0      0     64\nkmalloc-128          512    512\n",
	      f);
	fclose(f);
	assert_int_equal(slab_caches_init(&c, "/nonexistent", path), 0);
	assert_true(c.known);
	assert_string_equal(c.families.buf, "kmalloc dma-kmalloc");
	assert_string_equal(c.aliases.buf, "");
}

static void test_nothing_is_told(void **state)
{
	_cleanup_(slab_caches_deinit) struct slab_caches c;

	(void)state;
	assert_int_equal(slab_caches_init(&c, "/nonexistent", "/nonexistent"), 0);
	assert_false(c.known);
	slab_caches_deinit(&c);
	assert_int_equal(slab_caches_init(&c, dir, "/nonexistent"), 0);
	assert_false(c.known);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_families_and_merged_caches),
		TEST(test_reclaimable_caches),
		TEST(test_slabinfo_where_there_is_no_sysfs),
		TEST(test_nothing_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
