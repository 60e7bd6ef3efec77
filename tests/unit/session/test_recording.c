// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/perfdata/format.h"
#include "util/session/recording.h"

static int setup(void **state)
{
	const struct event_attr alloc = {.type = PERF_TYPE_TRACEPOINT, .config = 7};
	const struct event_attr free = {.type = PERF_TYPE_TRACEPOINT, .sample_period = 5};
	const struct event_attr dummy = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
	struct recording *r = malloc(sizeof(*r));

	assert_non_null(r);
	recording_init(r);
	assert_non_null(recording_add_event(r, &alloc));
	assert_non_null(recording_add_event(r, &free));
	assert_non_null(recording_add_event(r, &dummy));
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	recording_deinit(*state);
	free(*state);
	return 0;
}

static void test_an_event_says_what_its_attr_says(void **state)
{
	const struct recording *r = *state;

	assert_int_equal(r->facts.events[0]->config, 7);
	assert_int_equal(r->facts.events[0]->period, 1);
	assert_int_equal(r->facts.events[1]->period, 5);
	assert_int_equal(r->facts.events[2]->index, 2);
	assert_false(r->facts.events[1]->is_dummy);
	assert_true(r->facts.events[2]->is_dummy);
	assert_int_equal(source_facts_period(&r->facts), 5);
}

static void test_lost_records_tell_only_the_sum(void **state)
{
	struct recording *r = *state;

	for (size_t i = 0; i < 3; i++)
		recording_event(r, i)->nr_lost_records = 10;
	recording_event(r, 0)->nr_unwritten = 2;
	recording_settle(r, true);
	assert_int_equal(r->facts.events[0]->nr_lost, 12);
	assert_int_equal(r->facts.events[2]->nr_lost, 10);
	assert_int_equal(r->facts.nr_lost, 32);
}

static void test_what_any_event_lost_is_in_the_sum(void **state)
{
	struct recording *r = *state;

	r->nr_lost_of_any = 5;
	recording_event(r, 1)->nr_lost_records = 2;
	recording_settle(r, true);
	assert_int_equal(r->facts.events[0]->nr_lost, 0);
	assert_int_equal(r->facts.events[1]->nr_lost, 2);
	assert_int_equal(r->facts.nr_lost, 7);
}

static void test_lost_samples_tell_whose_they_were(void **state)
{
	struct recording *r = *state;

	r->facts.knows_lost_events = true;
	recording_event(r, 0)->nr_lost_records = 100;
	recording_event(r, 0)->nr_lost_samples = 3;
	recording_event(r, 1)->nr_lost_samples = 4;
	recording_event(r, 2)->nr_lost_samples = 50; /* no samples of a dummy are missed */
	recording_settle(r, true);
	assert_int_equal(r->facts.events[0]->nr_lost, 3);
	assert_int_equal(r->facts.events[1]->nr_lost, 4);
	assert_int_equal(r->facts.nr_lost, 7);
}

static void test_what_was_counted_and_never_delivered(void **state)
{
	struct recording *r = *state;
	struct recorded_event *ev = recording_event(r, 0);

	ev->event.nr_samples = 90;
	ev->nr_counted = 100;
	ev->nr_lost_records = 4;
	recording_settle(r, true);
	assert_int_equal(ev->event.nr_undelivered, 6);
	recording_settle(r, false); /* the rest was not read */
	assert_int_equal(ev->event.nr_undelivered, 0);
}

static void test_one_event_of_n_is_nothing_missing(void **state)
{
	struct recording *r = *state;
	struct recorded_event *ev = recording_event(r, 1);

	ev->event.nr_samples = 20;
	ev->nr_counted = 5 * 20 + 4;
	recording_settle(r, true);
	assert_int_equal(ev->event.nr_undelivered, 0);
	ev->nr_counted = 5 * 30;
	r->facts.nr_cpus_available =
		4; /* each CPU may have counted some more since its last sample */
	recording_settle(r, true);
	assert_int_equal(ev->event.nr_undelivered, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_an_event_says_what_its_attr_says, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_lost_records_tell_only_the_sum, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_what_any_event_lost_is_in_the_sum, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_lost_samples_tell_whose_they_were, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_what_was_counted_and_never_delivered, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_one_event_of_n_is_nothing_missing, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
