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

#include "util/render/csv.h"

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
	check("-1", false, "-1");
	check("-12.5", false, "-12.5");
}

static void test_what_would_break_a_row_is_quoted(void **state)
{
	(void)state;
	check("a,b", false, "\"a,b\"");
	check("caf\xc3\xa9,", false, "\"caf\xc3\xa9,\"");
}

static void test_what_is_no_part_of_a_name_is_replaced(void **state)
{
	(void)state;
	check("line\nbreak", false, "\"line?break\"");
	check("\r", false, "\"?\"");
	check("\t=1", false, "\"?=1\"");
	check("\x1b[2J", false, "\"?[2J\"");
	check("\xff\xfe", false, "\"??\"");
	check("\xe2\x80\xae", false, "\"?\""); /* from right to left */
}

static void test_a_spreadsheet_does_not_run_names(void **state)
{
	(void)state;
	check("=1+1", false, "\"'=1+1\"");
	check("@SUM(A1)", false, "\"'@SUM(A1)\"");
	check("+1", false, "\"'+1\"");
	check("-1+cmd|' /C calc'!A0", false, "\"'-1+cmd|' /C calc'!A0\"");
	check("=HYPERLINK(\"x\")", true, ",\"'=HYPERLINK(\"\"x\"\")\"");
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
		cmocka_unit_test(test_what_is_no_part_of_a_name_is_replaced),
		cmocka_unit_test(test_a_spreadsheet_does_not_run_names),
		cmocka_unit_test(test_quotes_are_doubled),
		cmocka_unit_test(test_a_comma_parts_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
