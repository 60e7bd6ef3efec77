// SPDX-License-Identifier: GPL-2.0-or-later
/* Events into accounts: whose they are, how many, and when most was live. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/kmem/accounting.h"

#define NR 1000

static const enum kmem_key by_callsite[] = {KEY_CALLSITE};

static struct kmem_analysis *new_analysis(bool slab, bool page)
{
	struct kmem_analysis *a = aligned_alloc(CACHE_LINE, sizeof(*a));

	assert_non_null(a);
	*a = (struct kmem_analysis){.accounts = {.do_slab = slab, .do_page = page}};
	slab_init(&a->accounts.slab, &a->naming.symbols, 4096);
	page_init(&a->accounts.page, 4096);
	a->accounts.slab.count_unmatched_frees = a->accounts.page.count_unmatched_frees = true;
	assert_int_equal(slab_add_table(&a->accounts.slab, by_callsite, 1), 0);
	assert_int_equal(page_add_table(&a->accounts.page, by_callsite, 1), 0);
	return a;
}

static void free_analysis(struct kmem_analysis *a)
{
	slab_deinit(&a->accounts.slab);
	page_deinit(&a->accounts.page);
	free(a);
}

static struct kmem_event slab_event(enum kmem_kind kind, uint64_t time_ns, uint64_t ptr)
{
	return (struct kmem_event){.kind = (uint8_t)kind,
				   .time_ns = time_ns,
				   .ptr = ptr,
				   .call_site = 0x1000 + ptr % 7,
				   .bytes_req = kind == KMEM_SLAB_ALLOC ? 50 : 0,
				   .bytes_alloc = kind == KMEM_SLAB_ALLOC ? 64 : 0,
				   .in_window = true};
}

static struct kmem_event page_event(enum kmem_kind kind, uint64_t time_ns, uint64_t pfn)
{
	return (struct kmem_event){.kind = (uint8_t)kind,
				   .time_ns = time_ns,
				   .page = pfn,
				   .order = 1,
				   .call_site = 0x1000,
				   .in_window = true};
}

/* 100 objects come and every other one goes, three times; then a block of pages. */
static size_t scenario(struct kmem_event *v)
{
	uint64_t nr = 0;

	for (uint64_t first = 0x8000; first <= 0x18000; first += 0x8000) {
		for (uint64_t i = 0; i < 100; i++, nr++)
			v[nr] = slab_event(KMEM_SLAB_ALLOC, 1 + nr, first + 64 * i);
		for (uint64_t i = 0; i < 100; i += 2, nr++)
			v[nr] = slab_event(KMEM_SLAB_FREE, 1 + nr, first + 64 * i);
	}
	v[nr] = page_event(KMEM_PAGE_ALLOC, 1 + nr, 512);
	v[nr + 1] = page_event(KMEM_PAGE_FREE, 2 + nr, 512);
	return nr + 2;
}

static void test_many_at_once_are_the_same_as_one_by_one(void **state)
{
	struct kmem_analysis *many = new_analysis(true, true), *single = new_analysis(true, true);
	struct kmem_event v[NR];
	size_t nr = scenario(v);

	(void)state;
	assert_int_equal(accounting_take(many, v, nr), 0);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(accounting_take(single, &v[i], 1), 0);
	assert_int_equal(accounting_take(single, v, 0), 0);
	for (int i = 0; i < 2; i++) {
		const struct kmem_analysis *a = i ? single : many;

		assert_int_equal(a->accounts.nr_slab_events, 450);
		assert_int_equal(a->accounts.nr_page_events, 2);
		assert_int_equal(a->accounts.nr_in_window, 452);
		assert_int_equal(a->accounts.slab.summary.allocations, 300);
		assert_int_equal(a->accounts.slab.summary.frees_matched, 150);
		assert_int_equal(a->accounts.slab.summary.live, 150);
		assert_int_equal(a->accounts.slab.tables[0].rows.nr, 7);
		assert_int_equal(a->accounts.page.summary.alloc_requests, 1);
		assert_int_equal(a->accounts.page.summary.matched_requests, 1);
		/* before the last frees: 50 of each of two rounds, and 100 */
		assert_int_equal(a->accounts.slab_peak.bytes, 200 * 64);
		assert_int_equal(a->accounts.slab_peak.event, 400);
		assert_int_equal(a->accounts.slab_peak.time_ns, 400);
		assert_int_equal(a->accounts.page_peak.bytes, 8192);
		assert_int_equal(a->accounts.page_peak.event, 1);
		assert_int_equal(a->accounts.page_peak.time_ns, 451);
	}
	free_analysis(many);
	free_analysis(single);
}

static void test_the_first_peak_counts(void **state)
{
	const struct kmem_event v[] = {slab_event(KMEM_SLAB_ALLOC, 10, 64),
				       slab_event(KMEM_SLAB_FREE, 20, 64),
				       slab_event(KMEM_SLAB_ALLOC, 30, 128)};
	struct kmem_analysis *a = new_analysis(true, false);

	(void)state;
	assert_int_equal(accounting_take(a, v, 3), 0);
	assert_int_equal(a->accounts.slab_peak.bytes, 64);
	assert_int_equal(a->accounts.slab_peak.event, 1);
	assert_int_equal(a->accounts.slab_peak.time_ns, 10);
	free_analysis(a);
}

