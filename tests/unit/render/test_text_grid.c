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

#include "util/render/text_grid.h"

static void add_name(struct text_grid *g, const char *heading, unsigned int cut)
{
	text_grid_add(g, &(struct text_grid_column){
				 .heading = heading, .is_key = true, .is_name = true, .cut = cut});
}

static void add_figure(struct text_grid *g, const char *heading, unsigned int keep)
{
	text_grid_add(g, &(struct text_grid_column){.heading = heading, .keep = keep});
}

static const char *const cells[2][4] = {
	{"a_function_of_a_long_name+1f", "some-cache", "1234", "99"},
	{"f+0", "x", "7", "100000"},
};

/* The grid of two names and two numbers, printed for a terminal of this many columns. */
static char *print(int terminal)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);
	struct text_grid g;

	text_grid_init(&g, out, terminal);
	add_name(&g, "Callsite", 1);
	add_name(&g, "Cache", 2);
	add_figure(&g, "Hits", 0);
	add_figure(&g, "Bytes", 0);
	for (unsigned int row = 0; row < 2; row++)
		for (unsigned int i = 0; i < 4; i++)
			text_grid_measure(&g, i, cells[row][i]);
	text_grid_fit(&g);
	text_grid_rule(&g);
	text_grid_headings(&g);
	for (unsigned int row = 0; row < 2; row++)
		for (unsigned int i = 0; i < 4; i++)
			text_grid_cell(&g, i, cells[row][i], TEXT_NORMAL);
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

static void test_names_are_cut_while_they_can_be_read(void **state)
{
	char *text = print(42);

	(void)state;
	assert_string_equal(text, "------------------------------------------\n"
				  " Callsite     | Cache      | Hits |  Bytes\n"
				  " a_functi~+1f | some-cache | 1234 |     99\n"
				  " f+0          | x          |    7 | 100000\n");
	free(text);
}

/* Name, and the same in a column of this width. */
static void check_cut(const char *name, int width, const char *want)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);
	struct text_grid g;

	text_grid_init(&g, out, width + 1);
	add_name(&g, "Name", 1);
	text_grid_measure(&g, 0, name);
	text_grid_fit(&g);
	text_grid_cell(&g, 0, name, TEXT_NORMAL);
	fclose(out);
	assert_string_equal(buf, want);
	free(buf);
}

static void test_the_end_that_tells_names_apart_stays(void **state)
{
	(void)state;
	check_cut("copy_process+18a", 12, " copy_pr~+18a\n");
	check_cut("fuzz_kallsyms-23966", 12, " fuzz_~-23966\n");
	check_cut("kmalloc-cg-192", 12, " kmalloc~-192\n");
	/* the number of objects goes first */
	check_cut("python3-25098 (21)", 16, " python3-25098~  \n");
	check_cut("python3-25098 (1,021)", 12, " pytho~-25098\n");
	check_cut("0xffffffff924d15a6", 10, " ~f924d15a6\n");
	check_cut("0xffffffff924d15a6 (21)", 10, " ~f924d15a6\n");
	check_cut("0xffffffff924d15a6 (21)", 19, " 0xffffffff924d15a6~\n");
	check_cut("0x924d15a6+7", 8, " 0x924~+7\n");
	check_cut("python3 (2 processes)", 12, " python3 (2 ~\n");
	/* there is no room for it, or it is too long to be one */
	check_cut("python3-25098 (21)", 10, " python3-2~\n");
	check_cut("a-name-of-many-characters", 12, " a-name-of-m~\n");
	check_cut("shmem_inode_cache", 12, " shmem_inode~\n");
}

