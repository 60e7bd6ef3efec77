// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON inside of a page; tests/html looks at what a browser makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/render/form.h"

static const uint64_t frames[] = {0x1010, 0x2020, 0x1010, 0x3030};

static struct value_callsite name_address(const void *naming, uint64_t address)
{
	assert_ptr_equal(naming, frames);
	return (struct value_callsite){.address = address,
				       .symbol = address == 0x1010 ? "inner" : NULL,
				       .module = address == 0x1010 ? "ext4" : NULL,
				       .dso = address == 0x3030 ? "/lib/libc.so.6" : NULL,
				       .offset = 0x10};
}

static const void *row_number(const struct document_table *t, uint64_t i, void *buf)
{
	(void)t;
	*(uint64_t *)buf = i;
	return buf;
}

static uint64_t number_of(const struct document_cell *cell)
{
	return *(const uint64_t *)cell->row;
}

static struct value name(const struct document_cell *cell)
{
	return value_text(number_of(cell) ? "</script><b>" : "plain");
}

static struct value hits(const struct document_cell *cell)
{
	return value_u64(1 + number_of(cell));
}

/* Two stacks with the same callee below different callers; then none. */
static struct value stack(const struct document_cell *cell)
{
	uint64_t i = number_of(cell);

	return (struct value){
		.kind = VALUE_STACK,
		.stack = {&frames[i < 2 ? 2 * i : 0], i < 2 ? 2 : 0, name_address, frames}};
}

static const struct document_column columns[] = {
	{"name", "Who", .value = name, .is_key = true},
	{"hits", NULL, .value = hits, .audience = FOR_PROGRAMS, .adds_up = true},
	{"hits", "Hits", .value = hits, .audience = FOR_PEOPLE | FOR_SHEETS, .adds_up = true},
	{"stack", NULL, .value = stack, .audience = FOR_PROGRAMS, .group = "of"},
	{"sheet", NULL, .value = hits, .audience = FOR_SHEETS},
};

/* The JSON in the page of a document with such a table; heap. */
static char *json_of(uint64_t nr_rows)
{
	const struct render_options o = {.thousands_sep = ",", .command = "perf-kmem"};
	struct document d;
	char *buf = NULL, *start, *end, *json;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);

	document_init(&d, form_html.audience);
	document_add_note(&d.root, "a <note>\n");
	document_add_figure(&d.root, "bytes", value_bytes(5), FOR_PROGRAMS);
	document_add_figure(&d.root, "unknown", value_none(), FOR_PROGRAMS);
	document_add_table(&d.root,
			   &(struct document_table){
				   .id = "rows",
				   .columns = columns,
				   .nr_columns = sizeof(columns) / sizeof(columns[0]),
				   .row = row_number,
				   .nr_rows = nr_rows,
				   .rows_total = nr_rows,
			   },
			   FOR_ALL);
	assert_false(document_failed(&d));
	assert_int_equal(form_html.render(out, &o, &d), 0);
	document_deinit(&d);
	fclose(out);
	start = strstr(buf, "id=\"document\">");
	assert_non_null(start);
	start += strlen("id=\"document\">");
	end = strstr(start, "</script>");
	assert_non_null(end);
	json = strndup(start, (size_t)(end - start));
	free(buf);
	return json;
}

static bool has(const char *json, const char *text)
{
	if (strstr(json, text))
		return true;
	print_message("%s\nis not in\n...%s\n", text,
		      strlen(json) > 2000 ? json + strlen(json) - 2000 : json);
	return false;
}

/* A column that people and programs see is there once, and what only sheets see is not. */
static void test_columns_of_people_come_first(void **state)
{
	char *json = json_of(3);

	(void)state;
	assert_true(has(json, "{\"id\": \"name\""));
	assert_true(has(json,
			"{\"id\": \"hits\",\"group\": null,\"heading\": \"Hits\",\"shown\": true"));
	assert_true(has(json, "{\"id\": \"stack\",\"group\": \"of\""));
	assert_null(strstr(json, "\"heading\": null,\"shown\": true"));
	assert_null(strstr(json, "sheet"));
	assert_true(has(json, "\"kinds\": [\"text\",\"count\",\"stack\"]"));
	free(json);
}

/* Frames and callers are shared, strings are numbers, and nothing can end the element. */
static void test_what_repeats_is_written_once(void **state)
{
	char *json = json_of(3);

	(void)state;
	assert_true(has(json, "[0,1,1]"));
	assert_true(has(json, "[3,2,3]"));
	assert_true(has(json, "[3,3,null]"));
	assert_true(has(json, "\"frames\": [[-1,-1,16,\"0x2020\"],[1,2,16],"
			      "[-1,4,16,\"0x3030\",1]]"));
	assert_true(has(json, "\"stacks\": [-1,0,0,1,-1,2,2,1]"));
	assert_true(has(json, "\"strings\": [\"plain\",\"inner\",\"ext4\",\"\\u003c/script>"));
	assert_null(strchr(json, '<'));
	free(json);
}

static void test_figures_and_notes(void **state)
{
	char *json = json_of(1);

	(void)state;
	assert_true(
		has(json, "\"id\": \"bytes\",\"label\": null,\"kind\": \"bytes\",\"value\": 5}"));
	assert_true(
		has(json, "\"id\": \"unknown\",\"label\": null,\"kind\": null,\"value\": null}"));
	assert_true(has(json, "a \\u003cnote>"));
	assert_true(has(json, "\"command\": \"perf-kmem\""));
	free(json);
}

/* Rows beyond the first 20,000 are one, with the sums of additive columns. */
static void test_rows_are_folded(void **state)
{
	char *few = json_of(20000), *many = json_of(20003);

	(void)state;
	assert_null(strstr(few, "folded"));
	assert_true(has(many, "\"folded\": {"));
	assert_true(has(many, "\"rows\": 3,"));
	assert_true(has(many, "\"sums\": [null,60006.0,null]"));
	free(few);
	free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_of_people_come_first),
		cmocka_unit_test(test_what_repeats_is_written_once),
		cmocka_unit_test(test_figures_and_notes),
		cmocka_unit_test(test_rows_are_folded),
	};

	if (form_html.missing) /* built without d3 */
		return 0;
	return cmocka_run_group_tests_name("render_html", tests, NULL, NULL);
}
