// SPDX-License-Identifier: GPL-2.0-or-later
/* The same document in each format. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/render/form.h"
#include "util/render/value_text.h"

struct row {
	const char *name;
	uint64_t hits;
	int64_t change;
};

static struct value name(const struct document_cell *cell)
{
	return value_text(((const struct row *)cell->row)->name);
}

static struct value hits(const struct document_cell *cell)
{
	return value_u64(((const struct row *)cell->row)->hits);
}

static struct value change(const struct document_cell *cell)
{
	return value_change(((const struct row *)cell->row)->change);
}

static struct value share(const struct document_cell *cell)
{
	const uint64_t *all = cell->context;

	return value_percent(100.0 * (double)((const struct row *)cell->row)->hits / (double)*all,
			     3, 1);
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

static void build(struct document *d, const struct form *form, uint64_t nr_rows)
{
	struct document_section *s;

	document_init(d, form->audience);
	s = document_add_section(&d->root, "hats", "WHO HAS HATS", FOR_ALL);
	if (!s)
		return;
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

static const struct render_options grouped = {.thousands_sep = ","}, plain = {.thousands_sep = ""};

/* Check the document as text, and free it. */
static void check(struct document *d, const struct form *form, const struct render_options *o,
		  const char *want)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);

	assert_false(document_failed(d));
	assert_int_equal(form->render(out, o, d), 0);
	fclose(out);
	assert_string_equal(buf, want);
	free(buf);
	document_deinit(d);
}

static void test_text_has_what_is_for_people(void **state)
{
	struct document d;

	(void)state;
	build(&d, &form_text, 3);
	check(&d, &form_text, &grouped,
	      "\nWHO HAS HATS\n============\n"
	      "There are hats.\nMany of them.\n\n"
	      "                          Share of all\n"
	      "Who              Hits  Change     hits\n"
	      "----------  ---------  ------  -------\n"
	      "short       1,234,567      -5  100.0 %\n"
	      "a_long_n..          7     +12    0.0 %\n"
	      "s\xc3\xa9l\xc3\xa9n\xc3\xa9              0       0    0.0 %\n"
	      "----------  ---------  ------  -------\n"
	      "all         1,234,574      +7  100.0 %\n");
}

