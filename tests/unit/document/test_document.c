// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/document/document.h"

static struct value nothing(const struct document_cell *cell)
{
	(void)cell;
	return value_none();
}

static void test_what_is_for_others_is_left_out(void **state)
{
	struct document d;

	(void)state;
	document_init(&d, FOR_SHEETS);
	assert_false(document_is_for(&d.root, FOR_PEOPLE | FOR_PROGRAMS));
	assert_true(document_is_for(&d.root, FOR_DATA));
	assert_null(document_add_section(&d.root, "x", NULL, FOR_PEOPLE));
	document_add_note(&d.root, "note");
	document_add_line(&d.root, "line %d", 1);
	document_add_item(&d.root, "label", "item");
	document_add_header(&d.root, "Label", "text");
	document_add_comment(&d.root, "%d", 1);
	document_add_labelled(&d.root, "Label", value_none());
	assert_int_equal(document_text(&d.root, "%d", 1).kind, VALUE_NONE);
	assert_null(document_add_styled(&d.root, "Title", STYLE_ALIGNED));
	document_add_figure(&d.root, "id", value_none(), FOR_PROGRAMS);
	assert_int_equal(d.root.nr_items, 0);
	document_add_table(&d.root, &(struct document_table){.id = "t"}, FOR_DATA);
	assert_non_null(document_add_section(&d.root, "x", NULL, FOR_ALL));
	assert_int_equal(d.root.nr_items, 2);
	assert_false(document_failed(&d));
	document_deinit(&d);
}

static void test_building_goes_on_without_a_section(void **state)
{
	struct document d;

	(void)state;
	document_init(&d, FOR_ALL);
	assert_null(document_add_section(NULL, "x", NULL, FOR_ALL));
	assert_false(document_is_for(NULL, FOR_ALL));
	document_add_note(NULL, "note");
	document_add_line(NULL, "note");
	document_add_comment(NULL, "note");
	document_add_labelled(NULL, "Label", document_text(NULL, "text"));
	document_add_figure(NULL, "x", value_none(), FOR_ALL);
	document_add_figures(NULL, &(struct document_column){.id = "x", .value = nothing}, 1, NULL,
			     NULL);
	document_add_table(NULL, &(struct document_table){.id = "x"}, FOR_ALL);
	assert_false(document_failed(&d));
	document_deinit(&d);
}

static void test_what_it_owns_goes_with_it(void **state)
{
	struct document d;
	char *text = strdup("text");

	(void)state;
	document_init(&d, FOR_ALL);
	assert_ptr_equal(document_own(&d, text), text);
	assert_false(document_failed(&d));
	/* an allocation that failed */
	assert_null(document_own(&d, NULL));
	assert_true(document_failed(&d));
	document_deinit(&d);
	assert_false(document_failed(&d));
}

static void test_notes_are_copies(void **state)
{
	char text[] = "before";
	struct document d;

	(void)state;
	document_init(&d, FOR_PEOPLE);
	document_add_note(&d.root, text);
	text[0] = 'x';
	assert_string_equal(d.root.items[0].note.text, "before");
	document_add_note(&d.root, "");
	document_add_line(&d.root, "%s", "");
	assert_int_equal(d.root.nr_items, 1);
	document_deinit(&d);
}

static void test_who_sees_a_column(void **state)
{
	const struct document_column people = {.heading = "X"}, data = {.id = "x"},
				     both = {.id = "x", .heading = "X"}, below = {.below = true},
				     only = {.id = "x", .heading = "X", .audience = FOR_GRAPHS};

	(void)state;
	assert_int_equal(document_column_audience(&people), FOR_PEOPLE);
	assert_int_equal(document_column_audience(&data), FOR_DATA);
	assert_int_equal(document_column_audience(&both), FOR_PEOPLE | FOR_DATA);
	assert_int_equal(document_column_audience(&below), FOR_PEOPLE);
	assert_int_equal(document_column_audience(&only), FOR_GRAPHS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_for_others_is_left_out),
		cmocka_unit_test(test_building_goes_on_without_a_section),
		cmocka_unit_test(test_what_it_owns_goes_with_it),
		cmocka_unit_test(test_notes_are_copies),
		cmocka_unit_test(test_who_sees_a_column),
	};

	return cmocka_run_group_tests_name("document", tests, NULL, NULL);
}