/* Figures with a `keep` are worth more than long names, others are not. */
static void test_figures_that_are_to_stay_shorten_names(void **state)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);
	struct text_grid g;

	(void)state;
	text_grid_init(&g, out, 36);
	text_grid_add(&g, &(struct text_grid_column){.heading = "Call site",
						     .is_key = true,
						     .is_name = true,
						     .readable = 20,
						     .shortest = 12});
	add_figure(&g, "Behaviour", 2);
	add_figure(&g, "Oldest", 0);
	add_figure(&g, "Bytes", 3);
	text_grid_measure(&g, 0, "a_function_of_a_long_name+1f");
	text_grid_fit(&g);
	text_grid_headings(&g);
	text_grid_end(&g);
	fclose(out);
	assert_string_equal(buf, " Call site       | Behaviour | Bytes\n no room for: Oldest\n");
	free(buf);
}

static void test_a_heading_stays_whole(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct text_grid g;

	(void)state;
	text_grid_init(&g, out, 30);
	add_name(&g, "Who", 2);
	add_name(&g, "Most of it by", 1);
	text_grid_measure(&g, 0, "a-long-command-1");
	text_grid_measure(&g, 1, "a_function_of_a_long_name+1f");
	text_grid_fit(&g);
	text_grid_headings(&g);
	fclose(out);
	assert_string_equal(text, " Who           | Most of it by\n");
	free(text);
}

/* All names used to be cut to 8 characters first. */
static void test_figures_go_before_names_cannot_be_read(void **state)
{
	char *text = print(41);

	(void)state;
	assert_string_equal(text, "-----------------------------------------\n"
				  " Callsite             | Cache      | Hits\n"
				  " a_function_of_a_~+1f | some-cache | 1234\n"
				  " f+0                  | x          |    7\n"
				  " no room for: Bytes\n");
	free(text);
}

/* The rows on a narrow terminal used to be just names. */
static void test_the_first_figure_stays(void **state)
{
	char *text = print(27);

	(void)state;
	assert_string_equal(text, "---------------------------\n"
				  " Callsite | Cache    | Hits\n"
				  " a_funct~ | some-ca~ | 1234\n"
				  " f+0      | x        |    7\n"
				  " no room for: Bytes\n");
	free(text);
	text = print(24);
	assert_string_equal(text, "------------------------\n"
				  " Callsite         | Hits\n"
				  " a_function_o~+1f | 1234\n"
				  " f+0              |    7\n"
				  " no room for: Cache, By~\n");
	free(text);
	text = print(15);
	assert_string_equal(text, "---------------\n"
				  " Callsite\n"
				  " a_function~+1f\n"
				  " f+0\n"
				  " no room for: ~\n");
	free(text);
}

/* A CPU or a pid says what the row is. */
static void test_keys_that_are_numbers_are_no_figures(void **state)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);
	struct text_grid g;

	(void)state;
	text_grid_init(&g, out, 14);
	add_figure(&g, "Bytes", 0);
	add_figure(&g, "Hits", 0);
	text_grid_add(&g, &(struct text_grid_column){.heading = "CPU", .is_key = true});
	text_grid_fit(&g);
	text_grid_headings(&g);
	text_grid_end(&g);
	fclose(out);
	assert_string_equal(buf, " Bytes | CPU\n no room for:~\n");
	free(buf);
}

static void test_a_mark_follows_the_heading_and_widens_the_column(void **state)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);
	struct text_grid g;

	(void)state;
	text_grid_init(&g, out, 0);
	text_grid_add(&g, &(struct text_grid_column){.heading = "Bytes", .mark = " ▾"});
	text_grid_add(&g, &(struct text_grid_column){.heading = "Hits"});
	text_grid_fit(&g);
	assert_int_equal(text_grid_headings(&g), 0);
	text_grid_cell(&g, 0, "12", TEXT_NORMAL);
	text_grid_cell(&g, 1, "3", TEXT_NORMAL);
	fclose(out);
	assert_string_equal(buf, " Bytes ▾ | Hits\n      12 |    3\n");
	free(buf);
}