static void test_json_has_what_is_for_programs(void **state)
{
	struct document d;

	(void)state;
	build(&d, &form_json, 2);
	check(&d, &form_json, &grouped,
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
}

static void test_markdown_has_what_is_for_people(void **state)
{
	struct document d;

	(void)state;
	build(&d, &form_markdown, 2);
	check(&d, &form_markdown, &grouped,
	      "## WHO HAS HATS\n\n"
	      "There are hats.\n\nMany of them.\n\n"
	      "| Who | Hits | Change | Share of all hits |\n"
	      "| --- | ---: | ---: | ---: |\n"
	      "| `short` | 1,234,567 | -5 | 100.0 % |\n"
	      "| `a_long_name_indeed` | 7 | +12 | 0.0 % |\n"
	      "| all | 1,234,574 | +7 | 100.0 % |\n\n"
	      "1 more row\n");
}

/* Nothing in a name or a note is markup, a mention or a link. */
static void test_markdown_escapes_data(void **state)
{
	static const struct document_column both[] = {
		{"name", "A|*b*", 0, true, name},
		{"plain", "Plain", 0, false, name},
	};
	static const struct row hostile[] = {
		{"a|b <i>", 0, 0},     {"a\\|b", 0, 0},		{"`x` ``", 0, 0}, {"# @you", 0, 0},
		{" both ends ", 0, 0}, {"![](http://x)", 0, 0}, {"", 0, 0},
	};
	struct document d;

	(void)state;
	document_init(&d, FOR_PEOPLE);
	document_add_header(&d.root, "Command", "a `b` *c* <d> d&amp; (e_f)\n# g");
	document_add_item(&d.root, NULL, "1. - one");
	document_add_header(&d.root, "Next", "--more");
	document_add_line(&d.root, "+ a_b: 'GH-1', www.x.org http://x 0123abc deadbee. 1234567");
	document_add_note(&d.root, "- one\n\n* two\n");
	document_add_table(&d.root,
			   &(struct document_table){
				   .columns = both,
				   .nr_columns = 2,
				   .rows = hostile,
				   .row_size = sizeof(hostile[0]),
				   .nr_rows = sizeof(hostile) / sizeof(hostile[0]),
				   .rows_total = sizeof(hostile) / sizeof(hostile[0]),
			   },
			   FOR_PEOPLE);
	check(&d, &form_markdown, &plain,
	      "- Command: a `` `b` `` `*c*` `<d>` `d&amp`; (`e_f)?#` g\n"
	      "- `1.` - one\n\nNext: --more\n\n"
	      "`+` `a_b`: '`GH-1`', `www.x.org` `http://x` `0123abc` `deadbee`. 1234567\n\n"
	      "`-` one\n\n`*` two\n\n"
	      "| `A\\|*b*` | Plain |\n| --- | ---: |\n"
	      "| `a\\|b <i>` | `a\\|b` `<i>` |\n"
	      "| `a\\`&#124;`b` | `a\\`&#124;`b` |\n"
	      "| ``` `x` `` ``` | `` `x` `` ``` `` ``` |\n"
	      "| `# @you` | `#` `@you` |\n"
	      "| `  both ends  ` | both ends |\n"
	      "| `![](http://x)` | `![](http://x`) |\n"
	      "|  |  |\n");
}

static void test_csv_has_the_tables(void **state)
{
	struct render_tables tables = {.only = NULL};
	const struct render_options one = {.thousands_sep = "", .tables = &tables};
	struct error err = ERROR_INIT;
	struct document d;

	(void)state;
	build(&d, &form_csv, 2);
	document_add_table(&d.root, &(struct document_table){.columns = columns, .nr_columns = 1},
			   FOR_SHEETS);
	assert_int_equal(form_write(&form_csv, NULL, &grouped, &d, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "csv has one table per file, and there are 2: name a folder (-o "
			    "FOLDER/) or one of them (--table): hats.heads, report");
	tables.only = "scarves";
	assert_int_equal(form_write(&form_csv, NULL, &one, &d, &err), -EINVAL);
	assert_string_equal(err.msg, "there is no table 'scarves' (hats.heads, report)");
	tables.only = "hats.heads";

	check(&d, &form_csv, &one,
	      "report,name,hits,change,share_percent\n"
	      "hats,short,1234567,-5,99.999\n"
	      "hats,a_long_name_indeed,7,12,0.001\n");
}

static void test_csv_refuses_a_report_without_tables(void **state)
{
	struct error err = ERROR_INIT;
	struct document d;

	(void)state;
	document_init(&d, form_csv.audience);
	assert_int_equal(form_write(&form_csv, NULL, &grouped, &d, &err), -EINVAL);
	assert_string_equal(err.msg, "the report has no tables");
	document_deinit(&d);
}

static FILE *open_named(void *ctx, const char *name)
{
	FILE *out = *(FILE **)ctx;

	fprintf(out, "-> %s\n", name);
	return out;
}

static void add_section(struct document *d, const char *id, const struct row *row,
			size_t nr_columns)
{
	struct document_section *s = document_add_section(&d->root, id, NULL, FOR_ALL);

	document_add_table(s,
			   &(struct document_table){.id = "rows",
						    .columns = columns,
						    .nr_columns = nr_columns,
						    .rows = row,
						    .row_size = sizeof(*row),
						    .nr_rows = 1,
						    .context = &all},
			   FOR_SHEETS);
}

/* From several sections, which the first column tells apart; else each is a table. */
static void test_csv_tables_of_the_same_columns_are_one(void **state)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);
	const struct render_tables tables = {.open = open_named, .ctx = &out};
	const struct render_options each = {.thousands_sep = "", .tables = &tables};
	struct document d;

	(void)state;
	document_init(&d, form_csv.audience);
	add_section(&d, "hats", &rows[0], 2);
	add_section(&d, "../caps", &rows[1], 3);
	add_section(&d, "bonnets", &rows[2], 2);
	add_section(&d, "hats", &rows[1], 2);
	add_section(&d, "hats", &rows[1], 4);
	assert_int_equal(form_write(&form_csv, out, &each, &d, NULL), 0);
	fclose(out);
	assert_string_equal(buf, "-> report\nreport,name,hits\nhats,short,1234567\n"
				 "bonnets,\"s\xc3\xa9l\xc3\xa9n\xc3\xa9\",0\n"
				 "-> _._caps\nreport,name,hits,change\n"
				 "../caps,a_long_name_indeed,7,12\n"
				 "-> hats\nreport,name,hits\nhats,a_long_name_indeed,7\n"
				 "-> hats-2\nreport,name,hits,change,share_percent\n"
				 "hats,a_long_name_indeed,7,12,0.001\n");
	free(buf);
	document_deinit(&d);
}

