// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys in each format, and the other names of merged caches below a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/render/form.h"
#include "util/report/key_column.h"
#include "util/report/table_part.h"
#include "util/source/site_names.h"

static const char groups[] = "UNIX/UNIX-STREAM/signal_cache\nfs_cache/\033[2Jodd\n";

static uint64_t cache_of(struct naming *n, const char *name)
{
	return intern_add_str(&n->names.strings, name);
}

static int setup(void **state)
{
	struct naming *n = calloc(1, sizeof(*n));

	assert_non_null(n);
	key_names_init(&n->names);
	assert_int_equal(cache_aliases_init(&n->cache_aliases, &n->names.strings, groups), 0);
	*state = n;
	return 0;
}

static int teardown(void **state)
{
	struct naming *n = *state;

	cache_aliases_deinit(&n->cache_aliases);
	key_names_deinit(&n->names);
	free(n);
	return 0;
}

static char *written(struct document *d, const struct form *form, int columns)
{
	const struct render_options o = {.thousands_sep = ",", .columns = columns};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_false(document_failed(d));
	assert_int_equal(form->render(out, &o, d), 0);
	fclose(out);
	document_deinit(d);
	return text;
}

/* ---- columns --------------------------------------------------------------------------------- */

struct row {
	const uint64_t *key;
};

static void check(const struct naming *n, const struct form *form, enum document_audience audience,
		  const enum kmem_key *by, unsigned int nr_by, const uint64_t *key,
		  const char *want)
{
	const struct row row = {key};
	struct document_columns columns;
	struct document_section *s;
	struct document d;
	char *text;

	document_init(&d, form->audience);
	s = document_add_section(&d.root, "x", NULL, FOR_ALL);
	assert_non_null(s);
	s->kind = "report";
	document_columns_init(&columns, &d, 16);
	key_columns_add(&columns, n, by, nr_by, audience);
	document_add_table(s,
			   &(struct document_table){
				   .id = "rows",
				   .columns = columns.v,
				   .nr_columns = columns.nr,
				   .rows = &row,
				   .row_size = sizeof(row),
				   .nr_rows = 1,
				   .rows_total = 1,
			   },
			   FOR_ALL);
	text = written(&d, form, 0);
	if (!strstr(text, want))
		fail_msg("%s", text);
	free(text);
}

static void test_programs_get_some_keys_as_several_members(void **state)
{
	static const enum kmem_key cache[] = {KEY_CACHE}, gfp[] = {KEY_GFP},
				   site[] = {KEY_CALLSITE, KEY_MODULE}, type[] = {KEY_MIGRATETYPE};
	struct naming *n = *state;
	const uint64_t merged[] = {cache_of(n, "signal_cache")}, alone[] = {cache_of(n, "filp")},
		       call[] = {0xabc, cache_of(n, "ext4")}, mask[] = {0x8}, odd[] = {77};

	check(n, &form_json, FOR_PROGRAMS, cache, 1, merged,
	      "{\"cache\": \"signal_cache\", \"aliases\": [\"UNIX\", \"UNIX-STREAM\"]}");
	check(n, &form_json, FOR_PROGRAMS, cache, 1, alone, "{\"cache\": \"filp\"}");
	check(n, &form_json, FOR_PROGRAMS, site, 1, call,
	      "{\"callsite\": \"0xabc\", \"symbol\": null, \"offset\": 0, \"module\": null}");
	check(n, &form_json, FOR_PROGRAMS, site, 2, call,
	      "{\"callsite\": \"0xabc\", \"symbol\": null, \"offset\": 0, \"module\": \"ext4\"}");
	check(n, &form_json, FOR_PROGRAMS, gfp, 1, mask,
	      "{\"gfp_flags\": \"0x8\", \"gfp\": [\"0x8\"]}");
	check(n, &form_json, FOR_PROGRAMS, type, 1, odd, "{\"migratetype\": \"77\"}");
}

static void test_sheets_and_people_get_each_key_once(void **state)
{
	static const enum kmem_key by[] = {KEY_CACHE, KEY_PID, KEY_PTR, KEY_ACCOUNTED, KEY_SIZE};
	struct naming *n = *state;
	const uint64_t key[] = {cache_of(n, "signal_cache"), (uint64_t)-1, 0xabc, 1, 4096};

	check(n, &form_csv, FOR_SHEETS, by, 5, key,
	      "cache,pid,ptr,accounted,size\nx,signal_cache,-1,0xabc,yes,4096\n");
	check(n, &form_text, FOR_PEOPLE, by, 5, key, "signal_cache  -1  0xabc  yes  4096\n");
}

