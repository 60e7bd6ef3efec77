// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/cache_aliases.h"

/* "UNIX, signal_cache": the aliases of the cache. */
static void check(const char *groups, const char *cache, const char *want)
{
	struct strbuf all = STRBUF_INIT, one = STRBUF_INIT;
	struct key_names names;
	struct cache_aliases c;
	const char *at = NULL;
	uint32_t number;

	key_names_init(&names);
	number = intern_add_str(&names.strings, cache);
	assert_int_equal(cache_aliases_init(&c, &names.strings, groups), 0);
	while (cache_aliases_next(&c, &names.strings, number, &at, &one)) {
		strbuf_addf(&all, "%s%s", all.len ? ", " : "", one.buf);
		assert_true(all.len < 1000);
	}
	assert_string_equal(all.buf, want);
	cache_aliases_deinit(&c);
	key_names_deinit(&names);
	strbuf_deinit(&all);
	strbuf_deinit(&one);
}

static void test_all_names_but_its_own(void **state)
{
	static const char groups[] = "fs_cache/eventpoll_pwq\nUNIX/UNIX-STREAM/signal_cache\n";

	(void)state;
	check(groups, "signal_cache", "UNIX, UNIX-STREAM");
	check(groups, "UNIX", "UNIX-STREAM, signal_cache");
	check(groups, "UNIX-STREAM", "UNIX, signal_cache");
	check(groups, "fs_cache", "eventpoll_pwq");
	check(groups, "filp", "");
	check("", "filp", "");
	check(NULL, "filp", "");
}

/* A recording may say anything. */
static void test_odd_groups(void **state)
{
	(void)state;
	check("/", "", "");
	check("//a//b/", "a", "b");
	check("a", "a", "");
	check("a/b\na/c\n", "a", "b");
	check("a/a/b/b", "a", "b, b");
	check("\n\n\na/b", "b", "a");
	check("a/a", "a", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_names_but_its_own),
		cmocka_unit_test(test_odd_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
