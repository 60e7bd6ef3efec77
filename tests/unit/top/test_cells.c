// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/cells_text.h"
#include "util/top/cells.h"

static void assert_shows(const struct cells *c, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	cells_add_text(&sb, c);
	assert_string_equal(sb.buf, expected);
	strbuf_deinit(&sb);
}

static void test_fields_are_padded_and_cut(void **state)
{
	struct cells c;

	(void)state;
	assert_int_equal(cells_init(&c, 3, 10), 0);
	cells_put_left(&c, 0, 0, 4, CELL_NORMAL, "abcdef");
	cells_put_right(&c, 0, 4, 6, CELL_NORMAL, "12");
	cells_put_left(&c, 1, 0, 6, CELL_SELECTED, "ab");
	cells_put_right(&c, 2, 0, 3, CELL_NORMAL, "12345");
	assert_shows(&c, "abc~    12\nab\n12~\n");
	assert_int_equal(cells_at(&c, 1, 5)->style, CELL_SELECTED);
	assert_int_equal(cells_at(&c, 1, 6)->style, CELL_NORMAL);
	cells_deinit(&c);
}

static void test_nothing_is_written_outside(void **state)
{
	struct cells c;

	(void)state;
	assert_int_equal(cells_init(&c, 2, 4), 0);
	cells_put(&c, 0, 2, 100, CELL_NORMAL, "abcdef");
	cells_put(&c, 2, 0, 4, CELL_NORMAL, "no");
	cells_put(&c, -1, 0, 4, CELL_NORMAL, "no");
	cells_put(&c, 1, -2, 4, CELL_NORMAL, "wxyz");
	cells_put_left(&c, 1, 3, -5, CELL_NORMAL, "no");
	cells_style_line(&c, 7, CELL_TITLE);
	assert_shows(&c, "  ab\nyz\n");
	cells_deinit(&c);
}

static void test_a_character_takes_one_cell(void **state)
{
	struct cells c;

	(void)state;
	assert_int_equal(cells_init(&c, 1, 8), 0);
	assert_int_equal(cells_width("\xc3\xa4▁x"), 3);
	/* wide, combining, broken, moving the cursor */
	cells_put(&c, 0, 0, 8, CELL_NORMAL, "\xe6\xbc\xa2\xcc\x81\xff\x1b\xc3\xa4▁");
	assert_shows(&c, "????\xc3\xa4▁\n");
	cells_deinit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_are_padded_and_cut),
		cmocka_unit_test(test_nothing_is_written_outside),
		cmocka_unit_test(test_a_character_takes_one_cell),
	};

	return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