static void test_a_missing_section_is_null_or_its_note(void **state)
{
	static const struct form *const forms[] = {&form_text, &form_json};
	static const char *const want[] = {"\nNo hats were recorded.\n", "{\n \"hats\": null\n}\n"};
	struct document_section *s;
	struct document d;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		document_init(&d, forms[i]->audience);
		s = document_add_section(&d.root, "hats", "WHO HAS HATS", FOR_ALL);
		assert_non_null(s);
		s->is_missing = true;
		document_add_note(s, "No hats were recorded.");
		check(&d, forms[i], &plain, want[i]);
	}
}

static void test_notes_and_labels(void **state)
{
	const struct render_options narrow = {.thousands_sep = ",", .columns = 20};
	struct document d;

	(void)state;
	document_init(&d, FOR_PEOPLE);
	document_add_header(&d.root, "Host", "web1,\033[31m red, an old machine");
	document_add_line(&d.root, "%s", "");
	document_add_line(&d.root, "Hats of %d kinds, by what", 2);
	document_add_item(&d.root, "hats", "of straw and of felt");
	document_add_item(&d.root, NULL, "of some other stuff");
	document_add_comment(&d.root, "not counted: %s", "caps and bonnets");
	document_add_labelled(&d.root, "Hats", value_u64(1234));
	document_add_labelled_pair(&d.root, "Caps", value_u64(1),
				   document_text(&d.root, "of %d", 2));
	document_add_figure(&d.root, "hats", value_u64(1), FOR_ALL);
	check(&d, &form_text, &narrow,
	      "# Host:     web1,?[3\n#           1m red,\n#           an old\n#           machine\n"
	      "\nHats of 2 kinds, by\nwhat\n"
	      "  hats        of\n              straw\n              and of\n              felt\n"
	      "  of some other\n    stuff\n"
	      "# not counted: caps\n# and bonnets\n"
	      "Hats: 1,234\nCaps: 1, of 2\n");
}

static void add_two(struct document_section *in, const char *first, const char *second)
{
	document_add_labelled_pair(in, first, value_u64(1234), document_text(in, "5 KB"));
	document_add_labelled(in, second, value_u64(7));
}

static void test_styles(void **state)
{
	static const uint64_t curve[] = {0, 8, 16};
	const struct render_options ascii = {.thousands_sep = ",", .ascii = true};
	struct document_section *s;
	struct document d;

	(void)state;
	document_init(&d, FOR_PEOPLE);
	add_two(document_add_styled(&d.root, NULL, STYLE_COMMENTS), "Hats", "All hats");
	add_two(document_add_styled(&d.root, NULL, STYLE_ALIGNED), "Hats", "All hats");
	document_add_header(&d.root, "Host", "web1");
	s = document_add_styled(&d.root, "LOST HATS", STYLE_COMMENTS);
	add_two(s, "Hats", "All hats");
	document_add_line(s, "The wind.");
	s = document_add_styled(&d.root, "SUMMARY", STYLE_SPACED);
	add_two(document_add_styled(s, NULL, STYLE_COUNTS), "Hats", "All hats");
	add_two(document_add_styled(s, NULL, STYLE_COUNTS), "Caps", "All caps");
	s = document_add_styled(&d.root, NULL, STYLE_CURVES);
	document_add_labelled(s, "hats over time", value_numbers(curve, 3));
	d.root.is_compact = true;
	check(&d, &form_text, &ascii,
	      "#\n# Hats: 1,234, 5 KB\n# All hats: 7\n#\n"
	      "Hats:     1,234, 5 KB\nAll hats: 7\n"
	      "\n# Host:     web1\n\n"
	      "#\n# LOST HATS\n# ---------\n"
	      "#   Hats                         1,234, 5 KB\n"
	      "#   All hats                     7\n# The wind.\n\n"
	      "\nSUMMARY\n=======\n"
	      "Hats                          :            1,234   [                5 KB ]\n"
	      "All hats                      :                7   [                     ]\n\n"
	      "Caps                          :            1,234   [                5 KB ]\n"
	      "All caps                      :                7   [                     ]\n"
	      "\nhats over time       =@\n\n");
}

