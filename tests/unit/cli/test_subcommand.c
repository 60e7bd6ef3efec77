// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/cleanup.h"
#include "util/cli/similar.h"
#include "util/cli/subcommand.h"

static const struct subcommand record = {
	.name = "record", .min_prefix = 3, .help = "record events"};
static const struct subcommand stat = {.name = "stat", .help = "report"};
static const struct subcommand secret = {.name = "secret"};
static const struct subcommand *const table[] = {&record, &stat, &secret, NULL};

static void test_find(void **state)
{
	static const char *const none[] = {"", "r", "re", "records", "sta", "Stat", "sec"};

	(void)state;
	assert_ptr_equal(subcommand_find(table, "record"), &record);
	assert_ptr_equal(subcommand_find(table, "rec"), &record);
	assert_ptr_equal(subcommand_find(table, "reco"), &record);
	assert_ptr_equal(subcommand_find(table, "stat"), &stat);
	assert_ptr_equal(subcommand_find(table, "secret"), &secret);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_null(subcommand_find(table, none[i]));
}

static void test_unknown_suggests_or_lists(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(subcommand_unknown(table, "subcommand", "stta", &err), -EINVAL);
	assert_string_equal(err.msg, "unknown subcommand 'stta', did you mean 'stat'?");
	assert_int_equal(subcommand_unknown(table, "subcommand", "frob", &err), -EINVAL);
	assert_string_equal(err.msg, "unknown subcommand 'frob', want one of record, stat");
	assert_null(subcommand_similar(table, "secrte"));
	assert_null(subcommand_similar(table, ""));
}

static void test_list(void **state)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	subcommand_list(table, out, 80);
	fclose(out);
	assert_string_equal(text, "    record  record events\n    stat    report\n");
}

static void test_distance(void **state)
{
	char longer[SIMILAR_MAX + 2];

	(void)state;
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(similar_distance("", ""), 0);
	assert_int_equal(similar_distance("abc", ""), 3);
	assert_int_equal(similar_distance("stat", "stat"), 0);
	assert_int_equal(similar_distance("stta", "stat"), 1);
	assert_int_equal(similar_distance("kitten", "sitting"), 3);
	assert_true(similar_distance(longer, "a") > SIMILAR_MAX);
	assert_int_equal(similar_distance(longer + 1, longer + 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_unknown_suggests_or_lists),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
