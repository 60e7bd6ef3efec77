// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/base/clock.h"
#include "util/bpf/ring.h"

#ifdef HAVE_LIBBPF

/* One ring, whose head is as programs may leave it. */
static uint64_t end_of(struct bpf_ring_head head)
{
	int cpu = 0;
	const struct bpf_rings r = {.cpus = &cpu, .nr = 1, .bytes = 4096, .heads = &head};

	return bpf_ring_end(&r, 0);
}

static void test_ends_where_events_are_complete(void **state)
{
	(void)state;
	assert_int_equal(end_of((struct bpf_ring_head){0}), 0);
	assert_int_equal(end_of((struct bpf_ring_head){.reserved = 96, .committed = 96}), 96);
	assert_int_equal(
		end_of((struct bpf_ring_head){.reserved = 96, .committed = 48, .depth = 1}), 48);
}

static void test_reads_what_an_interrupt_wrote_last(void **state)
{
	(void)state;
	assert_int_equal(end_of((struct bpf_ring_head){.reserved = 96, .committed = 48}), 96);
}

static void test_never_ends_before_what_was_consumed(void **state)
{
	(void)state;
	assert_int_equal(end_of((struct bpf_ring_head){
				 .reserved = 144, .committed = 48, .consumed = 96, .depth = 1}),
			 96);
}

static uint64_t complete_of(struct bpf_ring_head head)
{
	uint64_t complete_ns = 1;
	int cpu = 0;
	struct bpf_rings r = {
		.cpus = &cpu, .complete_ns = &complete_ns, .nr = 1, .bytes = 4096, .heads = &head};

	bpf_ring_look(&r, 0);
	return complete_ns;
}

/* The head is looked at between two readings of the clock; programs' clocks may be behind ours. */
static void assert_complete_now(struct bpf_ring_head head)
{
	uint64_t before = now_ns();
	uint64_t complete = complete_of(head);

	assert_in_range(complete, before - 1000000, now_ns());
}

static void test_is_complete_unless_an_event_is_being_written(void **state)
{
	(void)state;
	assert_complete_now((struct bpf_ring_head){.reserved = 96, .committed = 48});
	assert_int_equal(
		complete_of((struct bpf_ring_head){.reserved = 96, .committed = 48, .depth = 1}),
		1);
	/* it has no place yet, so its time will be later */
	assert_complete_now((struct bpf_ring_head){.reserved = 96, .committed = 96, .depth = 1});
}

#else

static void test_needs_libbpf(void **state)
{
	(void)state;
	skip_because("perf is built without BPF");
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_LIBBPF
		cmocka_unit_test(test_ends_where_events_are_complete),
		cmocka_unit_test(test_reads_what_an_interrupt_wrote_last),
		cmocka_unit_test(test_never_ends_before_what_was_consumed),
		cmocka_unit_test(test_is_complete_unless_an_event_is_being_written),
#else
		cmocka_unit_test(test_needs_libbpf),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
