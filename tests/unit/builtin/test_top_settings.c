// SPDX-License-Identifier: GPL-2.0-or-later
/* The settings of top's screen, kept in a configuration file and read again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "builtin/kmem/top_settings.h"
#include "util/base/cleanup.h"

static const char *const names[] = {"callsite", "cache", "comm"};
static const struct top_groupings groupings = {
	.names = {"callsite", "cache", "comm"}, .nr = 3, .first = 1};
static char home[] = "/tmp/test_top_settings.XXXXXX";
static char path[sizeof(home) + 16];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(home))
		return -1;
	snprintf(path, sizeof(path), "%s/.perfconfig", home);
	unsetenv("PERF_CONFIG");
	return setenv("HOME", home, 1);
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(home);
}

static void begin(struct top_view *v)
{
	top_view_init(v);
	v->groupings[ACCOUNT_slab] = names;
	v->nr_groupings[ACCOUNT_slab] = 3;
}

static unsigned int column(const char *name)
{
	unsigned int at = top_column_find(name);

	assert_in_range(at, 0, TOP_COLUMNS - 1);
	return at;
}

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static void assert_file(const char *want)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;

	assert_int_equal(strbuf_read_file(&text, path), 0);
	assert_int_equal(text.len, strlen(want));
	assert_memory_equal(text.buf, want, text.len);
}

static void keep(struct top_view *v)
{
	_cleanup_(strbuf_deinit) struct strbuf kept = STRBUF_INIT;
	struct error err = ERROR_INIT;

	assert_int_equal(top_settings_keep(v, &kept, &err), 0);
	assert_string_equal(kept.buf, path);
}

/* The screen as it was comes back, and the rest of the file stays. */
static void test_round_trip(void **state)
{
	struct kmem_config config;
	struct error err = ERROR_INIT;
	struct top_view v;

	(void)state;
	write_file("# mine\n[kmem]\n\tdefault = page\n[other]\n\tx = 1\n");
	begin(&v);
	v.total = true;
	v.order[true] = column("live");
	v.ascending = true;
	v.request.grouping = 2;
	snprintf(v.filter, sizeof(v.filter), "%s", " a;\"b");
	keep(&v);
	top_view_deinit(&v);
	assert_file("# mine\n[kmem]\n\tdefault = page\n\ttop-sort = -live\n\ttop-by = comm\n"
		    "\ttop-total = true\n\ttop-filter = \" a;\\\"b\"\n[other]\n\tx = 1\n");

	assert_int_equal(kmem_config_load(&config, &err), 0);
	begin(&v);
	assert_int_equal(top_settings_grouping(&config.top, &groupings), 2);
	top_settings_apply(&config.top, &v, false);
	assert_true(v.total);
	assert_true(v.ascending);
	assert_int_equal(v.order[true], column("live"));
	assert_string_equal(v.filter, " a;\"b");
	top_view_deinit(&v);
	kmem_config_deinit(&config);
}

/* Settings that are kept again replace the ones before. */
static void test_kept_twice(void **state)
{
	struct top_view v;

	(void)state;
	unlink(path);
	begin(&v);
	keep(&v);
	snprintf(v.filter, sizeof(v.filter), "%s", "skb");
	keep(&v);
	top_view_deinit(&v);
	assert_file("[kmem]\n\ttop-sort = bytes/s\n\ttop-by = callsite\n\ttop-total = false\n"
		    "\ttop-filter = skb\n");
}

/* The command line's order is kept, with its sums or rates. */
static void test_options_precede_settings(void **state)
{
	const struct kmem_top_settings settings = {
		.sort = "-live", .by = "nothing", .filter = "f", .total = true};
	struct top_view v;

	(void)state;
	begin(&v);
	v.order[false] = column("growth");
	top_settings_apply(&settings, &v, true);
	assert_false(v.total);
	assert_false(v.ascending);
	assert_int_equal(v.order[false], column("growth"));
	assert_string_equal(v.filter, "f");
	/* a grouping that is not there is not chosen */
	assert_int_equal(top_settings_grouping(&settings, &groupings), groupings.first);
	top_view_deinit(&v);
}

/* A column that the screen does not have now is not chosen. */
static void test_columns_that_are_not_shown(void **state)
{
	const struct kmem_top_settings live = {.sort = "live"},
				       rates = {.sort = "hits/s", .total = true};
	struct top_view v;

	(void)state;
	begin(&v);
	v.live_unknown = true;
	top_settings_apply(&live, &v, false);
	assert_int_not_equal(v.order[false], column("live"));
	top_settings_apply(&rates, &v, false);
	assert_true(v.total);
	assert_int_not_equal(v.order[true], column("hits/s"));
	top_view_deinit(&v);
}

/* A file that cannot be parsed keeps its contents, and the message names it. */
static void test_a_broken_file_is_left_alone(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf kept = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct top_view v;

	(void)state;
	write_file("[kmem\n");
	begin(&v);
	assert_int_equal(top_settings_keep(&v, &kept, &err), -EINVAL);
	assert_non_null(strstr(err.msg, path));
	assert_file("[kmem\n");
	top_view_deinit(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_kept_twice),
		cmocka_unit_test(test_options_precede_settings),
		cmocka_unit_test(test_columns_that_are_not_shown),
		cmocka_unit_test(test_a_broken_file_is_left_alone),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