static void test_lists_and_compact_sections(void **state)
{
	static const char *const names[] = {"straw", "felt"};
	static const uint64_t numbers[] = {3, 4};
	struct document_section *list, *s;
	struct document d;

	(void)state;
	document_init(&d, FOR_PROGRAMS);
	document_add_figure(&d.root, "names", value_strings(names, 2), FOR_PROGRAMS);
	document_add_figure(&d.root, "numbers", value_numbers(numbers, 2), FOR_PROGRAMS);
	document_add_figure(&d.root, "none", value_absent(), FOR_PROGRAMS);
	list = document_add_section(&d.root, "hats", NULL, FOR_PROGRAMS);
	assert_non_null(list);
	list->is_list = true;
	s = document_add_section(list, NULL, NULL, FOR_PROGRAMS);
	assert_non_null(s);
	s->is_compact = true;
	document_add_figure(s, "mask", value_hex(0xabc), FOR_PROGRAMS);
	document_add_figure(s, "life", value_ns(1500), FOR_PROGRAMS);
	document_add_table(list,
			   &(struct document_table){
				   .columns = columns,
				   .nr_columns = 2,
				   .rows = rows,
				   .row_size = sizeof(rows[0]),
				   .nr_rows = 1,
			   },
			   FOR_PROGRAMS);
	check(&d, &form_json, &plain,
	      "{\n \"names\": [\"straw\", \"felt\"],\n \"numbers\": [3, 4],\n \"hats\": [\n"
	      "  {\"mask\": \"0xabc\", \"life\": 1500},\n"
	      "  {\"name\": \"short\", \"hits\": 1234567}\n ]\n}\n");
}

/* ---- rows that are made when they are written ------------------------------------------------ */

static const uint64_t frames[] = {0x1010, 0x2020, 0};

static struct value_callsite name_address(const void *naming, uint64_t address)
{
	assert_ptr_equal(naming, frames);
	return (struct value_callsite){
		.address = address, .symbol = address == 0x1010 ? "inner" : NULL, .offset = 0x10};
}

static const void *lazy_row(const struct document_table *t, uint64_t i, void *buf)
{
	(void)t;
	*(uint64_t *)buf = i;
	return buf;
}

static struct value number(const struct document_cell *cell)
{
	return value_id(1000 + *(const uint64_t *)cell->row);
}

static struct value composed(const struct document_cell *cell)
{
	strbuf_addf(cell->scratch, "%s-%u", (const char *)cell->column->arg,
		    (unsigned int)*(const uint64_t *)cell->row);
	return value_text(cell->scratch->buf);
}

static struct value stack(const struct document_cell *cell)
{
	uint64_t i = *(const uint64_t *)cell->row;

	return (struct value){.kind = VALUE_STACK,
			      .stack = {frames, i ? 0 : 2, name_address, frames}};
}

static struct value bytes(const struct document_cell *cell)
{
	(void)cell;
	return value_bytes(2048);
}

static const struct document_column weight = {.value = bytes};

static const struct document_column lazy_columns[] = {
	{"who", "Who", 0, true, composed, .arg = "hat", .audience = FOR_ALL},
	{"nr", "Nr", 0, false, number, .group = "of", .is_key = true},
	{"stack", NULL, 0, true, stack, .group = "of", .below = true, .audience = FOR_ALL},
	{"bytes", "Bytes", 0, false, bytes, .dots_width = 4},
};

static void build_lazy(struct document *d, const struct form *form, enum document_look look,
		       bool stock)
{
	struct document_section *s;

	document_init(d, form->audience);
	s = document_add_section(&d->root, "hats", NULL, FOR_ALL);
	assert_non_null(s);
	document_add_table(s,
			   &(struct document_table){
				   .id = "rows",
				   .title = look == LOOK_GRID ? "Hats" : NULL,
				   .columns = lazy_columns,
				   .nr_columns = 4,
				   .row = lazy_row,
				   .nr_rows = 2,
				   .rows_total = 1234,
				   .look = look,
				   .stock = stock ? &lazy_columns[3] : NULL,
				   .nr_stock = 1,
				   .weight = &weight,
			   },
			   FOR_ALL);
}

