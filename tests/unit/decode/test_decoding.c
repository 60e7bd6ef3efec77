// SPDX-License-Identifier: GPL-2.0-or-later
/* A sample becomes an event that is complete in itself: times, what is looked up, the filter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/fixture/event_format.h"
#include "util/decode/decoding.h"
#include "util/decode/filter.h"
#include "util/decode/kmem_decoder.h"
#include "util/event/naming.h"

enum { KMALLOC, KFREE, OTHER, NR_EVENTS };

static const char kmalloc[] =
	FORMAT("kmalloc", 1,
	       FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0)
		       FIELD("size_t bytes_req", 24, 8, 0) FIELD("size_t bytes_alloc", 32, 8, 0)
			       FIELD("int node", 40, 4, 1));
static const char kfree[] = FORMAT(
	"kfree", 2, FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0));

static const struct decoding_needs slab_needs = {
	.kinds = KIND_BIT(KMEM_SLAB_ALLOC) | KIND_BIT(KMEM_SLAB_FREE),
	.completed = KIND_BIT(KMEM_SLAB_ALLOC),
	.late = KIND_BIT(KMEM_SLAB_ALLOC) | KIND_BIT(KMEM_SLAB_FREE),
};

struct fixture {
	struct kmem_decoding d;
	struct naming naming;
	struct source_facts facts;
	struct source_event events[NR_EVENTS];
	struct kmem_filter filter;
	struct kmem_decoder *decoders[NR_EVENTS];
	uint64_t raw[6];
	struct sample sample;
	struct kmem_event ev; /* the latest one for the accounts */
	int nr_taken;
};

static int take_events(void *ctx, const void *events, size_t nr)
{
	struct fixture *f = ctx;

	f->ev = ((const struct kmem_event *)events)[nr - 1];
	f->nr_taken += (int)nr;
	return 0;
}

static int setup(void **state)
{
	struct trace_format formats[] = {{"kmem", {kmalloc, sizeof(kmalloc) - 1}},
					 {"kmem", {kfree, sizeof(kfree) - 1}}};
	struct tracing_data td = {.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
				  .long_size = 8,
				  .page_size = 4096,
				  .formats = formats,
				  .nr_formats = 2};
	struct fixture *f = aligned_alloc(CACHE_LINE, sizeof(*f));
	struct kmem_decoding *d = &f->d;
	const int32_t node = -1;

	assert_non_null(f);
	memset(f, 0, sizeof(*f));
	source_facts_init(&f->facts);
	assert_int_equal(trace_init(&d->trace, &td, NULL), 0);
	for (uint32_t i = 0; i < NR_EVENTS; i++)
		f->events[i].index = i;
	for (uint64_t i = KMALLOC; i <= KFREE; i++)
		assert_int_equal(kmem_decoder_new(&d->trace, trace_event(&d->trace, i + 1),
						  &f->decoders[i], NULL),
				 0);
	d->naming = &f->naming;
	d->decoders = f->decoders;
	d->nr_decoders = NR_EVENTS;
	decoding_set_needs(d, &slab_needs);
	assert_int_equal(handoff_init(&d->handoff, sizeof(f->ev), take_events, f, false), 0);
	callsite_finder_init(&d->callsites, &f->naming.symbols, NULL);
	key_names_init(&f->naming.names);
	event_completer_init(&d->completer, &f->naming.names, &d->callsites, &f->naming.symbols,
			     &f->facts);
	kmem_filter_init(&f->filter);
	f->raw[1] = 0xffffffff81001000;
	f->raw[2] = 0xffff888000001000;
	f->raw[3] = 50;
	f->raw[4] = 64;
	memcpy(&f->raw[5], &node, sizeof(node));
	f->sample = (struct sample){.event = &f->events[KMALLOC],
				    .time_ns = 100,
				    .pid = 1,
				    .tid = 2,
				    .raw = (const uint8_t *)f->raw,
				    .raw_size = sizeof(f->raw)};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	handoff_deinit(&f->d.handoff);
	kmem_filter_deinit(&f->filter);
	event_completer_deinit(&f->d.completer);
	key_names_deinit(&f->naming.names);
	callsite_finder_deinit(&f->d.callsites);
	for (int i = 0; i < NR_EVENTS; i++)
		kmem_decoder_free(f->decoders[i]);
	trace_deinit(&f->d.trace);
	source_facts_deinit(&f->facts);
	free(f);
	return 0;
}

/* 1: it is an event; 0: it is not. */
static int take(struct fixture *f, int event, uint64_t time_ns)
{
	f->sample.event = &f->events[event];
	f->sample.time_ns = time_ns;
	f->nr_taken = 0;
	assert_int_equal(decoding_take_samples(&f->d, &f->sample, 1), 1);
	assert_int_equal(handoff_drain(&f->d.handoff), 0);
	return f->nr_taken;
}

