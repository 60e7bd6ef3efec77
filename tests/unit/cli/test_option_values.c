// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/strbuf.h"
#include "util/cli/option_values.h"
#include "util/cli/similar.h"

static void assert_values(const char *argh, const char *help, const char *expected)
{
	const struct option opt = {.argh = argh, .help = help};
	struct strbuf all = STRBUF_INIT;
	struct option_values v;
	const char *word;
	size_t len;

	option_values_init(&v, &opt);
	while (option_values_next(&v, &word, &len))
		strbuf_addf(&all, "%.*s;", (int)len, word);
	assert_string_equal(all.len ? all.buf : "", expected);
	strbuf_deinit(&all);
}

static void test_values_are_those_of_the_usage(void **state)
{
	(void)state;
	assert_values("bpf|perf", "how to capture", "bpf;perf;");
	assert_values("fp|dwarf[,<bytes>]", "record user callchains", "fp;dwarf;");
	assert_values("exit|signal|<file>", "when to write", "exit;signal;");
	assert_values("<format>", "one of: text json", "text;json;");
	assert_values("<column>", "Any of: hits/s p50, and the keys of --by", "hits/s;p50;");
	assert_values("<pages|size>", "buffer per CPU: pages, or a size", "");
	assert_values("<n>", "at most n rows of a table", "");
	assert_values("<n>", NULL, "");
	assert_values(NULL, NULL, "");
}

static void test_the_most_similar_value_is_meant(void **state)
{
	const struct option opt = {.argh = "<format>", .help = "one of: text json csv"};
	char buf[SIMILAR_MAX + 1];

	(void)state;
	assert_string_equal(option_values_similar(&opt, "jsn", buf, sizeof(buf)), "json");
	assert_null(option_values_similar(&opt, "pprof", buf, sizeof(buf)));
	/* it is refused for another reason */
	assert_null(option_values_similar(&opt, "json", buf, sizeof(buf)));
}

static void test_three_dots_are_a_list(void **state)
{
	(void)state;
	assert_true(option_takes_list(&(struct option){.argh = "<key>[,<key>...]"}));
	assert_true(option_takes_list(&(struct option){.argh = "<pid,...>"}));
	assert_false(option_takes_list(&(struct option){.argh = "fp|dwarf[,<bytes>]"}));
	assert_false(option_takes_list(&(struct option){.argh = NULL}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_those_of_the_usage),
		cmocka_unit_test(test_the_most_similar_value_is_meant),
		cmocka_unit_test(test_three_dots_are_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
