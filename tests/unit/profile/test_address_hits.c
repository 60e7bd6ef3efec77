// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of two events, of two processes that have one file mapped at different places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include "util/machine/user_regs.h"
#include "util/profile/address_hits.h"

#define KERNEL 0xffffffff81001000

static struct source_facts facts;
static struct process_maps maps;
static struct address_hits hits;
static struct source_event *events[2];

static struct source_event *add_event(void)
{
	struct source_event *ev = calloc(1, sizeof(*ev));

	assert_non_null(ev);
	ev->index = (uint32_t)facts.nr_events;
	ev->period = 1;
	facts.events = realloc(facts.events, (facts.nr_events + 1) * sizeof(*facts.events));
	assert_non_null(facts.events);
	facts.events[facts.nr_events++] = ev;
	return ev;
}

static void map(uint32_t pid, uint64_t start)
{
	const struct source_map m = {
		.pid = pid, .tid = pid, .start = start, .length = 0x1000, .path = "/bin/p"};

	assert_int_equal(process_maps_map(&maps, &m), 0);
}

static int setup(void **state)
{
	(void)state;
	source_facts_init(&facts);
	events[0] = add_event();
	process_maps_init(&maps);
	address_hits_init(&hits, &facts, &maps);
	map(7, 0x400000);
	map(8, 0x500000);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	address_hits_deinit(&hits);
	process_maps_deinit(&maps);
	source_facts_deinit(&facts);
	return 0;
}

static void add(struct sample sample)
{
	sample.event = sample.event ? sample.event : events[0];
	assert_int_equal(address_hits_add(&hits, &sample), 0);
}

static void check(uint32_t i, uint32_t file, uint64_t address, uint64_t samples, uint64_t period)
{
	const struct address_hit *hit = address_hits_at(&hits, i);

	assert_int_equal(hit->file, file);
	assert_int_equal(hit->address, address);
	assert_int_equal(hit->count.samples, samples);
	assert_int_equal(hit->count.period, period);
}

static void address_of_a_file_is_one_for_all_processes(void **state)
{
	(void)state;
	add((struct sample){.in_user = true, .pid = 7, .ip = 0x400010, .period = 5});
	add((struct sample){.in_user = true, .pid = 8, .ip = 0x500010, .period = 6});
	add((struct sample){.in_user = true, .pid = 8, .ip = 0x500011});
	assert_int_equal(hits.rows.nr, 2);
	check(0, 0, 0x10, 2, 11);
	check(1, 0, 0x11, 1, 1);
	assert_int_equal(hits.events[0].samples, 3);
	assert_int_equal(hits.events[0].period, 12);
}

static void address_in_no_file_counts_for_the_event_only(void **state)
{
	(void)state;
	add((struct sample){.in_user = true, .pid = 7, .ip = 0x900000});
	assert_int_equal(hits.rows.nr, 0);
	assert_int_equal(hits.events[0].samples, 1);
}

static void kernel_counts_where_it_was_entered_from(void **state)
{
	static const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, KERNEL,	  KERNEL + 0x100,
					 (uint64_t)PERF_CONTEXT_USER,	0x400020, 0x400030};
	const uint64_t ip = 0x500020;

	(void)state;
	facts.arch = strdup("x86_64");
	add((struct sample){.pid = 7,
			    .ip = KERNEL,
			    .callchain = (const uint8_t *)chain,
			    .nr_callchain = sizeof(chain) / sizeof(chain[0])});
	add((struct sample){
		.pid = 8,
		.ip = KERNEL,
		.user = {.mask = 1ull << USER_REG_X86_IP, .regs = (const uint8_t *)&ip}});
	add((struct sample){.ip = KERNEL});
	add((struct sample){.in_user = true, .pid = 7, .ip = 0x400020});
	assert_int_equal(hits.rows.nr, 3);
	check(0, FILE_OF_KERNEL, KERNEL, 3, 3);
	check(1, 0, 0x20, 2, 2);
	assert_true(address_hits_at(&hits, 1)->entered_from);
	check(2, 0, 0x20, 1, 1);
	assert_false(address_hits_at(&hits, 2)->entered_from);
	assert_int_equal(hits.events[0].samples, 4);
}

static void event_may_be_told_after_the_first_sample(void **state)
{
	(void)state;
	add((struct sample){.ip = KERNEL});
	events[1] = add_event();
	events[1]->period = 100;
	add((struct sample){.ip = KERNEL, .event = events[1]});
	add((struct sample){.ip = KERNEL});
	assert_int_equal(hits.rows.nr, 2);
	check(0, FILE_OF_KERNEL, KERNEL, 2, 2);
	check(1, FILE_OF_KERNEL, KERNEL, 1, 100);
	assert_int_equal(hits.nr_events, 2);
	assert_int_equal(hits.events[0].period, 2);
	assert_int_equal(hits.events[1].period, 100);
}

static void further_addresses_count_for_the_event_only(void **state)
{
	const uint32_t max = 1 << 20;

	(void)state;
	for (uint32_t i = 0; i < max; i++)
		add((struct sample){.ip = KERNEL + i});
	assert_in_range(hits.rows.nr, 1 << 16, max - 1);
	assert_int_equal(hits.nr_left_out, max - hits.rows.nr);
	assert_int_equal(hits.events[0].samples, max);
	add((struct sample){.ip = KERNEL});
	check(0, FILE_OF_KERNEL, KERNEL, 2, 2);
	facts.stored_bytes = 1 << 20; /* as of a pipe, while it is read */
	add((struct sample){.ip = KERNEL + max});
	assert_int_equal(hits.nr_left_out, max - hits.rows.nr + 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(address_of_a_file_is_one_for_all_processes),
		TEST(address_in_no_file_counts_for_the_event_only),
		TEST(kernel_counts_where_it_was_entered_from),
		TEST(event_may_be_told_after_the_first_sample),
		TEST(further_addresses_count_for_the_event_only),
	};

	return cmocka_run_group_tests_name("address_hits", tests, NULL, NULL);
}