static void test_grids(void **state)
{
	const struct render_options human = {.thousands_sep = ",", .human = true};
	struct document d;

	(void)state;
	build_lazy(&d, &form_text, LOOK_GRID, false);
	check(&d, &form_text, &grouped,
	      "\nHats\n Who   |   Nr | Bytes\n----------------------\n"
	      " hat-0 | 1000 | 2,048\n     inner+10\n     0x2020\n"
	      " hat-1 | 1001 | 2,048\n     (no callchain)\n"
	      " ... 1,232 more\n");
	build_lazy(&d, &form_text, LOOK_FRAMED, false);
	check(&d, &form_text, &human,
	      "------------------------\n Who   |   Nr |   Bytes\n------------------------\n"
	      " hat-0 | 1000 | 2.0 KiB\n     inner+10\n     0x2020\n"
	      " hat-1 | 1001 | 2.0 KiB\n     (no callchain)\n"
	      " ... 1,232 more\n------------------------\n");
}

/* Callchains are text, a curve is numbers (a sparkline in a table), what is below rows is a column.
 */
static void test_markdown_has_no_pictures(void **state)
{
	static const uint64_t curve[] = {0, 8, 16};
	struct document d;

	(void)state;
	build_lazy(&d, &form_markdown, LOOK_GRID, true);
	document_add_labelled(document_add_styled(&d.root, "CURVES", STYLE_CURVES),
			      "hats over time", value_numbers(curve, 3));
	d.root.is_compact = true;
	check(&d, &form_markdown, &grouped,
	      "### Hats\n\n"
	      "| Who | Nr | Stack | Bytes |\n| --- | ---: | --- | ---: |\n"
	      "| `hat-0` | 1000 | `inner+10 < 0x2020` | 2,048 |\n"
	      "| `hat-1` | 1001 | `unknown` | 2,048 |\n\n"
	      "1,232 more rows\n\n"
	      "## CURVES\n\n- hats over time: 0 8 16\n\n");
}

#define RULE                                                                                       \
	"----------------------------------------------------------------------------------------" \
	"-"                                                                                        \
	"----------------\n"

static void test_stock_where_it_fits(void **state)
{
	const struct render_options fits = {.thousands_sep = "", .columns = 105},
				    narrow = {.thousands_sep = "", .columns = 104};
	struct document d;
	char *buf = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&buf, &len);

	(void)state;
	build_lazy(&d, &form_text, LOOK_FRAMED, true);
	check(&d, &form_text, &fits, RULE " Bytes\n" RULE " 2048\n 2048\n ... \n" RULE);
	build_lazy(&d, &form_text, LOOK_FRAMED, true);
	assert_int_equal(form_text.render(out, &narrow, &d), 0);
	fclose(out);
	assert_null(strstr(buf, RULE));
	free(buf);
	document_deinit(&d);
}

static void test_groups(void **state)
{
	struct document d;

	(void)state;
	build_lazy(&d, &form_json, LOOK_GRID, false);
	check(&d, &form_json, &grouped,
	      "{\n \"hats\": {\n  \"rows\": [\n"
	      "   {\"who\": \"hat-0\", \"of\": {\"nr\": 1000, \"stack\": [\"inner+10\", "
	      "\"0x2020\"]}, \"bytes\": 2048},\n"
	      "   {\"who\": \"hat-1\", \"of\": {\"nr\": 1001, \"stack\": []}, \"bytes\": 2048}\n"
	      "  ]\n }\n}\n");
	build_lazy(&d, &form_csv, LOOK_GRID, false);
	check(&d, &form_csv, &grouped,
	      "report,who,of_nr,of_stack,bytes\nhats,hat-0,1000,inner+10 < 0x2020,2048\n"
	      "hats,hat-1,1001,unknown,2048\n");
}

static struct value callsite(const struct document_cell *cell)
{
	(void)cell;
	return value_callsite((struct value_callsite){
		.address = 0x1010, .symbol = "inner.isra.0", .offset = 0x10});
}

/* A line for each row and for the figures of each section, with the machine of the section or else
 * of the report. */
