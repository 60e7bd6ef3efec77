// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/allocators.h"
#include "tests/fixture/text_source.h"
#include "util/kmem/pipeline.h"
#include "util/kmem/ticks.h"

static void test_an_interval_ends_before_the_event_at_its_end(void **state)
{
	struct tick_interval t;
	struct tick_clock c;

	(void)state;
	tick_clock_init(&c, 100);
	assert_true(tick_clock_passes(&c, 1000)); /* the first one begins the first interval */
	assert_false(tick_clock_next(&c, 0, 1000, &t));
	assert_false(tick_clock_passes(&c, 1099));
	assert_true(tick_clock_passes(&c, 1100));
	assert_true(tick_clock_next(&c, 0, 1100, &t));
	assert_int_equal(t.start_ns, 1000);
	assert_int_equal(t.end_ns, 1100);
	assert_false(t.last);
	assert_false(tick_clock_next(&c, 0, 1100, &t));
}

static void test_intervals_begin_with_the_source(void **state)
{
	struct tick_interval t;
	struct tick_clock c;

	(void)state;
	tick_clock_init(&c, 100);
	/* one is empty */
	assert_true(tick_clock_next(&c, 950, 1060, &t));
	assert_int_equal(t.start_ns, 950);
	assert_int_equal(t.end_ns, 1050);
	assert_false(tick_clock_next(&c, 950, 1060, &t));
	/* a time that cannot be: the event's own */
	tick_clock_init(&c, 100);
	assert_false(tick_clock_next(&c, 2000, 1060, &t));
	assert_int_equal(c.start_ns, 1060);
}

static void test_a_long_silence_is_one_interval(void **state)
{
	unsigned int nr = 0;
	struct tick_interval t;
	struct tick_clock c;

	(void)state;
	tick_clock_init(&c, 100);
	assert_false(tick_clock_next(&c, 0, 1000, &t));
	while (tick_clock_next(&c, 0, UINT64_MAX - 50, &t))
		nr++;
	assert_int_equal(nr, TICKS_EMPTY + 1);
	assert_true(t.end_ns > UINT64_MAX - 250);
	assert_int_equal(t.start_ns, 1000 + TICKS_EMPTY * 100);
	assert_int_equal((t.end_ns - t.start_ns) % 100, 0);
}

static void test_nobody_wants_them(void **state)
{
	struct tick_interval t;
	struct tick_clock c;

	(void)state;
	tick_clock_init(&c, 0);
	assert_false(tick_clock_passes(&c, UINT64_MAX - 1));
	assert_false(tick_clock_next(&c, 0, UINT64_MAX, &t));
	assert_false(tick_clock_end(&c, 5, &t));
}

static void test_the_last_may_be_shorter(void **state)
{
	struct tick_interval t;
	struct tick_clock c;

	(void)state;
	tick_clock_init(&c, 100);
	assert_false(tick_clock_end(&c, 5, &t));
	assert_false(tick_clock_next(&c, 0, 1000, &t));
	assert_true(tick_clock_end(&c, 1042, &t));
	assert_int_equal(t.start_ns, 1000);
	assert_int_equal(t.end_ns, 1042);
	assert_true(t.last);
}

/* ---- in the pipeline ------------------------------------------------------------------------- */

static const char events[] = "kmem events\n#kernel 6.1.0-none\n#arch x86_64\n#page_size 4096\n"
			     "kmalloc time=1000 ptr=0x1000 req=100 alloc=128 site=0xa000\n"
			     "kmalloc time=1099 ptr=0x2000 req=100 alloc=128 site=0xa000\n"
			     "kfree time=1100 ptr=0x1000\n"
			     "kmalloc time=1350 ptr=0x3000 req=100 alloc=128 site=0xa000\n";

struct seen {
	unsigned int nr;
	struct tick_interval intervals[8];
	uint64_t live[8]; /* objects, at their ends */
	unsigned int stop_after;
};

static int note(void *ctx, struct kmem_pipeline *p, struct tick_interval interval)
{
	struct seen *s = ctx;

	assert_true(s->nr < 8);
	s->intervals[s->nr] = interval;
	s->live[s->nr++] = slab_of(&p->accounts)->summary.live;
	return s->nr == s->stop_after;
}

static void run(struct seen *s, unsigned int jobs)
{
	const struct kmem_options options = {
		.wanted = {[ACCOUNT_slab] = true},
		.ticks = {.interval_ns = 100, .interval = note, .ctx = s},
		.jobs = jobs,
	};
	struct error err = ERROR_INIT;
	struct kmem_pipeline *p = aligned_alloc(CACHE_LINE, sizeof(*p));
	struct event_source *source = text_source_of(events, jobs);

	assert_non_null(p);
	assert_non_null(source);
	assert_int_equal(kmem_pipeline_run(p, source, &options, &err), 0);
	kmem_pipeline_deinit(p);
	event_source_free(source);
	free(p);
}

static void test_all_events_before_the_end_have_been_accounted(void **state)
{
	static const uint64_t live[] = {2, 1, 1, 2};

	(void)state;
	for (unsigned int jobs = 1; jobs <= 2; jobs++) {
		struct seen s = {.nr = 0};

		run(&s, jobs);
		assert_int_equal(s.nr, 4);
		for (unsigned int i = 0; i < s.nr; i++) {
			assert_int_equal(s.intervals[i].start_ns, 1000 + 100 * i);
			assert_int_equal(s.intervals[i].last, i == 3);
			assert_int_equal(s.live[i], live[i]);
		}
		assert_int_equal(s.intervals[3].end_ns, 1350);
	}
}

static void test_enough_is_not_an_error(void **state)
{
	struct seen s = {.stop_after = 2};

	(void)state;
	run(&s, 1);
	assert_int_equal(s.nr, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_interval_ends_before_the_event_at_its_end),
		cmocka_unit_test(test_intervals_begin_with_the_source),
		cmocka_unit_test(test_a_long_silence_is_one_interval),
		cmocka_unit_test(test_nobody_wants_them),
		cmocka_unit_test(test_the_last_may_be_shorter),
		cmocka_unit_test(test_all_events_before_the_end_have_been_accounted),
		cmocka_unit_test(test_enough_is_not_an_error),
	};

	return cmocka_run_group_tests_name("ticks", tests, NULL, NULL);
}
