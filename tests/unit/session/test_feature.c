// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include "util/perfdata/attr.h"
#include "util/perfdata/format.h"
#include "util/session/feature.h"

static void read_info(struct recording *r, const char *text)
{
	assert_int_equal(
		feature_read(r, HEADER_RECORDING_INFO, bytes_make(text, strlen(text), false)), 0);
}

static void test_cpus_that_went_offline(void **state)
{
	struct recording r;

	(void)state;
	recording_init(&r);
	read_info(&r, "migratetypes: Unmovable\n");
	assert_int_equal(r.facts.offline.nr, 0);
	read_info(&r, "offline: 3,1-2\nfilter: none\n");
	assert_int_equal(r.facts.offline.nr, 3);
	assert_int_equal(r.facts.offline.cpus[0], 1);
	assert_int_equal(r.facts.offline.cpus[2], 3);
	recording_deinit(&r);
}

/* No figure is lost because a line is malformed. */
static void test_a_list_that_is_none_is_left_out(void **state)
{
	static const char *const texts[] = {"offline: \n", "offline: one\n", "offline: 99999999\n",
					    "offline: -1\n"};
	struct recording r;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		recording_init(&r);
		read_info(&r, texts[i]);
		assert_int_equal(r.facts.offline.nr, 0);
		recording_deinit(&r);
	}
}

static void test_slab_counts(void **state)
{
	struct slab_growth g;
	struct recording r;

	(void)state;
	recording_init(&r);
	read_info(&r, "slab-counts: 1000 2000 all\nslab-count: 10 16 12 32 256 16 64 filp\n");
	read_info(&r, "slab-count: 5 8 2 8 64 8 16 my cache\n");
	assert_true(r.facts.slab_counts.whole);
	assert_int_equal(r.facts.slab_counts.time_ns[SLAB_LATEST], 2000);
	assert_true(slab_counts_growth(&r.facts.slab_counts, "filp", &g));
	assert_int_equal(g.before, 10);
	assert_int_equal(g.objects, 2);
	assert_int_equal(g.uncertainty, 64);
	assert_true(slab_counts_growth(&r.facts.slab_counts, "my cache", &g));
	assert_int_equal(g.objects, -3);
	/* incomplete, out of order, impossible */
	read_info(&r, "slab-count: 5 8 2 8 64 8 z\nslab-count: 5 8 2 8 64 8 16 a\n"
		      "slab-count: 5 8 -2 8 64 8 16 z\nslab-count: 5 8 2 8 64 8 16 \n");
	assert_int_equal(r.facts.slab_counts.nr, 2);
	read_info(&r, "slab-counts: 1000 2000 part\n");
	assert_false(r.facts.slab_counts.whole);
	assert_int_equal(r.facts.slab_counts.nr, 0);
	recording_deinit(&r);
}

/* The attributes are also those of stock's record -k mono. */
static void test_frees_of_others_are_marked(void **state)
{
	struct event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				  .clockid = CLOCK_MONOTONIC,
				  .flags = 1ULL << ATTR_INHERIT | 1ULL << ATTR_USE_CLOCKID};
	struct recording r;

	(void)state;
	recording_init(&r);
	assert_non_null(recording_add_event(&r, &attr));
	assert_false(r.facts.frees_of_others);
	read_info(&r, "kernel-frees: all\n");
	assert_true(r.facts.frees_of_others);
	recording_deinit(&r);
}

/* Records that unpack to any number of lines must not fill the memory. */
static void test_names_of_merged_caches_are_bounded(void **state)
{
	struct recording r;

	(void)state;
	recording_init(&r);
	for (int i = 0; i < 100000; i++)
		read_info(&r, "cache-aliases: one/two/three/four/five\n");
	assert_in_range(r.facts.cache_aliases.len, 32768, 1 << 20);
	recording_deinit(&r);
}

static void test_time_span(void **state)
{
	const uint64_t v[] = {100, 200}, backwards[] = {200, 100};
	struct recording r;

	(void)state;
	recording_init(&r);
	assert_int_equal(feature_read(&r, HEADER_SAMPLE_TIME, bytes_make(v, 16, false)), 0);
	assert_int_equal(r.facts.stated_start_ns, 100);
	assert_int_equal(r.facts.stated_stop_ns, 200);
	/* a line that cannot be parsed changes nothing */
	assert_int_equal(feature_read(&r, HEADER_SAMPLE_TIME, bytes_make(v, 8, false)), 0);
	assert_int_equal(feature_read(&r, HEADER_SAMPLE_TIME, bytes_make(backwards, 16, false)), 0);
	assert_int_equal(r.facts.stated_start_ns, 100);
	assert_int_equal(r.facts.stated_stop_ns, 200);
	recording_deinit(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus_that_went_offline),
		cmocka_unit_test(test_a_list_that_is_none_is_left_out),
		cmocka_unit_test(test_slab_counts),
		cmocka_unit_test(test_frees_of_others_are_marked),
		cmocka_unit_test(test_names_of_merged_caches_are_bounded),
		cmocka_unit_test(test_time_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
