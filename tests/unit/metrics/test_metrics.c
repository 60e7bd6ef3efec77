// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/render/form.h"
#include "util/metrics/metrics.h"

#define LIMIT 2
#define KEPT  (4 * LIMIT) /* series that rows keep */

struct test_row {
	const char *name;
	uint64_t live, allocated;
};

static struct value name(const struct document_cell *cell)
{
	return value_text(((const struct test_row *)cell->row)->name);
}

static struct value live(const struct document_cell *cell)
{
	return value_bytes(((const struct test_row *)cell->row)->live);
}

static struct value allocated(const struct document_cell *cell)
{
	return value_bytes(((const struct test_row *)cell->row)->allocated);
}

static const struct document_metric live_bytes = {"live_bytes", "Live."};
static const struct document_metric allocated_total = {"allocated_bytes_total", "Allocated."};

static const struct document_column columns[] = {
	{"comm", .value = name, .audience = FOR_METRICS},
	{"live", .value = live, .metric = &live_bytes, .audience = FOR_METRICS},
	{"bytes", .value = allocated, .metric = &allocated_total, .audience = FOR_METRICS},
	{"other", .value = live}, /* for other formats */
};

/* The text of a document with these rows, which the caller frees. */
static char *render_columns(struct metrics *m, const struct document_column *c, size_t nr_columns,
			    const struct test_row *rows, size_t nr)
{
	const struct render_options options = {.metrics = m};
	struct document_section *s;
	struct document d;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	document_init(&d, FOR_METRICS);
	s = document_add_section(&d.root, "slab", NULL, FOR_ALL);
	assert_non_null(s);
	s->kind = "allocator";
	document_add_table(s,
			   &(struct document_table){.columns = c,
						    .nr_columns = nr_columns,
						    .rows = rows,
						    .row_size = sizeof(*rows),
						    .nr_rows = nr,
						    .rows_total = nr},
			   FOR_METRICS);
	assert_int_equal(form_openmetrics.render(out, &options, &d), 0);
	document_deinit(&d);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *render(struct metrics *m, const struct test_row *rows, size_t nr)
{
	return render_columns(m, columns, sizeof(columns) / sizeof(columns[0]), rows, nr);
}

/* The value of the series, -1 if there is none. */
static double series(const char *text, const char *metric, const char *comm)
{
	char start[200];
	const char *at;

	snprintf(start, sizeof(start), "\nperf_kmem_%s{allocator=\"slab\",comm=\"%s\"} ", metric,
		 comm);
	at = strstr(text, start);
	return at ? strtod(at + strlen(start), NULL) : -1;
}

/* The sum of all series of a metric, and their number. */
static double sum(const char *text, const char *metric, size_t *ret_nr)
{
	char start[100];
	double all = 0;

	*ret_nr = 0;
	snprintf(start, sizeof(start), "\nperf_kmem_%s{", metric);
	for (const char *at = text; (at = strstr(at, start)); at++) {
		all += strtod(strchr(at, '}') + 1, NULL);
		++*ret_nr;
	}
	return all;
}

static void check_sum(const char *text, const char *metric, double expected, size_t most)
{
	size_t nr;

	assert_true(sum(text, metric, &nr) == expected);
	assert_in_range(nr, 1, most);
}

static void test_a_document_as_text(void **state)
{
	static const struct test_row rows[] = {{"a", 30, 100}, {"b", 0, 50}, {"a", 3, 5}};
	char *text = render(NULL, rows, 3);

	(void)state;
	assert_string_equal(text,
			    "# HELP perf_kmem_live_bytes Live.\n"
			    "# TYPE perf_kmem_live_bytes gauge\n"
			    "perf_kmem_live_bytes{allocator=\"slab\",comm=\"a\"} 33\n"
			    "perf_kmem_live_bytes{allocator=\"slab\",comm=\"b\"} 0\n"
			    "# HELP perf_kmem_allocated_bytes_total Allocated.\n"
			    "# TYPE perf_kmem_allocated_bytes_total counter\n"
			    "perf_kmem_allocated_bytes_total{allocator=\"slab\",comm=\"a\"} 105\n"
			    "perf_kmem_allocated_bytes_total{allocator=\"slab\",comm=\"b\"} 50\n");
	free(text);
}

/* The largest of each metric have a series, and the rest is in one. */
static void test_the_number_of_series_is_limited(void **state)
{
	static const struct test_row rows[] = {
		{"a", 30, 1}, {"b", 20, 2}, {"c", 10, 3}, {"d", 2, 40}, {"e", 1, 50}};
	struct metrics m;
	char *text;

	(void)state;
	metrics_init(&m, LIMIT);
	text = render(&m, rows, 5);
	assert_true(series(text, "live_bytes", "a") == 30);
	assert_true(series(text, "live_bytes", "b") == 20);
	assert_true(series(text, "live_bytes", "e") == 1);
	assert_true(series(text, "live_bytes", "c") == -1);
	assert_true(series(text, "live_bytes", "_other") == 10);
	assert_true(series(text, "allocated_bytes_total", "_other") == 3);
	check_sum(text, "live_bytes", 63, 2 * LIMIT + 1);
	check_sum(text, "allocated_bytes_total", 96, 2 * LIMIT + 1);
	free(text);
	metrics_deinit(&m);
}

static void test_a_row_keeps_its_series(void **state)
{
	static const struct test_row first[] = {{"a", 9, 9}, {"b", 8, 8}, {"c", 1, 1}, {"d", 1, 1}};
	static const struct test_row then[] = {
		{"a", 0, 10}, {"b", 1, 9}, {"c", 9, 90}, {"d", 7, 70}};
	struct metrics m;
	char *text;

	(void)state;
	metrics_init(&m, LIMIT);
	free(render(&m, first, 4));
	text = render(&m, then, 4);
	assert_true(series(text, "live_bytes", "a") == 0);
	assert_true(series(text, "allocated_bytes_total", "b") == 9);
	/* what c and d had before stays in the others */
	assert_true(series(text, "live_bytes", "c") == 9);
	assert_true(series(text, "allocated_bytes_total", "c") == 0);
	assert_true(series(text, "allocated_bytes_total", "_other") == 160);
	check_sum(text, "allocated_bytes_total", 179, KEPT + 1);
	free(text);
	metrics_deinit(&m);
}

/* A row that is folded into another one loses its figures, and the other one gets them. */
static void test_a_counter_never_decreases(void **state)
{
	static const struct test_row documents[][3] = {
		{{"a", 9, 900}, {"b", 8, 800}, {"others", 1, 1}},
		{{"b", 8, 850}, {"others", 1, 901}, {"others", 0, 0}},
		{{"a", 1, 10}, {"b", 9, 860}, {"others", 1, 905}},
	};
	double before[3] = {0};
	struct metrics m;

	(void)state;
	metrics_init(&m, LIMIT);
	for (size_t i = 0; i < 3; i++) {
		char *text = render(&m, documents[i], 3);
		const double now[] = {series(text, "allocated_bytes_total", "a"),
				      series(text, "allocated_bytes_total", "b"),
				      series(text, "allocated_bytes_total", "_other")};

		for (size_t s = 0; s < 3; s++) {
			assert_true(now[s] >= before[s]);
			before[s] = now[s];
		}
		free(text);
	}
	assert_true(before[0] == 910);
	assert_true(before[1] == 860);
	metrics_deinit(&m);
}

#define BOMBS 500

/* Each interval has other commands, as under a fork bomb, which are gone in the next. */
static void test_a_fork_bomb_adds_no_series(void **state)
{
	static char names[BOMBS][24];
	static struct test_row rows[BOMBS];
	struct metrics m;
	double total = 0;

	(void)state;
	metrics_init(&m, LIMIT);
	for (int round = 0; round < 40; round++) {
		char *text;

		rows[0] = (struct test_row){"service", 1000, 1000};
		for (int i = 1; i < BOMBS; i++) {
			snprintf(names[i], sizeof(names[i]), "%d-%d", round, i);
			rows[i] = (struct test_row){names[i], 10, 10};
		}
		text = render(&m, rows, BOMBS);
		check_sum(text, "live_bytes", 1000 + 10 * (BOMBS - 1), KEPT + 1);
		assert_true(series(text, "live_bytes", "service") == 1000);
		assert_true(series(text, "allocated_bytes_total", "_other") >= total);
		total = series(text, "allocated_bytes_total", "_other");
		free(text);
		/* names of the past are forgotten */
		assert_in_range(m.labels.nr, 1, 20 * BOMBS);
	}
	metrics_deinit(&m);
}

/* When all places are taken, only a row that is much larger gets one. */
static void test_a_larger_row_takes_a_place(void **state)
{
	static const struct test_row all[] = {
		{"1", 100, 0}, {"2", 100, 0}, {"3", 100, 0}, {"4", 100, 0},	 {"5", 100, 0},
		{"6", 100, 0}, {"7", 100, 0}, {"8", 100, 0}, {"little", 110, 0}, {"large", 900, 0}};
	struct metrics m;
	char *text;

	(void)state;
	metrics_init(&m, LIMIT);
	for (size_t i = 0; i < KEPT; i += LIMIT)
		free(render(&m, &all[i], LIMIT));
	text = render(&m, all, 9);
	assert_true(series(text, "live_bytes", "8") == 100);
	assert_true(series(text, "live_bytes", "little") == -1);
	assert_true(series(text, "live_bytes", "_other") == 110);
	free(text);
	text = render(&m, all, 10);
	assert_true(series(text, "live_bytes", "large") == 900);
	check_sum(text, "live_bytes", 1810, KEPT + 1);
	free(text);
	metrics_deinit(&m);
}

/* The series of all others goes on from where it was when a row loses its series. */
static void test_a_row_that_loses_its_place_is_not_counted_again(void **state)
{
	struct test_row rows[] = {{"1", 100, 0}, {"2", 100, 0}, {"3", 100, 0},
				  {"4", 100, 0}, {"5", 100, 0}, {"6", 100, 0},
				  {"7", 100, 0}, {"8", 100, 0}, {"large", 9000, 50000}};
	const char *metric = "allocated_bytes_total";
	struct metrics m;
	char *text;

	(void)state;
	metrics_init(&m, LIMIT);
	for (size_t i = 0; i < KEPT; i += LIMIT)
		free(render(&m, &rows[i], LIMIT));
	for (size_t i = 0; i < KEPT; i++)
		rows[i].allocated = 100;
	rows[0] = (struct test_row){"1", 1, 50};
	text = render(&m, rows, KEPT);
	check_sum(text, metric, 750, KEPT + 1);
	assert_true(series(text, metric, "1") == 50);
	free(text);
	rows[0].allocated += 70;
	text = render(&m, rows, KEPT + 1);
	assert_true(series(text, metric, "1") == -1);
	assert_true(series(text, metric, "large") == 0);
	/* the large one's figure before it had a series; and what the small one had since then */
	assert_true(series(text, metric, "_other") == 50000 + 70);
	free(text);
	rows[0].allocated += 5;
	rows[8].allocated += 7;
	text = render(&m, rows, KEPT + 1);
	assert_true(series(text, metric, "large") == 7);
	assert_true(series(text, metric, "_other") == 50000 + 75);
	free(text);
	metrics_deinit(&m);
}

/* A row of gauges alone that is gone has no series, and makes room for others. */
static void test_a_gauge_ends_with_its_row(void **state)
{
	static const struct test_row rows[] = {{"a", 1, 0}, {"b", 2, 0}};
	struct metrics m;
	char *text;

	(void)state;
	metrics_init(&m, LIMIT);
	free(render_columns(&m, columns, 2, rows, 2));
	text = render_columns(&m, columns, 2, rows, 1);
	assert_true(series(text, "live_bytes", "a") == 1);
	assert_true(series(text, "live_bytes", "b") == -1);
	free(text);
	metrics_deinit(&m);
}

static void test_hostile_names(void **state)
{
	static const struct {
		const char *name, *label;
	} names[] = {
		{"a\"b", "a\\\"b"},
		{"back\\slash", "back\\\\slash"},
		{"end\\", "end\\\\"},
		{"a\nperf_kmem_live_bytes 1", "a?perf_kmem_live_bytes 1"},
		{"\"} 1\n#", "\\\"} 1?#"},
		{"\xff\xfe\xc3", "???"},
		{"\033[2J", "?[2J"},
		{"\xe2\x80\xae"
		 "a",
		 "?a"},
		{"{}", "{}"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct test_row row = {names[i].name, 7, 7};
		char *text = render(NULL, &row, 1);
		size_t nr = 0;

		assert_true(series(text, "live_bytes", names[i].label) == 7);
		for (const char *at = text; (at = strchr(at, '\n')); at++)
			nr++;
		assert_int_equal(nr, 6);
		free(text);
	}
}

/* A command that is called like the others is one of them. */
static void test_a_row_named_like_the_others(void **state)
{
	static const struct test_row rows[] = {{"_other", 100, 100}, {"a", 9, 9}, {"b", 8, 8}};
	char *text;
	struct metrics m;

	(void)state;
	metrics_init(&m, LIMIT);
	text = render(&m, rows, 3);
	assert_true(series(text, "live_bytes", "a") == 9);
	assert_true(series(text, "live_bytes", "_other") == 108);
	check_sum(text, "live_bytes", 117, 2);
	free(text);
	metrics_deinit(&m);
}

static struct value callsite(const struct document_cell *cell)
{
	const struct test_row *row = cell->row;

	return value_callsite((struct value_callsite){.address = row->allocated,
						      .symbol = row->name,
						      .module = row->allocated & 1 ? "ext4" : NULL,
						      .offset = row->allocated});
}

static void test_a_call_site_is_its_function(void **state)
{
	static const struct document_column by_site[] = {
		{"callsite", .value = callsite, .audience = FOR_METRICS},
		{"live", .value = live, .metric = &live_bytes, .audience = FOR_METRICS},
	};
	static const struct test_row rows[] = {{"f", 1, 16},
					       {"f.isra.0", 2, 32},
					       {"f.part.1", 4, 33},
					       {NULL, 8, 64},
					       {NULL, 16, 66}};
	char *text = render_columns(NULL, by_site, 2, rows, 5);
	const char *lines = strstr(text, "\nperf");

	(void)state;
	assert_string_equal(
		lines, "\nperf_kmem_live_bytes{allocator=\"slab\",callsite=\"f\"} 3\n"
		       "perf_kmem_live_bytes{allocator=\"slab\",callsite=\"f\",module=\"ext4\"} 4\n"
		       "perf_kmem_live_bytes{allocator=\"slab\",callsite=\"unknown\"} 24\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_document_as_text),
		cmocka_unit_test(test_the_number_of_series_is_limited),
		cmocka_unit_test(test_a_row_keeps_its_series),
		cmocka_unit_test(test_a_counter_never_decreases),
		cmocka_unit_test(test_a_fork_bomb_adds_no_series),
		cmocka_unit_test(test_a_larger_row_takes_a_place),
		cmocka_unit_test(test_a_row_that_loses_its_place_is_not_counted_again),
		cmocka_unit_test(test_a_gauge_ends_with_its_row),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_a_row_named_like_the_others),
		cmocka_unit_test(test_a_call_site_is_its_function),
	};

	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
