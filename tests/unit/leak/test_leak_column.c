// SPDX-License-Identifier: GPL-2.0-or-later
/* The columns of a leak's rows in each form, and the order of rows. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/leak/leak_column.h"

#define NR_ROWS 3

/* Rows by command: a leaks, b grows, c was filled; c is the largest, and nobody is sure of a. */
struct fixture {
	struct naming naming;
	struct report_options options;
	struct source_facts facts;
	struct report_context context;
	uint64_t key[NR_ROWS];
	struct leak_row row[NR_ROWS];
	struct leak_rows rows;
};

static const enum kmem_key by_comm[] = {KEY_COMM};

static int setup(void **state)
{
	static const struct {
		const char *comm;
		uint64_t hits, bytes;
		enum leak_behaviour behaviour;
		double confidence;
	} rows[NR_ROWS] = {
		{"a", 8, 800, LEAK_LEAKING, 0.3},
		{"b", 9, 800, LEAK_GROWING, 0.95},
		{"c", 1, 4096, LEAK_PLATEAU, 0.7},
	};
	struct fixture *f = calloc(1, sizeof(*f));

	key_names_init(&f->naming.names);
	for (size_t i = 0; i < NR_ROWS; i++) {
		f->key[i] = intern_add_str(&f->naming.names.strings, rows[i].comm);
		f->row[i] = (struct leak_row){
			.key = &f->key[i],
			.hits = rows[i].hits,
			.bytes = rows[i].bytes,
			.oldest_ns = 3000000000,
			.behaviour = rows[i].behaviour,
			.growth = 2048,
			.evidence = {rows[i].confidence, LEAK_SURE},
			.owner = {.comm = (uint32_t)f->key[i], .pid = 7, .hits = 1, .bytes = 100},
		};
		f->row[i].history.live_bytes[HISTORY_MOMENTS - 1] = rows[i].bytes;
	}
	f->rows = (struct leak_rows){.by = by_comm, .nr_by = 1, .v = f->row, .nr = NR_ROWS};
	f->options.thousands_sep = ",";
	f->context = (struct report_context){
		.naming = &f->naming, .options = &f->options, .facts = &f->facts};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	key_names_deinit(&f->naming.names);
	free(f);
	return 0;
}

/* The commands in the order that is asked for. */
static void check_order(struct fixture *f, const char *sort, const char *want)
{
	struct leak_sort keys = {.nr = 0};
	char got[NR_ROWS + 1] = "";

	assert_int_equal(leak_sort_parse(&keys, sort, NULL), 0);
	leak_sort_rows(&f->rows, &keys, &f->naming);
	for (size_t i = 0; i < NR_ROWS; i++) {
		const char *comm =
			intern_get(&f->naming.names.strings, (uint32_t)*f->row[i].key, NULL);

		got[i] = *comm;
	}
	assert_string_equal(got, want);
}

static void test_rows_are_sorted_by_any_figure_or_key(void **state)
{
	struct fixture *f = *state;

	check_order(f, "hit", "bac");
	check_order(f, "-hit", "cab");
	check_order(f, "bytes,hit", "cba");
	check_order(f, "bytes,-hit", "cab");
	/* as it is meant, and not as it is spelled */
	check_order(f, "behaviour", "abc");
	check_order(f, "evidence", "bca");
	check_order(f, "comm", "cba");
	/* equal ones stand in the order of their keys */
	check_order(f, "growth", "abc");
}

static void test_what_does_not_sort_is_refused(void **state)
{
	struct leak_sort keys = {.nr = 0};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(leak_sort_parse(&keys, "bytes,nonsense", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "nonsense"));
	assert_non_null(strstr(err.msg, "growth"));
	keys.nr = 0;
	assert_int_equal(leak_sort_parse(&keys, "cpu", &err), 0);
	assert_int_equal(leak_sort_check(&keys, by_comm, 1, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "cpu"));
}

static char *written(struct fixture *f, const struct form *form)
{
	const struct render_options o = {.thousands_sep = ","};
	struct document_columns columns;
	struct document d;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	document_init(&d, form->audience);
	leak_columns_init(&columns, &d, &f->context, &f->rows);
	document_add_table(&d.root,
			   &(struct document_table){
				   .id = "rows",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = f->row,
				   .row_size = sizeof(f->row[0]),
				   .nr_rows = 1,
				   .rows_total = 1,
				   .context = &f->context,
				   .look = LOOK_GRID,
			   },
			   FOR_ALL);
	assert_false(document_failed(&d));
	assert_int_equal(form->render(out, &o, &d), 0);
	fclose(out);
	document_deinit(&d);
	return text;
}