static void test_only_what_is_wanted(void **state)
{
	struct kmem_analysis *slab = new_analysis(true, false), *page = new_analysis(false, true);
	struct kmem_event v[NR];
	size_t nr = scenario(v);

	(void)state;
	assert_int_equal(accounting_take(slab, v, nr), 0);
	assert_int_equal(accounting_take(page, v, nr), 0);
	assert_int_equal(slab->accounts.nr_slab_events, 450);
	assert_int_equal(slab->accounts.nr_page_events, 0);
	assert_int_equal(slab->accounts.page.summary.alloc_requests, 0);
	assert_int_equal(page->accounts.nr_slab_events, 0);
	assert_int_equal(page->accounts.slab.live.nr, 0);
	assert_int_equal(page->accounts.page.summary.alloc_requests, 1);
	free_analysis(slab);
	free_analysis(page);
}

/* For the report of the peak: as if the recording ended with that event. */
static void test_stop(void **state)
{
	struct kmem_analysis *a = new_analysis(true, true);
	struct kmem_event v[NR];
	size_t nr = scenario(v);

	(void)state;
	a->options.slab_stop = 400;
	a->options.page_stop = 1;
	assert_int_equal(accounting_take(a, v, nr), 0);
	assert_int_equal(a->accounts.slab.summary.live, 200);
	assert_int_equal(a->accounts.slab.summary.bytes_live, a->accounts.slab_peak.bytes);
	assert_int_equal(a->accounts.page.summary.live, 1);
	assert_int_equal(a->accounts.page.summary.free_requests, 0);
	free_analysis(a);
}

/* What was allocated before it is live in it, and counted nowhere. */
static void test_outside_the_window(void **state)
{
	struct kmem_analysis *a = new_analysis(true, false);
	struct kmem_event v[NR];
	size_t nr = scenario(v);

	(void)state;
	for (size_t i = 0; i < 300; i++)
		v[i].in_window = false;
	assert_int_equal(accounting_take(a, v, nr), 0);
	assert_int_equal(a->accounts.nr_in_window, nr - 300);
	assert_int_equal(a->accounts.slab.summary.allocations, 100);
	assert_int_equal(a->accounts.slab.summary.frees, 50);
	assert_int_equal(a->accounts.slab.summary.live, 150);
	free_analysis(a);
}

/* Three objects come and go: at most three before the first window, two and one in those. */
static void test_the_peak_is_in_the_windows(void **state)
{
	static const struct time_window windows[] = {{35, 45}, {60, 70}, {900, 950}};
	struct kmem_event v[] = {
		slab_event(KMEM_SLAB_ALLOC, 10, 64),  slab_event(KMEM_SLAB_ALLOC, 20, 128),
		slab_event(KMEM_SLAB_ALLOC, 25, 192), slab_event(KMEM_SLAB_FREE, 30, 64),
		slab_event(KMEM_SLAB_FREE, 40, 128),  slab_event(KMEM_SLAB_ALLOC, 50, 256),
		slab_event(KMEM_SLAB_ALLOC, 52, 320), slab_event(KMEM_SLAB_FREE, 54, 320),
		slab_event(KMEM_SLAB_FREE, 55, 256),  slab_event(KMEM_SLAB_ALLOC, 65, 384),
	};
	static const struct {
		size_t first, nr;
		uint64_t bytes, event, time_ns;
	} cases[] = {
		{0, 1, 2 * 64, 4, 35}, /* when it begins, and no more is live in it */
		{1, 1, 2 * 64, 10, 65},
		{0, 2, 2 * 64, 4, 35},
		{2, 1, 2 * 64, 10, 900}, /* nothing happens in it */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct source_facts r = {.told_start_ns = 1, .told_stop_ns = 1000, .nr_samples = 1};
		struct kmem_analysis *a = new_analysis(true, false);

		a->recording = &r;
		a->options.windows = windows + cases[i].first;
		a->options.nr_windows = cases[i].nr;
		for (size_t k = 0; k < sizeof(v) / sizeof(v[0]); k++)
			v[k].in_window = windows_have(a->options.windows, a->options.nr_windows,
						      v[k].time_ns);
		assert_int_equal(accounting_take(a, v, sizeof(v) / sizeof(v[0])), 0);
		accounting_finish(a);
		assert_int_equal(a->accounts.slab_peak.bytes, cases[i].bytes);
		assert_int_equal(a->accounts.slab_peak.event, cases[i].event);
		assert_int_equal(a->accounts.slab_peak.time_ns, cases[i].time_ns);
		free_analysis(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_at_once_are_the_same_as_one_by_one),
		cmocka_unit_test(test_the_first_peak_counts),
		cmocka_unit_test(test_only_what_is_wanted),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_outside_the_window),
		cmocka_unit_test(test_the_peak_is_in_the_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
