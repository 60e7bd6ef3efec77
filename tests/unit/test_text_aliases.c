// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/report/key_format.h"
#include "util/report/text_columns.h"

static const char groups[] = "UNIX/UNIX-STREAM/signal_cache\nfs_cache/\033[2Jodd\n";

/* Rows by call site and cache; and what is written below them. */
struct fixture {
	struct kmem_analysis a;
	struct report_options o;
	struct sort_keys keys;
	struct stat_table table;
};

static void add_row(struct fixture *f, uint64_t callsite, const char *cache)
{
	struct kmem_event ev = {.call_site = callsite,
				.cache = intern_add_str(&f->a.naming.names.strings, cache)};
	uint32_t row = stat_table_row(&f->table, &ev);

	stat_counts_add(stat_table_counts(&f->table, row), 8, 8, 1);
}

static int setup(void **state)
{
	static const enum kmem_key by[] = {KEY_CALLSITE, KEY_CACHE};
	struct fixture *f = calloc(1, sizeof(*f));

	key_names_init(&f->a.naming.names);
	stat_table_init(&f->table, by, 2);
	f->table.names = &f->a.naming.names;
	add_row(f, 1, "signal_cache");
	add_row(f, 2, "signal_cache");
	add_row(f, 3, "filp");
	add_row(f, 4, "fs_cache");
	assert_int_equal(
		cache_aliases_init(&f->a.naming.cache_aliases, &f->a.naming.names.strings, groups),
		0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	cache_aliases_deinit(&f->a.naming.cache_aliases);
	stat_table_deinit(&f->table);
	key_names_deinit(&f->a.naming.names);
	free(f);
	return 0;
}

static char *print(struct fixture *f, uint64_t lines)
{
	struct sorted_rows rows;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct text_context t = {.out = out, .a = &f->a, .o = &f->o, .line = STRBUF_INIT};

	assert_int_equal(sorted_rows_init(&rows, &f->table, &f->keys, false, lines), 0);
	assert_int_equal(text_aliases_print(&t, &rows), 0);
	sorted_rows_deinit(&rows);
	strbuf_deinit(&t.line);
	fclose(out);
	return text;
}

/* Each once, of rows that are shown; names are made printable. */
static void test_text(void **state)
{
	static const char heading[] = " Merged caches, which the kernel calls by one name:\n"
				      "  signal_cache = UNIX, UNIX-STREAM\n";
	struct fixture *f = *state;
	char *text = print(f, LINES_ALL);

	assert_memory_equal(text, heading, sizeof(heading) - 1);
	assert_string_equal(text + sizeof(heading) - 1, "  fs_cache = ?[2Jodd\n");
	free(text);
	text = print(f, 2);
	assert_string_equal(text, heading);
	free(text);
	f->o.columns = 20;
	text = print(f, 1);
	assert_string_equal(text, " Merged caches, which the kernel calls by one name:\n"
				  "  signal_cache =\n    UNIX,\n    UNIX-STREAM\n");
	free(text);
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	const uint64_t *key = stat_table_keys(&f->table, 0);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct json j;

	json_init(&j, out);
	json_open(&j, NULL, '{', true);
	key_format_json(&j, &f->a, &f->table.by[1], 1, &key[1]);
	key = stat_table_keys(&f->table, 2);
	key_format_json(&j, &f->a, &f->table.by[1], 1, &key[1]);
	json_close(&j, '}');
	assert_int_equal(json_finish(&j), 0);
	fclose(out);
	assert_string_equal(text, "{\"cache\": \"signal_cache\", \"aliases\": [\"UNIX\", "
				  "\"UNIX-STREAM\"], \"cache\": \"filp\"}\n");
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_text),
		TEST(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
