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

#include "util/report/text_grid.h"

static const char *const cells[2][4] = {
	{"a_function_of_a_long_name+1f", "some-cache", "1234", "99"},
	{"f+0", "x", "7", "100000"},
};

/* The grid of two names and two numbers, printed for a terminal of so many columns. */
static char *print(int terminal)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);
	struct text_grid g;

	text_grid_init(&g, out, terminal);
	text_grid_add(&g, "Callsite", 1);
	text_grid_add(&g, "Cache", 2);
	text_grid_add(&g, "Hits", 0);
	text_grid_add(&g, "Bytes", 0);
	for (unsigned int row = 0; row < 2; row++)
		for (unsigned int i = 0; i < 4; i++)
			text_grid_measure(&g, i, cells[row][i]);
	text_grid_fit(&g);
	text_grid_rule(&g);
	text_grid_headings(&g);
	for (unsigned int row = 0; row < 2; row++)
		for (unsigned int i = 0; i < 4; i++)
			text_grid_cell(&g, i, cells[row][i]);
	text_grid_end(&g);
	fclose(out);
	return buf;
}

static void test_columns_are_as_wide_as_their_cells(void **state)
{
	char *text = print(0);

	(void)state;
	assert_string_equal(text, "-----------------------------------------------------------\n"
				  " Callsite                     | Cache      | Hits |  Bytes\n"
				  " a_function_of_a_long_name+1f | some-cache | 1234 |     99\n"
				  " f+0                          | x          |    7 | 100000\n");
	free(text);
}

static void test_names_are_cut_before_anything_is_left_out(void **state)
{
	char *text = print(36);

	(void)state;
	assert_string_equal(text, "------------------------------------\n"
				  " Callsite | Cache    | Hits |  Bytes\n"
				  " a_funct~ | some-ca~ | 1234 |     99\n"
				  " f+0      | x        |    7 | 100000\n");
	free(text);
}

static void test_columns_go_from_the_right_and_are_named(void **state)
{
	char *text = print(34);

	(void)state;
	assert_string_equal(text, "----------------------------------\n"
				  " Callsite      | Cache      | Hits\n"
				  " a_function_o~ | some-cache | 1234\n"
				  " f+0           | x          |    7\n"
				  " no room for: Bytes\n");
	free(text);
}

static void test_nothing_is_wider_than_the_terminal(void **state)
{
	(void)state;
	for (int terminal = 9; terminal < 70; terminal++) {
		char *text = print(terminal), *save = NULL;

		for (char *line = strtok_r(text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			assert_in_range(strlen(line), 1, terminal);
		free(text);
	}
}

static void test_characters_are_cut_whole(void **state)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);
	struct text_grid g;

	(void)state;
	text_grid_init(&g, out, 9);
	text_grid_add(&g, "Command", 1);
	text_grid_measure(
		&g, 0, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	text_grid_fit(&g);
	text_grid_cell(&g, 0,
		       "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	fclose(out);
	assert_string_equal(buf, " \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9~\n");
	free(buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_are_as_wide_as_their_cells),
		cmocka_unit_test(test_names_are_cut_before_anything_is_left_out),
		cmocka_unit_test(test_columns_go_from_the_right_and_are_named),
		cmocka_unit_test(test_nothing_is_wider_than_the_terminal),
		cmocka_unit_test(test_characters_are_cut_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
