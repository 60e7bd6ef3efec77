// SPDX-License-Identifier: GPL-2.0-or-later
/* Made snapshots of a process whose files grow beside two caches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/series/series.h"

#define NR	  32
#define MINUTE_NS UINT64_C(60000000000)

/* A snapshot after i minutes, of processes in `holders`, two caches with 128 bytes an object, and
 * `files` objects of filp. */
static void add_snapshot(struct series *s, unsigned int i, unsigned int objects, unsigned int few,
			 unsigned int files, const char *holders)
{
	struct where_texts t;
	struct partition p;

	where_texts_init(&t);
	t.facts.page_size = 4096;
	strbuf_addstr(&t.v[WHERE_MEMINFO].text,
		      "MemTotal: 1000000 kB\nSlab: 100000 kB\nSUnreclaim: 100000 kB\n");
	strbuf_addf(&t.v[WHERE_SLABINFO].text,
		    "slabinfo - version: 2.1\n"
		    "held %u 99999 128 32 1 : tunables 0 0 0 : slabdata 999 999 0\n"
		    "other %u 99999 128 32 1 : tunables 0 0 0 : slabdata 999 999 0\n"
		    "filp %u 9999 256 16 1 : tunables 0 0 0 : slabdata 999 999 0\n",
		    100 + i * objects, 100 + i * few, files);
	strbuf_addstr(&t.v[WHERE_HOLDERS].text, holders);
	assert_int_equal(partition_init(&p, &t), 0);
	series_add(s, i * MINUTE_NS, &t, &p);
	partition_deinit(&p);
	where_texts_deinit(&t);
}

/* 10 files more in each snapshot. */
static void add_moment(struct series *s, unsigned int i, unsigned int objects, unsigned int few)
{
	char holders[64];

	snprintf(holders, sizeof(holders), "process pid=7 files=%u name=leaky\n", 5 + 10 * i);
	add_snapshot(s, i, objects, few, 50, holders);
}

static const struct series_row *find(const struct series *s, const char *path)
{
	for (size_t i = 0; i < s->nr_rows; i++)
		if (!strcmp(s->rows[i].path, path))
			return &s->rows[i];
	fail_msg("there is no row %s", path);
	return NULL;
}

static void test_a_line_rises_with_what_can_hold_it(void **state)
{
	const struct series_row *files;
	struct series s;

	(void)state;
	series_init(&s, NR);
	for (unsigned int i = 0; i < NR; i++)
		add_moment(&s, i, 10, 3);
	series_finish(&s);
	assert_false(s.failed);
	files = find(&s, "process/7/files/leaky");
	assert_true(files->is_process && trend_is_steady(&files->trend));
	assert_string_equal(files->cache, "filp");
	assert_int_equal(files->object_bytes, 256);
	assert_true(trend_is_steady(&find(&s, "slab/unreclaimable/other")->trend));
	assert_string_equal(find(&s, "slab/unreclaimable/held")->with, "leaky 7 (+300 files)");
	/* 3 objects for 10 files: none of its own for each */
	assert_null(find(&s, "slab/unreclaimable/other")->with);
	series_deinit(&s);
}

static void test_two_ends_share_an_object(void **state)
{
	struct series s;

	(void)state;
	series_init(&s, NR);
	for (unsigned int i = 0; i < NR; i++)
		add_moment(&s, i, 5, 0);
	series_finish(&s);
	assert_non_null(find(&s, "slab/unreclaimable/held")->with);
	assert_null(find(&s, "slab/unreclaimable/other")->with);
	series_deinit(&s);
}

/* Another process comes and goes in the same cache. */
static void test_the_cache_of_its_objects_rises_with_a_process(void **state)
{
	struct series s;
	char holders[64];

	(void)state;
	series_init(&s, NR);
	for (unsigned int i = 0; i < NR; i++) {
		snprintf(holders, sizeof(holders), "process pid=7 files=%u name=leaky\n",
			 5 + 10 * i);
		add_snapshot(&s, i, 0, 0, 100 + 10 * i + (i / 2 % 4 == 3 ? 4000 : 0), holders);
	}
	series_finish(&s);
	assert_true(trend_correlation(&find(&s, "process/7/files/leaky")->trend,
				      &find(&s, "slab/unreclaimable/filp")->trend) < 0.9);
	assert_non_null(find(&s, "slab/unreclaimable/filp")->with);
	assert_string_equal(find(&s, "slab/unreclaimable/filp")->with, "leaky 7 (+300 files)");
	series_deinit(&s);
}

/* Processes that a snapshot lacks because time ran out, or has in part, keep their numbers. */
static void test_time_ran_out(void **state)
{
	static const char *const holders[] = {
		"process pid=7 files=50 sockets=9 name=a\nprocess pid=8 files=90 name=b\n",
		"process pid=7 files=60 name=a\nskipped late=1\n",
		"process pid=7 files=70 name=a\nprocess pid=8 files=20 late=1 name=b\nskipped "
		"late=1\n",
		"process pid=7 files=80 name=a\nprocess pid=8 files=99 late=1 name=b\nskipped "
		"late=1\n",
		"process pid=7 files=80 name=a\nskipped denied=1\n",
	};
	static const int64_t b_files[] = {90, 90, 90, 99, 0};
	struct series s;

	(void)state;
	series_init(&s, NR);
	for (unsigned int i = 0; i < 5; i++)
		add_snapshot(&s, i, 0, 0, 50, holders[i]);
	series_finish(&s);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(find(&s, "process/8/files/b")->v[i], b_files[i]);
	assert_int_equal(find(&s, "process/7/files/a")->v[1], 60);
	/* its sockets are closed: it was examined as a whole */
	assert_int_equal(find(&s, "process/7/sockets/a")->v[0], 9);
	assert_int_equal(find(&s, "process/7/sockets/a")->v[1], 0);
	series_deinit(&s);
}

/* Where time runs out in every snapshot, an ended process is not kept for ever. */
static void test_ended_although_time_always_runs_out(void **state)
{
	struct series s;

	(void)state;
	series_init(&s, NR);
	for (unsigned int i = 0; i < NR; i++)
		add_snapshot(&s, i, 0, 0, 50,
			     i ? "skipped late=1\n"
			       : "process pid=8 files=90 name=b\nskipped late=1\n");
	series_finish(&s);
	assert_int_equal(find(&s, "process/8/files/b")->v[5], 90);
	assert_int_equal(find(&s, "process/8/files/b")->v[NR - 1], 0);
	series_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_rises_with_what_can_hold_it),
		cmocka_unit_test(test_two_ends_share_an_object),
		cmocka_unit_test(test_the_cache_of_its_objects_rises_with_a_process),
		cmocka_unit_test(test_time_ran_out),
		cmocka_unit_test(test_ended_although_time_always_runs_out),
	};

	return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
