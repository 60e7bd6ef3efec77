// SPDX-License-Identifier: GPL-2.0-or-later
/* Balances, the changes between two of them, and the command for the largest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/where/advice.h"
#include "util/where/growth.h"

static void make(struct balance *b, int64_t filp, int64_t vmalloc, int64_t slab)
{
	uint32_t line;

	balance_init(b, 1000);
	line = balance_add(b, BALANCE_ROOT, "slab", NULL, slab);
	if (filp) {
		balance_add_new(b, line, "filp", NULL, filp);
		balance_add_rest(b, line, "rest", NULL);
	}
	balance_add(b, BALANCE_ROOT, "vmalloc", "vmalloc areas", vmalloc);
	balance_add_rest(b, BALANCE_ROOT, "unaccounted", NULL);
	balance_finish(b);
	assert_false(b->failed);
}

static const struct growth_row *find(const struct growth *g, const char *path)
{
	for (size_t i = 0; i < g->nr; i++)
		if (!strcmp(g->v[i].path, path))
			return &g->v[i];
	return NULL;
}

static int64_t sum(const struct growth *g)
{
	int64_t changes = 0;

	for (size_t i = 0; i < g->nr; i++)
		changes += g->v[i].change;
	return changes;
}

static void test_changes(void **state)
{
	struct balance old, new;
	struct growth g;

	(void)state;
	make(&old, 100, 50, 300);
	make(&new, 180, 20, 300);
	growth_init(&g, &old, &new, 2);
	assert_false(g.failed);
	assert_int_equal(g.nr, 4);
	assert_int_equal(sum(&g), 0);
	assert_string_equal(g.v[0].path, "slab/filp");
	assert_string_equal(g.v[0].label, "slab > filp");
	assert_int_equal(g.v[0].old, 100);
	assert_int_equal(g.v[0].new, 180);
	assert_int_equal(g.v[0].change, 80);
	assert_int_equal(find(&g, "slab/rest")->change, -80);
	assert_int_equal(find(&g, "vmalloc")->change, -30);
	assert_string_equal(find(&g, "vmalloc")->label, "vmalloc areas");
	assert_int_equal(find(&g, "unaccounted")->change, 30);
	growth_deinit(&g);
	balance_deinit(&old);
	balance_deinit(&new);
}

/* Without its children on one side, the line itself is compared, whichever side that is. */
static void test_undivided(void **state)
{
	(void)state;
	for (int swapped = 0; swapped < 2; swapped++) {
		struct balance whole, divided;
		struct growth g;

		make(&whole, 0, 50, 300);
		make(&divided, 100, 50, 350);
		growth_init(&g, swapped ? &divided : &whole, swapped ? &whole : &divided, 0);
		assert_int_equal(g.nr, 3);
		assert_int_equal(sum(&g), 0);
		assert_int_equal(find(&g, "slab")->change, swapped ? -50 : 50);
		assert_null(find(&g, "slab/filp"));
		growth_deinit(&g);
		balance_deinit(&whole);
		balance_deinit(&divided);
	}
}

/* Lines that only one side has. */
static void test_new_and_gone(void **state)
{
	struct balance old, new;
	struct growth g;

	(void)state;
	make(&old, 0, 50, 300);
	balance_init(&new, 1000);
	balance_add(&new, BALANCE_ROOT, "hugetlb", NULL, 1000);
	balance_add_rest(&new, BALANCE_ROOT, "unaccounted", NULL);
	balance_finish(&new);
	growth_init(&g, &old, &new, 0);
	assert_int_equal(g.nr, 4);
	assert_string_equal(g.v[0].path, "hugetlb");
	assert_int_equal(g.v[0].old, 0);
	assert_int_equal(find(&g, "slab")->new, 0);
	assert_int_equal(find(&g, "slab")->change, -300);
	assert_int_equal(find(&g, "unaccounted")->change, -650);
	growth_deinit(&g);
	balance_deinit(&old);
	balance_deinit(&new);
}

static void test_limits(void **state)
{
	struct balance b;

	(void)state;
	assert_int_equal(balance_sum(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(balance_sum(INT64_MIN, -1), INT64_MIN);
	balance_init(&b, 10);
	assert_int_equal(balance_add(&b, BALANCE_NONE, "x", NULL, 1), BALANCE_NONE);
	balance_set_who(&b, BALANCE_NONE, "nobody");
	for (int i = 0; i < BALANCE_LINES_MAX; i++)
		balance_add_new(&b, BALANCE_ROOT, "same", NULL, 1);
	assert_int_equal(b.nr, BALANCE_LINES_MAX);
	assert_int_equal(balance_add(&b, BALANCE_ROOT, "other", NULL, 1), BALANCE_NONE);
	balance_finish(&b);
	assert_false(b.failed);
	balance_deinit(&b);
}

static bool has_none(const char *id)
{
	(void)id;
	return false;
}

static bool has_all(const char *id)
{
	(void)id;
	return true;
}

static void check_advice(bool (*has_account)(const char *id), const char *path, const char *want)
{
	const struct advice_options o = {"perf-kmem", has_account};
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(advice_add(&o, path, &sb), *want != '\0');
	assert_string_equal(sb.buf, want);
	strbuf_deinit(&sb);
}

static void test_advice(void **state)
{
	(void)state;
	check_advice(has_none, "slab/unreclaimable/filp",
		     "perf-kmem leak --cache filp --duration 1m");
	check_advice(has_none, "slab/unreclaimable/large_kmalloc",
		     "perf-kmem leak --min-bytes 8K --duration 1m");
	check_advice(has_none, "slab/unreclaimable/a; rm -rf b", "");
	check_advice(has_none, "slab/unreclaimable", "");
	check_advice(has_none, "slab/reclaimable/dentry", "");
	check_advice(has_none, "vmalloc/f", "perf-kmem leak --page --duration 1m");
	check_advice(has_all, "vmalloc/f", "perf-kmem leak --vmalloc --duration 1m");
	check_advice(has_all, "percpu", "perf-kmem leak --percpu-mem --duration 1m");
	check_advice(has_none, "unaccounted", "perf-kmem leak --page --duration 1m");
	check_advice(has_all, "user/anon", "");
	check_advice(has_all, "free", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),	     cmocka_unit_test(test_undivided),
		cmocka_unit_test(test_new_and_gone), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