static void test_text(void **state)
{
	char *text = written(*state, &form_text);

	assert_non_null(strstr(text, " Command | Behaviour | Evidence | Bytes | Count | Held by | "
				     "Growth/s |   Live over time | Oldest | Youngest\n"));
	assert_non_null(strstr(text, " a       |   leaking |      low |   800 |     8 | a-7 (1) | "
				     "+2.0 KiB |                █ | 3.00 s |     0 ns\n"));
	free(text);
}

/* Columns without data are hidden in text output, not in JSON and CSV. */
static void test_columns_of_which_nothing_is_known(void **state)
{
	struct fixture *f = *state;
	char *text;

	f->rows.frees_unknown = true;
	text = written(f, &form_text);
	assert_non_null(
		strstr(text, " Command | Bytes | Count | Held by |   Live over time | Oldest |"));
	free(text);
	for (size_t i = 0; i < NR_ROWS; i++) {
		f->row[i].oldest_ns = 0;
		f->row[i].owner = (struct leak_owner){
			.comm = intern_add_str(&f->naming.names.strings, "unknown")};
	}
	text = written(f, &form_text);
	assert_non_null(strstr(text, " Command | Bytes | Count\n"));
	free(text);
	text = written(f, &form_csv);
	assert_non_null(strstr(text, ",comm,behaviour,evidence,bytes,hits,growth_bytes_per_second,"
				     "live_bytes,oldest_ns,"));
	free(text);
}

/* Objects that have caches only. */
static void test_call_sites_that_there_are_not(void **state)
{
	static const enum kmem_key by[] = {KEY_CALLSITE, KEY_CACHE};
	struct fixture *f = *state;
	uint64_t keys[NR_ROWS][2] = {{0}};
	char *text;

	f->rows.by = by;
	f->rows.nr_by = 2;
	for (size_t i = 0; i < NR_ROWS; i++)
		f->row[i].key = keys[i];
	text = written(f, &form_text);
	assert_non_null(strstr(text, " Call site "));
	free(text);
	f->facts.slab_by = "cache";
	text = written(f, &form_text);
	assert_null(strstr(text, " Call site "));
	assert_non_null(strstr(text, " Cache "));
	free(text);
}

static void test_sheets_have_the_figures_as_text_has_them_and_more(void **state)
{
	char *text = written(*state, &form_csv);

	assert_non_null(strstr(text, ",comm,behaviour,evidence,bytes,hits,growth_bytes_per_second,"
				     "live_bytes,oldest_ns,youngest_ns,confidence,reason,use,"
				     "owner_comm,owner_pid,owner_hits,owner_bytes,finding\n"));
	assert_non_null(strstr(text, ",a,leaking,low,800,8,2048,0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 800,"
				     "3000000000,0,0.300,,kernel,a,7,1,100,\n"));
	free(text);
}

/* The order of the keys is an old promise. */
static void test_programs_have_their_own_order(void **state)
{
	static const char *const keys[] = {"comm",
					   "hits",
					   "bytes",
					   "oldest_ns",
					   "youngest_ns",
					   "behaviour",
					   "growth_bytes_per_second",
					   "confidence",
					   "evidence",
					   "reason",
					   "use",
					   "owner",
					   "live_bytes",
					   "cohort_allocations",
					   "cohort_live"};
	char *text = written(*state, &form_json), *at = text;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char key[64];

		snprintf(key, sizeof(key), "\"%s\": ", keys[i]);
		at = strstr(at, key);
		assert_non_null(at);
	}
	assert_non_null(strstr(text, "\"reason\": null, "));
	assert_non_null(strstr(text, "\"owner\": {\"comm\": \"a\", \"pid\": 7, \"hits\": 1, "
				     "\"bytes\": 100}"));
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rows_are_sorted_by_any_figure_or_key),
		TEST(test_what_does_not_sort_is_refused),
		TEST(test_text),
		TEST(test_columns_of_which_nothing_is_known),
		TEST(test_call_sites_that_there_are_not),
		TEST(test_sheets_have_the_figures_as_text_has_them_and_more),
		TEST(test_programs_have_their_own_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
