// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <unistd.h>

#include "tests/fixture/fixture.h"
#include "util/kmem/leak.h"

/*
 * Of the scenario of tests/fixture: objects 80 to 99 and blocks 30 to 49 stay.  A step is a
 * microsecond; object i is allocated in step i, block i in step 181 + i, the last event is in
 * step 262.
 */
#define STEP_NS	  1000u
#define LAST_STEP 262u

struct fixture_run {
	struct kmem_analysis a;
	struct session *session;
	struct kmem_filter filter;
	struct leak leak;
};

static void run(struct fixture_run *r, uint32_t flags, const char *filter, const char *text,
		uint64_t min_age_ns)
{
	const struct fixture_options fixture = {.long_size = 8, .flags = flags};
	struct kmem_options options = {.slab = true, .page = true, .filter = &r->filter};
	char path[] = "/tmp/test_leak.XXXXXX";

	close(mkstemp(path));
	kmem_filter_init(&r->filter);
	if (filter)
		assert_int_equal(kmem_filter_add(&r->filter, filter, text, NULL), 0);
	leak_options_prepare(&options, false);
	assert_int_equal(fixture_write(&fixture, path), 0);
	assert_int_equal(
		session_open(path, &(struct reader_options){.force = true}, &r->session, NULL), 0);
	assert_int_equal(kmem_analysis_run(&r->a, r->session, &options, NULL), 0);
	unlink(path);
	assert_int_equal(leak_init(&r->leak, &r->a, min_age_ns), 0);
}

static void end(struct fixture_run *r)
{
	leak_deinit(&r->leak);
	kmem_analysis_deinit(&r->a);
	session_free(r->session);
	kmem_filter_deinit(&r->filter);
}

static void test_all_that_is_left_is_found_with_its_age(void **state)
{
	uint64_t oldest = 0, youngest = UINT64_MAX;
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	assert_int_equal(r.leak.slab.hits, 20);
	assert_int_equal(r.leak.slab.bytes, 80800 - 51840);
	assert_int_equal(r.leak.slab.callsites, 5);
	assert_int_equal(r.leak.page.hits, 20);
	for (size_t i = 0; i < r.leak.slab.nr; i++) {
		const struct leak_row *row = &r.leak.slab.v[i];

		oldest = row->oldest_ns > oldest ? row->oldest_ns : oldest;
		youngest = row->youngest_ns < youngest ? row->youngest_ns : youngest;
		assert_true(!i || row->bytes <= row[-1].bytes);
	}
	assert_int_equal(oldest, (LAST_STEP - 80) * STEP_NS);
	assert_int_equal(youngest, (LAST_STEP - 99) * STEP_NS);
	end(&r);
}

static void test_younger_ones_do_not_count(void **state)
{
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, (LAST_STEP - 85) * STEP_NS);
	assert_int_equal(r.leak.slab.hits, 6); /* 80 to 85 */
	assert_int_equal(r.leak.page.hits, 0);
	end(&r);
}

static void test_filters_choose_whose(void **state)
{
	struct fixture_run r;

	(void)state;
	run(&r, 0, "cpu", "1", 0);
	assert_int_equal(r.leak.slab.hits, 5); /* of i % 4 */
	end(&r);
}

static void test_lost_events_lower_the_confidence(void **state)
{
	struct fixture_run r;

	(void)state;
	run(&r, 0, NULL, NULL, 0);
	assert_true(r.leak.lost <= 0);
	/* 81 + 31 of 263 samples are frees; before 6.0 nobody knows what the lost ones were */
	r.a.recording->events[0]->nr_lost_records = 263;
	leak_deinit(&r.leak);
	assert_int_equal(leak_init(&r.leak, &r.a, 0), 0);
	assert_true(r.leak.lost > 0.499 && r.leak.lost < 0.501);
	for (size_t i = 0; i < r.leak.page.nr; i++) {
		assert_true(r.leak.page.v[i].confidence < 0.501);
		assert_int_equal(r.leak.page.v[i].reason, LEAK_LOST);
	}
	end(&r);
	/* allocations were lost, and no free */
	run(&r, FIXTURE_LOST, NULL, NULL, 0);
	assert_true(r.leak.lost <= 0);
	end(&r);
}

static void test_a_cache_without_a_free_is_doubtful(void **state)
{
	struct fixture_run r;

	(void)state;
	/* each object of the scenario has a cache of its own size: no free of those left */
	run(&r, 0, NULL, NULL, 0);
	for (size_t i = 0; i < r.leak.slab.nr; i++)
		assert_int_equal(r.leak.slab.v[i].reason, LEAK_NO_FREE_SEEN);
	assert_int_equal(r.leak.nr_untraced, 0);
	end(&r);
}

static void test_confidence_has_words(void **state)
{
	(void)state;
	assert_string_equal(leak_confidence_word(1), "high");
	assert_string_equal(leak_confidence_word(0.7), "medium");
	assert_string_equal(leak_confidence_word(0.1), "low");
	for (int reason = LEAK_SURE; reason <= LEAK_NO_FREE_SEEN; reason++)
		assert_int_equal(!*leak_reason_text((enum leak_reason)reason), reason == LEAK_SURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_that_is_left_is_found_with_its_age),
		cmocka_unit_test(test_younger_ones_do_not_count),
		cmocka_unit_test(test_filters_choose_whose),
		cmocka_unit_test(test_lost_events_lower_the_confidence),
		cmocka_unit_test(test_a_cache_without_a_free_is_doubtful),
		cmocka_unit_test(test_confidence_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
