// SPDX-License-Identifier: GPL-2.0-or-later
/* Documents, and the same one in each form. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/render/render_csv.h"
#include "util/render/render_json.h"
#include "util/render/render_text.h"

struct row {
	const char *name;
	uint64_t hits;
	int64_t change;
};

static struct value name(const void *row, const void *context)
{
	(void)context;
	return value_text(((const struct row *)row)->name);
}

static struct value hits(const void *row, const void *context)
{
	(void)context;
	return value_u64(((const struct row *)row)->hits);
}

static struct value change(const void *row, const void *context)
{
	(void)context;
	return value_change(((const struct row *)row)->change);
}

static struct value share(const void *row, const void *context)
{
	const uint64_t *all = context;

	return value_percent(100.0 * (double)((const struct row *)row)->hits / (double)*all, 3, 1);
}

static const struct document_column columns[] = {
	{"name", "Who", 10, true, name},
	{"hits", "Hits", 4, false, hits},
	{"change", "Change", 6, false, change},
	{"share_percent", NULL, 0, false, share},
	{NULL, "Share of all\nhits", 4, false, share},
};

static const struct row rows[] = {{"short", 1234567, -5},
				  {"a_long_name_indeed", 7, 12},
				  {"s\xc3\xa9l\xc3\xa9n\xc3\xa9", 0, 0}};
static const struct row sum = {NULL, 1234574, 7};
static const uint64_t all = 1234574;

static void build(struct document *d, uint64_t nr_rows)
{
	struct document_section *s;

	document_init(d);
	s = document_add_section(&d->root, "hats", "WHO HAS HATS", FOR_ALL);
	document_add_note(s, "There are hats.\nMany of them.");
	document_add_figure(s, "mean", value_real(2.0 / 3, 3, 1), FOR_PROGRAMS);
	document_add_figure(s, "unknown", value_none(), FOR_PROGRAMS);
	document_add_figures(s, columns, 5, &rows[1], &all);
	document_add_table(s,
			   &(struct document_table){
				   .id = "heads",
				   .total_id = "heads_total",
				   .columns = columns,
				   .nr_columns = 5,
				   .rows = rows,
				   .row_size = sizeof(rows[0]),
				   .nr_rows = nr_rows,
				   .rows_total = 3,
				   .sum = &sum,
				   .sum_name = "all",
				   .context = &all,
			   },
			   FOR_ALL);
}

static char *as_text(const struct document *d, const struct render_options *o)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);

	assert_int_equal(render_text_section(out, o, d->root.items[0].section), 0);
	fclose(out);
	return buf;
}

static char *as_json(const struct document *d)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);
	struct json j;

	json_init(&j, out);
	json_open(&j, NULL, '{', false);
	render_json_section(&j, d->root.items[0].section);
	json_close(&j, '}');
	assert_int_equal(json_finish(&j), 0);
	fclose(out);
	return buf;
}

static void test_text_has_what_is_for_people(void **state)
{
	const struct render_options o = {.thousands_sep = ","};
	struct document d;
	char *text;

	(void)state;
	build(&d, 3);
	text = as_text(&d, &o);
	assert_string_equal(text, "\nWHO HAS HATS\n============\n"
				  "There are hats.\nMany of them.\n\n"
				  "                          Share of all\n"
				  "Who              Hits  Change     hits\n"
				  "----------  ---------  ------  -------\n"
				  "short       1,234,567      -5  100.0 %\n"
				  "a_long_n..          7     +12    0.0 %\n"
				  "s\xc3\xa9l\xc3\xa9n\xc3\xa9              0       0    0.0 %\n"
				  "----------  ---------  ------  -------\n"
				  "all         1,234,574      +7  100.0 %\n");
	free(text);
	document_deinit(&d);
}

static void test_json_has_what_is_for_programs(void **state)
{
	struct document d;
	char *text;

	(void)state;
	build(&d, 2);
	text = as_json(&d);
	assert_string_equal(text,
			    "{\n \"hats\": {\n"
			    "  \"mean\": 0.667,\n"
			    "  \"unknown\": null,\n"
			    "  \"name\": \"a_long_name_indeed\",\n"
			    "  \"hits\": 7,\n"
			    "  \"change\": 12,\n"
			    "  \"share_percent\": 0.001,\n"
			    "  \"heads_total\": 3,\n"
			    "  \"heads\": [\n"
			    "   {\"name\": \"short\", \"hits\": 1234567, \"change\": -5, "
			    "\"share_percent\": 99.999},\n"
			    "   {\"name\": \"a_long_name_indeed\", \"hits\": 7, \"change\": 12, "
			    "\"share_percent\": 0.001}\n"
			    "  ]\n }\n}\n");
	free(text);
	document_deinit(&d);
}

static void test_csv_has_the_tables(void **state)
{
	struct document d;
	bool has_table = true;
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);

	(void)state;
	build(&d, 2);
	assert_int_equal(render_csv_section(out, &d.root, &has_table), 0);
	fclose(out);
	assert_string_equal(buf, "\nreport,name,hits,change,share_percent\n"
				 "hats,short,1234567,-5,99.999\n"
				 "hats,a_long_name_indeed,7,12,0.001\n");
	free(buf);
	document_deinit(&d);
}

static void test_a_missing_section_is_null_or_its_note(void **state)
{
	const struct render_options o = {.thousands_sep = ""};
	struct document d;
	struct document_section *s;
	char *text;

	(void)state;
	document_init(&d);
	s = document_add_section(&d.root, "hats", "WHO HAS HATS", FOR_ALL);
	s->is_missing = true;
	document_add_note(s, "No hats were recorded.");
	text = as_text(&d, &o);
	assert_string_equal(text, "\nNo hats were recorded.\n");
	free(text);
	text = as_json(&d);
	assert_string_equal(text, "{\n \"hats\": null\n}\n");
	free(text);
	document_deinit(&d);
}

static const char *shown(struct value v, const struct render_options *o)
{
	static struct strbuf sb = STRBUF_INIT;

	strbuf_reset(&sb);
	render_text_value(&sb, o, &v);
	return sb.buf;
}

static void test_values_as_people_read_them(void **state)
{
	const struct render_options o = {.thousands_sep = ","},
				    raw = {.thousands_sep = "", .raw_ip = true};
	struct value site = {.kind = VALUE_CALLSITE, .callsite = {0xffff1000, "vfree", NULL, 0x52}};
	struct value nobody = {.kind = VALUE_CALLSITE};

	(void)state;
	assert_string_equal(shown(value_u64(1234567), &o), "1,234,567");
	assert_string_equal(shown(value_u64(1234567), &raw), "1234567");
	assert_string_equal(shown(value_i64(-1234), &o), "-1,234");
	assert_string_equal(shown(value_i64(INT64_MIN), &raw), "-9223372036854775808");
	assert_string_equal(shown(value_change(12), &o), "+12");
	assert_string_equal(shown(value_change(0), &o), "0");
	assert_string_equal(shown(value_percent(12.345, 3, 1), &o), "12.3 %");
	assert_string_equal(shown(value_bool(true), &o), "yes");
	assert_string_equal(shown(value_text(NULL), &o), "-");
	assert_string_equal(shown(value_u64_if(false, 3), &o), "-");
	assert_string_equal(shown(site, &o), "vfree+52");
	assert_string_equal(shown(site, &raw), "0xffff1000");
	assert_string_equal(shown(nobody, &raw), "unknown");
}

static void test_building_goes_on_without_a_section(void **state)
{
	struct document d;

	(void)state;
	document_init(&d);
	assert_null(document_add_section(NULL, "x", NULL, FOR_ALL));
	document_add_note(NULL, "note");
	document_add_figure(NULL, "x", value_none(), FOR_ALL);
	document_add_table(NULL, &(struct document_table){.owned = malloc(1)}, FOR_ALL);
	assert_false(document_failed(&d));
	document_deinit(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_has_what_is_for_people),
		cmocka_unit_test(test_json_has_what_is_for_programs),
		cmocka_unit_test(test_csv_has_the_tables),
		cmocka_unit_test(test_a_missing_section_is_null_or_its_note),
		cmocka_unit_test(test_values_as_people_read_them),
		cmocka_unit_test(test_building_goes_on_without_a_section),
	};

	return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