static void test_a_style_is_an_escape_sequence_only_with_colours(void **state)
{
	(void)state;
	for (int colours = 0; colours < 2; colours++) {
		char *buf = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&buf, &len);
		struct text_grid g;

		text_grid_init(&g, out, 0);
		g.colours = colours;
		text_grid_add(&g, &(struct text_grid_column){.heading = "Class", .mark = " v"});
		text_grid_fit(&g);
		text_grid_headings(&g);
		text_grid_cell(&g, 0, "leaking", TEXT_ALARM);
		fclose(out);
		assert_string_equal(buf,
				    colours ? " \033[1mClass v\033[0m\n \033[1;31mleaking\033[0m\n"
					    : " Class v\n leaking\n");
		free(buf);
	}
}

/* The table of leak at 80 columns: names matter more than most figures, and some figures more than
 * others. */
static void test_what_matters_least_goes_first(void **state)
{
	static const struct text_grid_column site = {
		.heading = "Call site", .is_key = true, .is_name = true, .cut = 1, .readable = 16};
	static const struct text_grid_column owner = {
		.heading = "Held by", .is_name = true, .cut = 2, .keep = 2};
	static const char *const row[] = {"copy_process+18a", "medium", "5", "41216",
					  "bash-25134 (2)"};
	static const struct {
		int terminal;
		const char *text;
	} cases[] = {
		{59, " Call site        | Evidence | Count | Bytes | Held by\n"
		     " copy_process+18a |   medium |     5 | 41216 | bash-25134~ \n"},
		{51, " Call site        | Evidence | Bytes | Held by\n"
		     " copy_process+18a |   medium | 41216 | bash-25134~ \n"},
		{43, " Call site        | Bytes | Held by\n"
		     " copy_process+18a | 41216 | bash-25134 (2)\n"},
		{25, " Call site        | Bytes\n"
		     " copy_process+18a | 41216\n"},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		char *buf = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&buf, &len);
		struct text_grid g;

		text_grid_init(&g, out, cases[c].terminal);
		text_grid_add(&g, &site);
		add_figure(&g, "Evidence", 1);
		add_figure(&g, "Count", 0);
		add_figure(&g, "Bytes", 4);
		text_grid_add(&g, &owner);
		for (unsigned int i = 0; i < 5; i++)
			text_grid_measure(&g, i, row[i]);
		text_grid_fit(&g);
		text_grid_headings(&g);
		for (unsigned int i = 0; i < 5; i++)
			text_grid_cell(&g, i, row[i], TEXT_NORMAL);
		fclose(out);
		assert_string_equal(buf, cases[c].text);
		free(buf);
	}
}

static void test_columns_go_from_the_right_and_are_named(void **state)
{
	char *text = print(34);

	(void)state;
	assert_string_equal(text, "----------------------------------\n"
				  " Callsite      | Cache      | Hits\n"
				  " a_functio~+1f | some-cache | 1234\n"
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
	add_name(&g, "Command", 1);
	text_grid_measure(
		&g, 0, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	text_grid_fit(&g);
	text_grid_cell(&g, 0,
		       "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
		       TEXT_NORMAL);
	fclose(out);
	assert_string_equal(buf, " \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9~\n");
	free(buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_are_as_wide_as_their_cells),
		cmocka_unit_test(test_names_are_cut_while_they_can_be_read),
		cmocka_unit_test(test_the_end_that_tells_names_apart_stays),
		cmocka_unit_test(test_figures_that_are_to_stay_shorten_names),
		cmocka_unit_test(test_a_heading_stays_whole),
		cmocka_unit_test(test_figures_go_before_names_cannot_be_read),
		cmocka_unit_test(test_the_first_figure_stays),
		cmocka_unit_test(test_keys_that_are_numbers_are_no_figures),
		cmocka_unit_test(test_a_style_is_an_escape_sequence_only_with_colours),
		cmocka_unit_test(test_a_mark_follows_the_heading_and_widens_the_column),
		cmocka_unit_test(test_what_matters_least_goes_first),
		cmocka_unit_test(test_columns_go_from_the_right_and_are_named),
		cmocka_unit_test(test_nothing_is_wider_than_the_terminal),
		cmocka_unit_test(test_characters_are_cut_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
