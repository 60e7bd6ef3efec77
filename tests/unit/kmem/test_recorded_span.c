// SPDX-License-Identifier: GPL-2.0-or-later
/* How long a recording is, and what depends on it: ages, rates, lengths. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/fixture/fixture.h"
#include "util/leak/leak.h"
#include "util/report/diff.h"

/* The scenario of tests/fixture: 263 events, a microsecond between, from second 1 on. */
#define FIRST_NS 1000000000ull
#define LAST_NS	 (FIRST_NS + 262000)
#define SECOND	 1000000000ull

struct reading {
	struct kmem_pipeline a;
	struct event_source *source;
};

static void run(struct reading *r, const struct fixture_options *fixture,
		const struct time_window *windows, size_t nr_windows)
{
	struct kmem_options options = {.wanted = {[ACCOUNT_slab] = true, [ACCOUNT_page] = true},
				       .windows = windows,
				       .nr_windows = nr_windows};
	char path[] = "/tmp/test_recorded_span.XXXXXX";

	close(mkstemp(path));
	assert_int_equal(leak_options_prepare(&options, &(struct table_spec){.nr_by = 0},
					      LEAK_NO_STACKS, NULL),
			 0);
	assert_int_equal(fixture_write(fixture, path), 0);
	assert_int_equal(
		event_source_open(path, &(struct source_options){.force = true}, &r->source, NULL),
		0);
	assert_int_equal(kmem_pipeline_run(&r->a, r->source, &options, NULL), 0);
	unlink(path);
}

static void end(struct reading *r)
{
	kmem_pipeline_deinit(&r->a);
	event_source_free(r->source);
}

static void check_span(const struct fixture_options *fixture, uint64_t start_ns, uint64_t stop_ns)
{
	struct reading r;

	run(&r, fixture, NULL, 0);
	assert_int_equal(source_facts_span(r.a.facts).start_ns, start_ns);
	assert_int_equal(source_facts_span(r.a.facts).stop_ns, stop_ns);
	assert_int_equal(kmem_pipeline_length_ns(&r.a), stop_ns - start_ns);
	/* these do not change */
	assert_int_equal(r.a.facts->first_ns, FIRST_NS);
	assert_int_equal(r.a.facts->last_ns, LAST_NS);
	end(&r);
}

static void test_it_is_as_long_as_the_file_says(void **state)
{
	const uint64_t start = FIRST_NS - SECOND / 2, stop = FIRST_NS + 8 * SECOND;
	const struct fixture_options fixtures[] = {
		{.long_size = 8},
		{.long_size = 4, .big_endian = true},
		{.long_size = 8, .form = FIXTURE_PIPE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		struct fixture_options f = fixtures[i];

		check_span(&f, FIRST_NS, LAST_NS);
		f.start_ns = start;
		f.stop_ns = stop;
		check_span(&f, start, stop);
	}
}

static void test_every_event_lies_in_it(void **state)
{
	const struct fixture_options inside = {
		.long_size = 8, .start_ns = FIRST_NS + 5000, .stop_ns = FIRST_NS + 6000};
	const struct fixture_options backwards = {
		.long_size = 8, .start_ns = FIRST_NS + SECOND, .stop_ns = FIRST_NS - 1};

	(void)state;
	check_span(&inside, FIRST_NS, LAST_NS);
	check_span(&backwards, FIRST_NS, LAST_NS);
}

static void test_what_is_not_finished_goes_by_its_events(void **state)
{
	const struct fixture_options f = {.long_size = 8,
					  .flags = FIXTURE_UNFINISHED,
					  .start_ns = 1,
					  .stop_ns = FIRST_NS + SECOND};

	(void)state;
	check_span(&f, FIRST_NS, LAST_NS);
}

static void test_a_reading_that_was_stopped_ends_with_its_last_event(void **state)
{
	struct source_facts r = {.first_ns = 10,
				 .last_ns = 20,
				 .nr_samples = 2,
				 .stated_start_ns = 1,
				 .stated_stop_ns = 1000,
				 .stop.stopped = true};

	(void)state;
	assert_int_equal(source_facts_span(&r).start_ns, 1);
	assert_int_equal(source_facts_span(&r).stop_ns, 20);
	r.stop.stopped = false;
	assert_int_equal(source_facts_span(&r).stop_ns, 1000);
	/* nothing happened while it was recorded */
	r.nr_samples = r.first_ns = r.last_ns = 0;
	assert_int_equal(source_facts_span(&r).start_ns, 1);
	assert_int_equal(source_facts_span(&r).stop_ns, 1000);
}

static uint64_t nr_leaks(const struct reading *r, uint64_t min_age_ns)
{
	const struct leak_input in = {.accounts = &r->a.accounts,
				      .options = &r->a.options,
				      .kinds = &r->a.kinds,
				      .naming = &r->a.naming,
				      .end_ns = kmem_pipeline_span(&r->a).stop_ns,
				      .min_age_ns = min_age_ns};
	struct leak l;
	uint64_t hits;

	assert_int_equal(leak_init(&l, &in), 0);
	hits = l.rows[ACCOUNT_slab].hits;
	leak_deinit(&l);
	return hits;
}

static void test_objects_of_an_idle_machine_grow_old(void **state)
{
	const struct fixture_options f = {
		.long_size = 8, .start_ns = FIRST_NS, .stop_ns = FIRST_NS + 8 * SECOND};
	const struct time_window window = {0, FIRST_NS + 4 * SECOND};
	struct reading r;

	(void)state;
	run(&r, &f, NULL, 0);
	assert_int_equal(nr_leaks(&r, 7 * SECOND), 20);
	assert_int_equal(nr_leaks(&r, 8 * SECOND), 0);
	end(&r);
	/* up to the end of the requested time span */
	run(&r, &f, &window, 1);
	assert_int_equal(nr_leaks(&r, 3 * SECOND), 20);
	assert_int_equal(nr_leaks(&r, 4 * SECOND), 0);
	end(&r);
}

static void test_rates_are_over_it(void **state)
{
	const struct fixture_options f = {
		.long_size = 8, .start_ns = FIRST_NS - SECOND, .stop_ns = FIRST_NS + 2 * SECOND};
	const struct time_window window = {FIRST_NS - SECOND / 2, UINT64_MAX};
	const struct report_options options = {.live = false};
	struct report_context sides[DIFF_SIDES];
	struct reading whole, part;
	struct diff d;

	(void)state;
	run(&whole, &f, NULL, 0);
	run(&part, &f, &window, 1);
	report_context_init(&sides[DIFF_OLD], &whole.a, &options);
	report_context_init(&sides[DIFF_NEW], &part.a, &options);
	assert_int_equal(diff_init(&d, &sides[DIFF_OLD], &sides[DIFF_NEW], true, 0), 0);
	assert_true(d.seconds[DIFF_OLD] == 3);
	assert_true(d.seconds[DIFF_NEW] == 2.5);
	diff_deinit(&d);
	end(&whole);
	end(&part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_as_long_as_the_file_says),
		cmocka_unit_test(test_every_event_lies_in_it),
		cmocka_unit_test(test_what_is_not_finished_goes_by_its_events),
		cmocka_unit_test(test_a_reading_that_was_stopped_ends_with_its_last_event),
		cmocka_unit_test(test_objects_of_an_idle_machine_grow_old),
		cmocka_unit_test(test_rates_are_over_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
