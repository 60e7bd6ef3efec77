// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/output/evlist.h"
#include "util/tracepoint/tracing_data.h"

static void assert_counts(const struct event_counts *c, uint64_t count, uint64_t lost,
			  uint64_t unwritten)
{
	assert_int_equal(c->count, count);
	assert_int_equal(c->lost, lost);
	assert_int_equal(c->unwritten, unwritten);
}

/* 60 samples in the first of two files, 3 more in the buffers, which the second one has. */
static void test_files_share_what_was_counted(void **state)
{
	struct evsel evsels[2] = {{.count = 70, .lost = 7}, {.count = 0}};
	struct evlist l = {evsels, 2};
	struct event_counts counts[2];

	(void)state;
	evlist_count_file(&l, (const uint64_t[]){60, 0}, false, false, counts);
	assert_counts(&counts[0], 67, 7, 0);
	assert_counts(&counts[1], 0, 0, 0);
	evlist_told(&l);
	evsels[0].count = 100;
	evsels[0].lost = 9;
	evsels[1].count = 5;
	evlist_count_file(&l, (const uint64_t[]){31, 4}, true, false, counts);
	assert_counts(&counts[0], 33, 2, 0);
	assert_counts(&counts[1], 5, 0, 0);
}

static void test_what_could_not_be_written(void **state)
{
	struct evsel evsel = {.count = 100, .lost = 10};
	struct evlist l = {&evsel, 1};
	struct event_counts counts;

	(void)state;
	evlist_count_file(&l, (const uint64_t[]){60}, true, true, &counts);
	assert_counts(&counts, 100, 10, 30);
}

/* An event of our own: the fields of a tracepoint, and another identity. */
static void test_like_another(void **state)
{
	struct evlist l = {calloc(1, sizeof(struct evsel)), 1};
	struct evsel *e = l.evsels;

	(void)state;
	assert_non_null(e);
	*e = (struct evsel){.system = strdup("kmem"),
			    .name = strdup("kfree"),
			    .filter = strdup("ptr != 0"),
			    .format = STRBUF_INIT,
			    .call_site_offset = 8,
			    .call_site_size = 8,
			    .attr = {.config = 7, .sample_type = 3, .comm = 1, .task = 1}};
	strbuf_addstr(&e->format, "name: kfree\nID: 7\nformat:\n\tfield:int a;\n");
	assert_int_equal(evlist_add_like(&l, 0, "perf_kmem", "kvfree_call_rcu", 65001), 0);
	assert_int_equal(l.nr, 2);
	assert_string_equal(l.evsels[0].name, "kfree");
	e = &l.evsels[1];
	assert_string_equal(e->system, "perf_kmem");
	assert_string_equal(e->name, "kvfree_call_rcu");
	assert_string_equal(e->format.buf,
			    "name: kvfree_call_rcu\nID: 65001\nformat:\n\tfield:int a;\n");
	assert_int_equal(e->call_site_offset, 8);
	assert_true(e->attr.config == 65001 && e->attr.sample_type == 3);
	assert_true(!e->attr.comm && !e->attr.task && !e->filter);
	evlist_deinit(&l);
}

/* A string is added once, behind the fields, where __data_loc is aligned. */
static void test_a_string_is_added(void **state)
{
	static const char fields[] = "name: kfree\nformat:\n"
				     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				     "\tfield:bool b;\toffset:16;\tsize:1;\tsigned:0;\n";
	static const char print[] = "\nprint fmt: \"%d\", REC->b\n";
	struct evsel e = {.format = STRBUF_INIT};
	char expected[512];

	(void)state;
	strbuf_addf(&e.format, "%s%s", fields, print);
	snprintf(expected, sizeof(expected),
		 "%s\tfield:__data_loc char[] name;\toffset:20;\tsize:4;\tsigned:0;\n%s", fields,
		 print);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(evsel_add_string(&e, "name"), 0);
		assert_string_equal(e.format.buf, expected);
	}
	strbuf_deinit(&e.format);
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The kernel's size of a long may be another than this program's. */
static void test_tracing_data_has_the_sizes_of_the_kernel(void **state)
{
	static const char *const commits[] = {
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"};
	char dir[] = "/tmp/test_evlist.XXXXXX", command[64];
	struct evlist l = {0};
	struct tracefs fs;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "mkdir %s/events", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(tracefs_at(&fs, dir, NULL), 0);
	write_file(dir, "header_event", "# compressed entry header\n");
	for (size_t i = 0; i < 2; i++) {
		struct strbuf data = STRBUF_INIT;
		struct tracing_data t = {0};

		write_file(dir, "header_page", commits[i]);
		assert_int_equal(
			evlist_tracing_data(&l, &fs, &(struct strbuf)STRBUF_INIT, &data, NULL), 0);
		assert_int_equal(tracing_data_parse(&t, (const uint8_t *)data.buf, data.len, NULL),
				 0);
		assert_int_equal(t.long_size, 4 * (i + 1));
		tracing_data_deinit(&t);
		strbuf_deinit(&data);
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_share_what_was_counted),
		cmocka_unit_test(test_what_could_not_be_written),
		cmocka_unit_test(test_like_another),
		cmocka_unit_test(test_a_string_is_added),
		cmocka_unit_test(test_tracing_data_has_the_sizes_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