/* There is a column for every key, which says what a row is. */
static void test_every_key_has_a_column(void **state)
{
	const struct naming *n = *state;

	for (int key = 0; key < KEY_NR; key++) {
		struct document_column c = key_column(n, (enum kmem_key)key, 3);

		assert_string_equal(c.id, kmem_key_name((enum kmem_key)key));
		assert_non_null(c.heading);
		assert_non_null(c.value);
		assert_int_equal(c.index, 3);
		assert_true(c.is_key);
		assert_int_equal(c.is_name, c.cut != 0);
	}
}

/* ---- merged caches --------------------------------------------------------------------------- */

static char *merged(struct naming *n, unsigned int nr, int columns)
{
	static const char *const names[] = {"signal_cache", "signal_cache", "filp", "fs_cache"};
	struct merged_caches m;
	struct document d;

	document_init(&d, FOR_PEOPLE);
	merged_caches_init(&m, &d.root, n);
	for (unsigned int i = 0; i < nr; i++)
		merged_caches_add(&m, cache_of(n, names[i]));
	merged_caches_deinit(&m);
	return written(&d, &form_text, columns);
}

/* Each once, for rows that are shown; names are made printable. */
static void test_other_names_of_merged_caches(void **state)
{
	static const char heading[] = "Merged caches, which the kernel calls by one name:\n"
				      "  signal_cache = UNIX, UNIX-STREAM\n";
	char *text = merged(*state, 4, 0);

	assert_memory_equal(text, heading, sizeof(heading) - 1);
	assert_string_equal(text + sizeof(heading) - 1, "  fs_cache = ?[2Jodd\n");
	free(text);
	text = merged(*state, 2, 0);
	assert_string_equal(text, heading);
	free(text);
	text = merged(*state, 1, 20);
	assert_string_equal(text, "Merged caches, which\nthe kernel calls by\none name:\n"
				  "  signal_cache =\n    UNIX,\n    UNIX-STREAM\n");
	free(text);
	text = merged(*state, 0, 0);
	assert_string_equal(text, "");
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Values of frames as the kernel prints them; up to three. */
static uint64_t stack_of(struct naming *n, struct site_names *sites, const char *const *text)
{
	uint64_t frames[3];
	size_t nr = 0;

	for (; text[nr]; nr++)
		assert_int_equal(site_names_parse(sites, text[nr], strlen(text[nr]), &frames[nr]),
				 0);
	return intern_add(&n->names.stacks, frames, nr * sizeof(*frames));
}

/* Their numbers follow their first sight, and addresses do not follow names. */
static void test_stacks_are_sorted_by_names(void **state)
{
	static const char *const sorted[][4] = {
		{"ant+0x9/0x20", "zoo+0x1/0x20"}, /* the offset is a number */
		{"ant+0x10/0x20"},
		{"ant+0x10/0x20", "ant_hill+0x1/0x20"},
		{"ant+0x10/0x20", "zoo+0x1/0x20"},
		{"ant_hill+0x1/0x20"},
		{"zoo+0x1/0x20", "ant+0x1/0x20"},
	};
	enum { NR = sizeof(sorted) / sizeof(sorted[0]) };
	struct naming *n = *state;
	struct site_names sites;
	uint64_t numbers[NR];

	site_names_init(&sites);
	n->symbols.site_names = &sites;
	for (size_t i = 0; i < NR; i++)
		numbers[i * 5 % NR] = stack_of(n, &sites, sorted[i * 5 % NR]);
	for (size_t i = 0; i < NR; i++)
		for (size_t k = 0; k < NR; k++) {
			int ret = key_compare_by_name(n, KEY_STACK, numbers[i], numbers[k]);

			assert_int_equal((ret > 0) - (ret < 0), (i > k) - (i < k));
		}
	site_names_deinit(&sites);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_programs_get_some_keys_as_several_members),
		TEST(test_sheets_and_people_get_each_key_once),
		TEST(test_every_key_has_a_column),
		TEST(test_stacks_are_sorted_by_names),
		TEST(test_other_names_of_merged_caches),
	};

	return cmocka_run_group_tests_name("key_column", tests, NULL, NULL);
}
