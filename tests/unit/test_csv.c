// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/report/csv.h"

static void check(const char *text, bool comma, const char *want)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);

	csv_write_field(out, comma, text);
	fclose(out);
	assert_string_equal(buf, want);
	free(buf);
}

static void test_plain_text_stays_as_it_is(void **state)
{
	(void)state;
	check("bash", false, "bash");
	check("", false, "");
	check("a b;c'd", false, "a b;c'd");
	check("\xff\xfe\t", false, "\xff\xfe\t");
}

static void test_what_would_break_a_row_is_quoted(void **state)
{
	(void)state;
	check("a,b", false, "\"a,b\"");
	check("line\nbreak", false, "\"line\nbreak\"");
	check("\r", false, "\"\r\"");
}

static void test_quotes_are_doubled(void **state)
{
	(void)state;
	check("\"", false, "\"\"\"\"");
	check("say \"x\"", false, "\"say \"\"x\"\"\"");
}

static void test_a_comma_parts_fields(void **state)
{
	(void)state;
	check("x", true, ",x");
	check("", true, ",");
	check("a,b", true, ",\"a,b\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_text_stays_as_it_is),
		cmocka_unit_test(test_what_would_break_a_row_is_quoted),
		cmocka_unit_test(test_quotes_are_doubled),
		cmocka_unit_test(test_a_comma_parts_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
