// SPDX-License-Identifier: GPL-2.0-or-later
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
#include "util/base/strbuf.h"
#include "util/host/cgroup_tree.h"

static char dir[64];

/* A directory that looks like a hierarchy; its ids are inode numbers. */
static uint64_t make(const char *path)
{
	char full[256];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", dir, path);
	assert_int_equal(mkdir(full, 0755), 0);
	assert_int_equal(stat(full, &st), 0);
	return st.st_ino;
}

static void drop(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", dir, path);
	assert_int_equal(rmdir(full), 0);
}

static int note(void *ctx, uint64_t id, const char *path)
{
	struct strbuf *sb = ctx;

	assert_true(id != 0);
	return strbuf_addf(sb, "%s ", path);
}

static int refuse(void *ctx, uint64_t id, const char *path)
{
	(void)ctx, (void)id, (void)path;
	return -ESTALE;
}

static void test_all_groups_parents_first(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct cgroup_tree t;
	char file[80];
	FILE *f;

	(void)state;
	make("/a");
	make("/a/b c");
	make("/a/b c/d");
	snprintf(file, sizeof(file), "%s/cgroup.procs", dir);
	f = fopen(file, "we");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(cgroup_tree_init_at(&t, dir, NULL), 0);
	assert_int_equal(cgroup_tree_for_each(&t, note, &sb), 0);
	assert_string_equal(sb.buf, "/ /a /a/b c /a/b c/d ");
	assert_int_equal(cgroup_tree_for_each(&t, refuse, NULL), -ESTALE);
	cgroup_tree_deinit(&t);
	strbuf_deinit(&sb);
	unlink(file);
	drop("/a/b c/d");
	drop("/a/b c");
	drop("/a");
}

static void test_a_group_is_found_when_it_is_asked_for(void **state)
{
	struct cgroup_tree t;
	struct stat st;
	uint64_t a, b;

	(void)state;
	assert_int_equal(stat(dir, &st), 0);
	a = make("/a");
	assert_int_equal(cgroup_tree_init_at(&t, dir, NULL), 0);
	assert_string_equal(cgroup_tree_path(&t, st.st_ino), "/");
	assert_string_equal(cgroup_tree_path(&t, a), "/a");
	b = make("/a/late");
	assert_string_equal(cgroup_tree_path(&t, b), "/a/late");
	assert_null(cgroup_tree_path(&t, UINT64_MAX));
	drop("/a/late");
	assert_string_equal(cgroup_tree_path(&t, b), "/a/late"); /* remembered */
	cgroup_tree_deinit(&t);
	drop("/a");
}

static void test_no_directory_is_an_error(void **state)
{
	struct error err = ERROR_INIT;
	struct cgroup_tree t;

	(void)state;
	assert_int_equal(cgroup_tree_init_at(&t, "/nonexistent/cgroup", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "'/nonexistent/cgroup'"));
	cgroup_tree_deinit(&t);
}

/* Compare the real tree, if it exists: by handles and by reading it, the answers are the same. */
static int compare(void *ctx, uint64_t id, const char *path)
{
	struct cgroup_tree *trees = ctx;
	const char *by_handle = cgroup_tree_path(&trees[0], id);
	const char *read = cgroup_tree_path(&trees[1], id);

	/* others may remove their groups meanwhile */
	if (by_handle)
		assert_string_equal(by_handle, path);
	if (read)
		assert_string_equal(read, path);
	if (!strcmp(path, "/")) {
		assert_non_null(by_handle);
		assert_non_null(read);
	}
	return 0;
}

static void test_this_machine(void **state)
{
	struct cgroup_tree trees[2];

	(void)state;
	if (cgroup_tree_init(&trees[0], NULL))
		skip_because("no hierarchy of control groups is mounted");
	assert_int_equal(cgroup_tree_init(&trees[1], NULL), 0);
	trees[1].by_handle = false;
	assert_int_equal(cgroup_tree_for_each(&trees[0], compare, trees), 0);
	cgroup_tree_deinit(&trees[0]);
	cgroup_tree_deinit(&trees[1]);
}

static const char *news(struct cgroup_news *n, uint64_t id)
{
	const char *path;

	assert_int_equal(cgroup_news_path(n, id, &path), 0);
	return path;
}

static void test_each_group_is_new_once(void **state)
{
	struct cgroup_news n = {.last_id = 0};
	uint64_t a = make("/a"), b = make("/b");

	(void)state;
	table_init(&n.known, sizeof(uint64_t), sizeof(uint64_t));
	assert_int_equal(cgroup_tree_init_at(&n.tree, dir, NULL), 0);
	assert_null(news(&n, 0));
	assert_string_equal(news(&n, a), "/a");
	assert_null(news(&n, a));
	assert_string_equal(news(&n, b), "/b");
	assert_null(news(&n, a));
	assert_null(news(&n, UINT64_MAX)); /* there is no such group */
	cgroup_news_forget(&n);
	assert_string_equal(news(&n, a), "/a");
	cgroup_news_deinit(&n);
	drop("/b");
	drop("/a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_groups_parents_first),
		cmocka_unit_test(test_a_group_is_found_when_it_is_asked_for),
		cmocka_unit_test(test_no_directory_is_an_error),
		cmocka_unit_test(test_each_group_is_new_once),
		cmocka_unit_test(test_this_machine),
	};
	int failed;

	snprintf(dir, sizeof(dir), "/tmp/test_cgroup_tree.XXXXXX");
	if (!mkdtemp(dir))
		return EXIT_FAILURE;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	return rmdir(dir) || failed;
}