static void test_lines(void **state)
{
	static const struct document_value machine[] = {{"hostname", {VALUE_TEXT, .text = "here"}},
							{"nr_cpus", {VALUE_U64, .u64 = 2}}};
	static const struct document_value old[] = {{"hostname", {VALUE_TEXT, .text = "there"}}};
	const struct document_column site = {.id = "site", .value = callsite};
	struct document_section *in;
	struct document d;

	(void)state;
	document_init(&d, form_jsonl.audience);
	document_add_figure(&d.root, "format_version", value_u64(1), FOR_PROGRAMS);
	document_add_values(document_add_section(&d.root, "machine", NULL, FOR_ALL), machine, 2);
	document_add_values(document_add_section(&d.root, "old", NULL, FOR_ALL), old, 1);
	in = document_add_section(&d.root, "tables", NULL, FOR_ALL);
	in->is_list = true;
	in = document_add_section(in, "not_written", NULL, FOR_ALL);
	document_add_figure(in, "by", value_text("hat"), FOR_PROGRAMS);
	document_add_table(in,
			   &(struct document_table){.id = "rows",
						    .columns = &site,
						    .nr_columns = 1,
						    .row = lazy_row,
						    .nr_rows = 1},
			   FOR_ALL);
#define NOTHING                                                                                    \
	"\"machine_id\": null, \"boot_id\": null, \"kernel\": null, \"kernel_build_id\": null, "   \
	"\"wall_clock_ns\": null, \"start_ns\": null, \"stop_ns\": null, "
	check(&d, &form_jsonl, &plain,
	      "{\"format_version\": 1, \"program_version\": null, \"hostname\": \"here\", " NOTHING
	      "\"table\": \"machine\", \"nr_cpus\": 2}\n"
	      "{\"format_version\": 1, \"program_version\": null, \"hostname\": \"here\", " NOTHING
	      "\"table\": \"tables.rows\", \"by\": \"hat\", \"site\": \"0x1010\", "
	      "\"symbol\": \"inner.isra.0\", \"offset\": 16, \"module\": null, "
	      "\"function\": \"inner\"}\n");
#undef NOTHING
}

static void test_folded_stacks(void **state)
{
	const struct render_options raw = {.thousands_sep = ",", .raw_ip = true};
	struct document d;

	(void)state;
	build_lazy(&d, &form_folded, LOOK_GRID, false);
	check(&d, &form_folded, &grouped, "hat-0;0x2020;inner 2048\nhat-1 2048\n");
	build_lazy(&d, &form_folded, LOOK_GRID, false);
	check(&d, &form_folded, &raw, "hat-0;0x2020;0x1010 2048\nhat-1 2048\n");
}

/* Rows of a comparison, in the section of an allocator. */
static void add_allocator(struct document *d, const char *id)
{
	static const struct document_column old = {.value = number};
	static const struct document_column root = {.value = composed, .arg = "root"};
	struct document_section *s = document_add_section(&d->root, id, NULL, FOR_ALL);

	assert_non_null(s);
	s->kind = "allocator";
	document_add_table(s,
			   &(struct document_table){
				   .columns = &lazy_columns[2],
				   .nr_columns = 1,
				   .row = lazy_row,
				   .nr_rows = 1,
				   .weight = &weight,
				   .old_weight = &old,
				   .root = &root,
			   },
			   FOR_ALL);
}