static void test_an_event(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(take(f, KMALLOC, 100), 1);
	assert_int_equal(f->ev.kind, KMEM_SLAB_ALLOC);
	assert_true(f->ev.ptr == 0xffff888000001000);
	assert_int_equal(f->ev.bytes_alloc, 64);
	assert_int_equal(f->ev.time_ns, 100);
	assert_true(f->ev.in_window);
	assert_false(f->ev.filtered_out);
	assert_int_equal(take(f, KFREE, 101), 1);
	assert_int_equal(f->ev.kind, KMEM_SLAB_FREE);
	assert_true(f->ev.in_window);
}

static void test_none_of_ours_and_broken_ones(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(take(f, OTHER, 100), 0);
	assert_int_equal(f->events[OTHER].nr_bad, 0);
	f->sample.raw_size = 24;
	assert_int_equal(take(f, KFREE, 100), 1);
	assert_int_equal(take(f, KMALLOC, 100), 0);
	assert_int_equal(f->events[KMALLOC].nr_bad, 1);
	assert_int_equal(f->events[KFREE].nr_bad, 0);
}

/*
 * Events before and between windows are needed for what is live; after the last one, only the
 * second trace of an allocation in it.
 */
static void test_windows(void **state)
{
	static const struct time_window windows[] = {{200, 300}, {100, 150}};
	static const struct {
		uint64_t time_ns;
		int ret;
		bool in_window, late;
	} cases[] = {
		{99, 1, false, false},
		{100, 1, true, false},
		{150, 1, true, false},
		{151, 1, false, false},
		{199, 1, false, false},
		{200, 1, true, false},
		{300, 1, true, false},
		{301, 1, false, true},
		{300 + TRACE_PAIR_NS, 1, false, true},
		{301 + TRACE_PAIR_NS, 0, false, false},
	};
	struct fixture *f = *state;

	f->d.options.windows = windows;
	f->d.options.nr_windows = 2;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(take(f, KMALLOC, cases[i].time_ns), cases[i].ret);
		if (!cases[i].ret)
			continue;
		assert_int_equal(f->ev.in_window, cases[i].in_window);
		assert_int_equal(f->ev.late, cases[i].late);
	}
}

/* Only allocations that are reported are looked into. */
static void test_names_and_filter(void **state)
{
	struct fixture *f = *state;
	struct decoding_needs needs = slab_needs;
	const char *name;

	event_completer_want(&f->d.completer, KEY_COMM);
	assert_int_equal(threads_set_comm(&f->d.completer.threads, 2, "worker"), 0);
	assert_int_equal(take(f, KMALLOC, 100), 1);
	name = intern_get(&f->naming.names.strings, f->ev.comm, NULL);
	assert_string_equal(name, "worker");

	assert_int_equal(kmem_filter_add(&f->filter, "comm", "other", NULL), 0);
	kmem_filter_want(&f->filter, &f->d.completer);
	f->d.options.filter = &f->filter;
	f->d.has_filter = true;
	assert_int_equal(take(f, KMALLOC, 100), 1);
	assert_true(f->ev.filtered_out);
	assert_int_equal(take(f, KFREE, 100), 1);
	assert_false(f->ev.filtered_out);
	assert_int_equal(threads_set_comm(&f->d.completer.threads, 2, "other"), 0);
	assert_int_equal(take(f, KMALLOC, 100), 1);
	assert_false(f->ev.filtered_out);

	needs.completed = 0;
	decoding_set_needs(&f->d, &needs);
	assert_int_equal(take(f, KMALLOC, 100), 1);
	assert_int_equal(f->ev.comm, 0);
}

/* An account's events are filtered whether another account completes them or not. */
static void test_filter_without_completion(void **state)
{
	struct fixture *f = *state;
	struct decoding_needs needs = slab_needs;

	assert_int_equal(threads_set_comm(&f->d.completer.threads, 2, "worker"), 0);
	assert_int_equal(kmem_filter_add(&f->filter, "comm", "other", NULL), 0);
	kmem_filter_want(&f->filter, &f->d.completer);
	f->d.options.filter = &f->filter;
	f->d.has_filter = true;
	needs.completed = 0;
	needs.filtered = KIND_BIT(KMEM_SLAB_FREE);
	decoding_set_needs(&f->d, &needs);
	assert_int_equal(take(f, KFREE, 100), 1);
	assert_true(f->ev.filtered_out);
	assert_int_equal(take(f, KMALLOC, 100), 1);
	assert_false(f->ev.filtered_out);
	assert_int_equal(threads_set_comm(&f->d.completer.threads, 2, "other"), 0);
	assert_int_equal(take(f, KFREE, 100), 1);
	assert_false(f->ev.filtered_out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_event),
		TEST(test_none_of_ours_and_broken_ones),
		TEST(test_windows),
		TEST(test_names_and_filter),
		TEST(test_filter_without_completion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
