// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <cmocka.h>

#include "util/source/facts.h"

static struct source_event *add_event(struct source_facts *f, uint32_t type, uint64_t period)
{
	struct source_event *ev = calloc(1, sizeof(*ev));

	assert_non_null(ev);
	ev->type = type;
	ev->period = period;
	assert_int_equal(source_facts_add_event(f, ev), 0);
	return ev;
}

static void test_events_are_the_facts_and_stay_where_they_are(void **state)
{
	struct source_event *first;
	struct source_facts f;

	(void)state;
	source_facts_init(&f);
	first = add_event(&f, PERF_TYPE_TRACEPOINT, 1);
	for (int i = 1; i < 100; i++)
		assert_int_equal(add_event(&f, PERF_TYPE_TRACEPOINT, 1)->index, i);
	assert_ptr_equal(f.events[0], first);
	assert_int_equal(f.nr_events, 100);
	first->name = strdup("kmem:kmalloc");
	source_facts_deinit(&f);
	assert_int_equal(f.nr_events, 0);
}

static void test_the_largest_period_of_the_tracepoints(void **state)
{
	struct source_facts f;

	(void)state;
	source_facts_init(&f);
	assert_int_equal(source_facts_period(&f), 1);
	add_event(&f, PERF_TYPE_TRACEPOINT, 3);
	add_event(&f, PERF_TYPE_TRACEPOINT, 5);
	add_event(&f, PERF_TYPE_SOFTWARE, 4000);
	assert_int_equal(source_facts_period(&f), 5);
	source_facts_deinit(&f);
}

static void check_span(const struct source_facts *f, uint64_t start_ns, uint64_t stop_ns)
{
	struct source_span span = source_facts_span(f);

	assert_int_equal(span.start_ns, start_ns);
	assert_int_equal(span.stop_ns, stop_ns);
}

static void test_the_span_is_what_is_told_and_all_samples(void **state)
{
	struct source_facts f = {.first_ns = 10, .last_ns = 90, .nr_samples = 2};

	(void)state;
	check_span(&f, 10, 90);
	f.stated_start_ns = 5;
	f.stated_stop_ns = 100;
	check_span(&f, 5, 100);
	f.last_ns = 120;
	f.first_ns = 1;
	check_span(&f, 1, 120);
	/* stopped: there may be samples after the last one that was read */
	f.last_ns = 50;
	f.stop.stopped = true;
	check_span(&f, 1, 50);
	f.nr_samples = 0;
	check_span(&f, 5, 100);
}

static void test_the_wall_clock_is_told_or_worked_out(void **state)
{
	struct source_facts f = {.stated_start_ns = 300, .stated_stop_ns = 400};

	(void)state;
	assert_int_equal(source_facts_wall_clock_ns(&f), 0);
	f.clock.wall_ns = 1000000;
	f.clock.event_ns = 100;
	assert_int_equal(source_facts_wall_clock_ns(&f), 1000200);
	f.wall_clock_ns = 7;
	assert_int_equal(source_facts_wall_clock_ns(&f), 7);
}

static void test_the_host_is_as_much_as_is_known(void **state)
{
	char host[] = "shop", release[] = "6.12.1", none[] = "";
	struct source_facts f = {.osrelease = release};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	source_facts_add_host(&f, &sb);
	assert_string_equal(sb.buf, "Linux 6.12.1");
	strbuf_reset(&sb);
	f.hostname = host;
	f.arch = none;
	source_facts_add_host(&f, &sb);
	assert_string_equal(sb.buf, "shop, Linux 6.12.1");
	strbuf_deinit(&sb);
}

static void test_losses_in_percent(void **state)
{
	struct source_facts f = {.nr_lost = 0};

	(void)state;
	assert_true(source_facts_lost_percent(&f) <= 0);
	f.nr_lost = 25;
	f.nr_samples = 75;
	assert_true(source_facts_lost_percent(&f) > 24.99 && source_facts_lost_percent(&f) < 25.01);
}

static void test_how_far_the_reading_came(void **state)
{
	struct source_facts f = {.stop = {.stopped = true, .bytes = 1 << 20}};
	char buf[SOURCE_STOP_BUF];

	(void)state;
	assert_string_equal(source_facts_stop_text(&f, buf, sizeof(buf)), "1.0 MiB");
	f.stop.bytes_total = 4 << 20;
	assert_string_equal(source_facts_stop_text(&f, buf, sizeof(buf)), "25.0 % (1.0 MiB)");
}

static void test_the_node_of_a_cpu(void **state)
{
	int32_t nodes[] = {0, 1, NUMA_NO_NODE};
	const struct source_facts f = {.cpu_node = nodes, .nr_cpu_node = 3};

	(void)state;
	assert_int_equal(source_facts_cpu_node(&f, 1), 1);
	assert_int_equal(source_facts_cpu_node(&f, 2), NUMA_NO_NODE);
	assert_int_equal(source_facts_cpu_node(&f, 3), NUMA_NO_NODE);
	assert_int_equal(source_facts_cpu_node(&f, -1), NUMA_NO_NODE);
}

static void test_a_release_that_does_not_parse_is_new(void **state)
{
	struct source_facts f = {.osrelease = (char *)"4.19.0-26"};

	(void)state;
	assert_true(source_facts_kernel_at_least(&f, 4, 4));
	assert_true(source_facts_kernel_at_least(&f, 4, 19));
	assert_false(source_facts_kernel_at_least(&f, 4, 20));
	assert_false(source_facts_kernel_at_least(&f, 5, 0));
	f.osrelease = (char *)"custom";
	assert_true(source_facts_kernel_at_least(&f, 99, 0));
	f.osrelease = NULL;
	assert_true(source_facts_kernel_at_least(&f, 99, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_are_the_facts_and_stay_where_they_are),
		cmocka_unit_test(test_the_largest_period_of_the_tracepoints),
		cmocka_unit_test(test_the_span_is_what_is_told_and_all_samples),
		cmocka_unit_test(test_the_wall_clock_is_told_or_worked_out),
		cmocka_unit_test(test_the_host_is_as_much_as_is_known),
		cmocka_unit_test(test_losses_in_percent),
		cmocka_unit_test(test_how_far_the_reading_came),
		cmocka_unit_test(test_the_node_of_a_cpu),
		cmocka_unit_test(test_a_release_that_does_not_parse_is_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
