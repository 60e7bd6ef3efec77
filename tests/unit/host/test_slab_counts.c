// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/host/slab_counts.h"

#define HEAD		    "slabinfo - version: 2.1\n# name            <active_objs> ...\n"
#define LINE(name, figures) name " " figures " : tunables 0 0 0 : slabdata 1 1 0\n"

static char dir[] = "/tmp/test_slab_counts.XXXXXX";
static char info[64], caches[64];

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void add_attribute(const char *cache, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", caches, cache);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", caches, cache, name);
	write_file(path, text);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(info, sizeof(info), "%s/slabinfo", dir);
	snprintf(caches, sizeof(caches), "%s/slab", dir);
	return mkdir(caches, 0700);
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void read_text(struct slab_counts *c, const char *text, uint64_t time_ns)
{
	write_file(info, text);
	assert_int_equal(slab_counts_read(c, info, caches, time_ns), 0);
}

static uint64_t cpus(void)
{
	return (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
}

static void test_a_line_with_blanks_in_its_name(void **state)
{
	char text[] = "my cache  12 34 56 78 2 : tunables 120 60 8 : slabdata 3 4 0";
	char negative[] = "a -1 34 56 78 2 : tunables 0 0 0 : slabdata 3 4 0";
	struct slabinfo_cache line;

	(void)state;
	assert_true(slabinfo_parse(text, strlen(text), &line));
	assert_string_equal(line.name, "my cache");
	assert_int_equal(line.active, 12);
	assert_int_equal(line.objects, 34);
	assert_int_equal(line.per_slab, 78);
	assert_int_equal(line.limit, 120);
	assert_int_equal(line.shared, 8);
	assert_int_equal(line.slabs, 4);
	assert_false(slabinfo_parse(negative, strlen(negative), &line));
}

static void test_growth_between_the_first_and_the_latest_reading(void **state)
{
	struct slab_counts c = {0};
	struct slab_growth g;

	(void)state;
	read_text(&c, HEAD LINE("filp", "100 160 256 16 1") LINE("gone", "5 16 64 16 1"), 1000);
	assert_false(slab_counts_growth(&c, "filp", &g));
	read_text(&c, HEAD LINE("filp", "900 960 256 16 1") LINE("gone", "5 16 64 16 1"), 2000);
	read_text(&c, HEAD LINE("young", "7 16 64 16 1") LINE("filp", "130 160 256 16 1"), 3000);
	assert_true(slab_counts_growth(&c, "filp", &g));
	assert_int_equal(g.before, 100);
	assert_int_equal(g.used, 130);
	assert_int_equal(g.objects, 30);
	assert_true(slab_counts_growth(&c, "gone", &g));
	assert_int_equal(g.objects, -5);
	assert_true(slab_counts_growth(&c, "young", &g));
	assert_int_equal(g.objects, 7);
	assert_false(slab_counts_growth(&c, "fil", &g));
	assert_int_equal(c.time_ns[SLAB_START], 1000);
	assert_int_equal(c.time_ns[SLAB_LATEST], 3000);
	slab_counts_restart(&c);
	assert_false(slab_counts_growth(&c, "filp", &g));
	read_text(&c, HEAD LINE("filp", "131 160 256 16 1"), 4000);
	assert_true(slab_counts_growth(&c, "filp", &g));
	assert_int_equal(g.objects, 1);
	assert_int_equal(c.time_ns[SLAB_START], 3000);
	slab_counts_deinit(&c);
}

static void test_totals_are_those_of_the_latest_reading(void **state)
{
	struct slab_counts c = {0};
	struct slab_totals t = slab_counts_totals(&c);

	(void)state;
	assert_int_equal(t.objects, 0);
	read_text(&c, HEAD LINE("filp", "100 160 256 16 1") LINE("gone", "5 16 64 16 1"), 1000);
	t = slab_counts_totals(&c);
	assert_int_equal(t.used, 105);
	assert_int_equal(t.objects, 176);
	read_text(&c, HEAD LINE("filp", "130 160 256 16 1"), 2000);
	t = slab_counts_totals(&c);
	assert_int_equal(t.used, 130);
	assert_int_equal(t.objects, 160);
	assert_int_equal(t.used_bytes, 130 * 256);
	assert_int_equal(t.bytes, 160 * 256);
	slab_counts_deinit(&c);
}

static void test_uncertainty_covers_lists_and_sheaves_of_cpus(void **state)
{
	struct slab_counts c = {0};
	struct slab_growth g;

	(void)state;
	add_attribute("listed", "cpu_partial", "52\n");
	add_attribute("sheaved", "cpu_partial", "0\n");
	add_attribute("sheaved", "sheaf_capacity", "32\n");
	for (int i = 0; i < 2; i++)
		read_text(&c,
			  HEAD LINE("listed", "10 16 256 16 1") LINE("sheaved", "10 16 256 16 1")
				  LINE("estimated", "9 40000 64 64 1") "arrays 10 16 256 16 1 : "
								       "tunables 120 60 0 : "
								       "slabdata 1 1 0\n",
			  1000);
	/* the slab in use and 2 * 52 / 16 more, rounded up */
	assert_true(slab_counts_growth(&c, "listed", &g));
	assert_int_equal(g.uncertainty, cpus() * 16 * (1 + 7));
	assert_true(slab_counts_growth(&c, "sheaved", &g));
	assert_true(g.uncertainty >= cpus() * (16 + 3 * 32) + 10 * 32);
	assert_true(slab_counts_growth(&c, "estimated", &g));
	assert_int_equal(g.uncertainty, 40000 - 9 - 10000);
	assert_true(slab_counts_growth(&c, "arrays", &g));
	assert_int_equal(g.uncertainty, cpus() * 120);
	slab_counts_deinit(&c);
}

static void test_copies_and_buckets_of_kmalloc(void **state)
{
	struct slab_counts c = {0};
	struct slab_growth g;

	(void)state;
	read_text(&c, HEAD LINE("kmalloc-64", "100 128 64 64 1"), 1000);
	read_text(
		&c,
		HEAD LINE("kmalloc-64", "100 128 64 64 1") LINE("kmalloc-rnd-03-64", "3 64 64 64 1")
			LINE("kmalloc-rnd-15-64", "4 64 64 64 1") LINE("msg_msg-64", "9 64 64 64 1")
				LINE("msg_msg-8k", "1 4 8192 4 8") LINE("bio-64", "50 64 64 64 1"),
		2000);
	assert_true(slab_counts_growth(&c, "kmalloc-64", &g));
	assert_int_equal(g.objects, 7);
	/* bio-64 is not a bucket */
	assert_int_equal(g.elsewhere, 9);
	assert_true(slab_counts_growth(&c, "bio-64", &g));
	assert_int_equal(g.elsewhere, 0);
	slab_counts_deinit(&c);
}

static void test_a_file_that_cannot_be_read_gives_no_counts(void **state)
{
	struct slab_counts c = {0};

	(void)state;
	assert_int_equal(slab_counts_read(&c, "/nonexistent", caches, 1000), 0);
	assert_int_equal(c.nr_readings, 0);
	slab_counts_deinit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_with_blanks_in_its_name),
		cmocka_unit_test(test_growth_between_the_first_and_the_latest_reading),
		cmocka_unit_test(test_totals_are_those_of_the_latest_reading),
		cmocka_unit_test(test_uncertainty_covers_lists_and_sheaves_of_cpus),
		cmocka_unit_test(test_copies_and_buckets_of_kmalloc),
		cmocka_unit_test(test_a_file_that_cannot_be_read_gives_no_counts),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