static void test_folded_comparisons(void **state)
{
	struct document d;

	(void)state;
	document_init(&d, form_folded.audience);
	add_allocator(&d, "hats");
	check(&d, &form_folded, &grouped, "root-0;0x2020;inner 1000 2048\n");
	document_init(&d, form_folded.audience);
	add_allocator(&d, "hats");
	add_allocator(&d, "shoes");
	check(&d, &form_folded, &grouped,
	      "hats;root-0;0x2020;inner 1000 2048\nshoes;root-0;0x2020;inner 1000 2048\n");
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *shown(struct value v, const struct render_options *o)
{
	static struct strbuf sb = STRBUF_INIT;

	strbuf_reset(&sb);
	if (o)
		value_add_text(&sb, o, &v);
	else
		value_add_plain(&sb, &v);
	return sb.buf;
}

static uint64_t octave_count(const void *source, unsigned int octave)
{
	(void)source;
	return octave == 3 || octave == 63 ? octave : 0;
}

static void test_values_as_people_read_them(void **state)
{
	static const uint64_t series[] = {0, 1, 8};
	const struct render_options raw = {.thousands_sep = "", .raw_ip = true},
				    human = {.thousands_sep = ",", .human = true};
	struct value site = value_callsite(
			     (struct value_callsite){0xffff1000, "vfree", NULL, 0x52, false}),
		     in_module = value_callsite(
			     (struct value_callsite){0xffff2000, "ext4_get", "ext4", 0x1c, false}),
		     nobody = value_callsite((struct value_callsite){.address = 0}),
		     tight = value_percent(12.345, 3, 1);

	(void)state;
	tight.unit = "%";
	assert_string_equal(shown(value_u64(1234567), &grouped), "1,234,567");
	assert_string_equal(shown(value_u64(1234567), &raw), "1234567");
	assert_string_equal(shown(value_id(1234567), &grouped), "1234567");
	assert_string_equal(shown(value_signed_id(-1234), &grouped), "-1234");
	assert_string_equal(shown(value_i64(-1234), &grouped), "-1,234");
	assert_string_equal(shown(value_i64(INT64_MIN), &raw), "-9223372036854775808");
	assert_string_equal(shown(value_change(12), &grouped), "+12");
	assert_string_equal(shown(value_change(0), &grouped), "0");
	assert_string_equal(shown(value_percent(12.345, 3, 1), &grouped), "12.3 %");
	assert_string_equal(shown(tight, &grouped), "12.3%");
	assert_string_equal(shown(value_bytes(2048), &grouped), "2,048");
	assert_string_equal(shown(value_bytes(2048), &human), "2.0 KiB");
	assert_string_equal(shown(value_bytes_change(-2048), &human), "-2.0 KiB");
	assert_string_equal(shown(value_ns(1500000), &grouped), "1.50 ms");
	assert_string_equal(shown(value_hex(0xabc), &grouped), "0xabc");
	assert_string_equal(shown(value_bool(true), &grouped), "yes");
	assert_string_equal(shown(value_text(NULL), &grouped), "-");
	assert_string_equal(shown(value_text("a\033b"), &grouped), "a?b");
	assert_string_equal(shown(value_u64_if(false, 3), &grouped), "-");
	assert_string_equal(shown(value_numbers(series, 3), &grouped), " ▁█");
	assert_string_equal(shown(site, &grouped), "vfree+52");
	assert_string_equal(shown(site, &raw), "0xffff1000");
	assert_string_equal(shown(in_module, &grouped), "ext4_get+1c [ext4]");
	assert_string_equal(shown(in_module, &raw), "0xffff2000 [ext4]");
	assert_string_equal(shown(in_module, NULL), "ext4_get+1c [ext4]");
	assert_string_equal(shown(nobody, &raw), "unknown");
}

static void test_values_of_sheets(void **state)
{
	static const char *const names[] = {"straw", "fe\033lt"};
	static const uint64_t series[] = {0, 1, 8};
	struct value histogram = {.kind = VALUE_HISTOGRAM, .histogram = {octave_count, series}};

	(void)state;
	assert_string_equal(shown(value_none(), NULL), "");
	assert_string_equal(shown(value_absent(), NULL), "");
	assert_string_equal(shown(value_u64(1234567), NULL), "1234567");
	assert_string_equal(shown(value_bytes_change(-2048), NULL), "-2048");
	assert_string_equal(shown(value_percent(12.345, 3, 1), NULL), "12.345");
	assert_string_equal(shown(value_ns(1500000), NULL), "1500000");
	assert_string_equal(shown(value_strings(names, 2), NULL), "straw fe?lt");
	assert_string_equal(shown(value_numbers(series, 3), NULL), "0 1 8");
	assert_string_equal(shown(histogram, NULL), "3:3 63:63");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_has_what_is_for_people),
		cmocka_unit_test(test_json_has_what_is_for_programs),
		cmocka_unit_test(test_markdown_has_what_is_for_people),
		cmocka_unit_test(test_markdown_escapes_data),
		cmocka_unit_test(test_csv_has_the_tables),
		cmocka_unit_test(test_csv_refuses_a_report_without_tables),
		cmocka_unit_test(test_csv_tables_of_the_same_columns_are_one),
		cmocka_unit_test(test_a_missing_section_is_null_or_its_note),
		cmocka_unit_test(test_notes_and_labels),
		cmocka_unit_test(test_styles),
		cmocka_unit_test(test_lists_and_compact_sections),
		cmocka_unit_test(test_grids),
		cmocka_unit_test(test_markdown_has_no_pictures),
		cmocka_unit_test(test_stock_where_it_fits),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_folded_stacks),
		cmocka_unit_test(test_folded_comparisons),
		cmocka_unit_test(test_values_as_people_read_them),
		cmocka_unit_test(test_values_of_sheets),
	};

	return cmocka_run_group_tests_name("render", tests, NULL, NULL);
}
