// SPDX-License-Identifier: GPL-2.0-or-later
/* Events go to accounts: to which ones, how many, and when the most was live. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/allocators.h"
#include "util/kmem/accounts.h"
#include "util/decode/filter.h"

#define NR 1000

/* Accounts for the options, with a table by call site each. */
struct fixture {
	struct kmem_options options;
	struct kmem_accounts accounts;
};

static struct fixture *new_fixture(const struct kmem_options *options)
{
	struct fixture *f = aligned_alloc(CACHE_LINE, sizeof(*f));
	const struct table_spec by_callsite = {.by = {KEY_CALLSITE}, .nr_by = 1};
	struct account_setup setup = {.page_size = 4096, .pageblock_order = 9};

	assert_non_null(f);
	f->options = *options;
	f->options.tables[ACCOUNT_slab].v[0] = f->options.tables[ACCOUNT_page].v[0] = by_callsite;
	f->options.tables[ACCOUNT_slab].nr = f->options.tables[ACCOUNT_page].nr = 1;
	setup.options = &f->options;
	assert_int_equal(accounts_init(&f->accounts, f->options.wanted, &setup), 0);
	return f;
}

static struct fixture *new_accounts(bool slab, bool page)
{
	return new_fixture(
		&(struct kmem_options){.wanted = {[ACCOUNT_slab] = slab, [ACCOUNT_page] = page}});
}

static void free_fixture(struct fixture *f)
{
	accounts_deinit(&f->accounts);
	free(f);
}

/* Only what is needed, as decoding does. */
static void take(struct fixture *f, const struct kmem_event *v, size_t nr)
{
	const uint32_t kinds = accounts_needs(&f->accounts).kinds;
	struct kmem_event needed[NR];
	size_t nr_needed = 0;

	for (size_t i = 0; i < nr; i++)
		if (kinds >> v[i].kind & 1)
			needed[nr_needed++] = v[i];
	assert_int_equal(accounts_take(&f->accounts, needed, nr_needed), 0);
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

/* 100 objects are allocated and every other one is freed, three times; then a block of pages. */
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
	struct fixture *many = new_accounts(true, true), *single = new_accounts(true, true);
	struct kmem_event v[NR];
	size_t nr = scenario(v);

	(void)state;
	take(many, v, nr);
	for (size_t i = 0; i < nr; i++)
		take(single, &v[i], 1);
	take(single, v, 0);
	for (int i = 0; i < 2; i++) {
		const struct slab_accounts *slab = slab_of(&(i ? single : many)->accounts);
		const struct page_accounts *page = page_of(&(i ? single : many)->accounts);

		assert_int_equal(slab->common.peak.nr_events, 450);
		assert_int_equal(page->common.peak.nr_events, 2);
		assert_int_equal(slab->summary.allocations, 300);
		assert_int_equal(slab->summary.frees_matched, 150);
		assert_int_equal(slab->summary.live, 150);
		assert_int_equal(slab->common.tables[0].rows.nr, 7);
		assert_int_equal(page->summary.alloc_requests, 1);
		assert_int_equal(page->summary.matched_requests, 1);
		/* before the last frees: 50 from each of two rounds, and 100 */
		assert_int_equal(slab->common.peak.bytes, 200 * 64);
		assert_int_equal(slab->common.peak.event, 400);
		assert_int_equal(slab->common.peak.time_ns, 400);
		assert_int_equal(page->common.peak.bytes, 8192);
		assert_int_equal(page->common.peak.event, 1);
		assert_int_equal(page->common.peak.time_ns, 451);
	}
	free_fixture(many);
	free_fixture(single);
}

/* Events of any kind, times and pointers: reused ones, frees by RCU, failures, other caches. */
static size_t random_events(struct kmem_event *v, size_t nr)
{
	static const enum kmem_kind kinds[] = {KMEM_SLAB_ALLOC, KMEM_SLAB_FREE, KMEM_SLAB_ALLOC,
					       KMEM_SLAB_FREE, KMEM_SLAB_FREE_RCU};

	srand(31);
	for (size_t i = 0; i < nr; i++) {
		v[i] = slab_event(kinds[rand() % 5], 10 * i, (uint64_t)(rand() % 60) * 64);
		v[i].cpu = rand() % 3;
		v[i].cache_id = (uint32_t)(rand() % 5);
		v[i].is_kmalloc = rand() % 2;
		v[i].cross_node = rand() % 2;
		if (v[i].kind == KMEM_SLAB_ALLOC && rand() % 20 == 0)
			v[i].bytes_req = v[i].bytes_alloc = 1 << 20;
	}
	return nr;
}

/* Without windows the questions that these need are left out: the figures must not differ. */
static void test_a_window_of_all_times_changes_nothing(void **state)
{
	static const struct time_window all = {.stop_ns = UINT64_MAX};
	const struct kmem_options with = {
		.wanted = {[ACCOUNT_slab] = true}, .windows = &all, .nr_windows = 1};
	struct fixture *windowed = new_fixture(&with), *plain = new_accounts(true, false);
	const struct slab_accounts *a = slab_of(&windowed->accounts),
				   *b = slab_of(&plain->accounts);
	struct kmem_event v[NR];
	size_t nr = random_events(v, NR);

	(void)state;
	take(windowed, v, nr);
	take(plain, v, nr);
	assert_memory_equal(&a->summary, &b->summary, sizeof(a->summary));
	assert_int_equal(a->common.peak.bytes, b->common.peak.bytes);
	assert_int_equal(a->common.peak.event, b->common.peak.event);
	assert_int_equal(a->common.peak.ptr, b->common.peak.ptr);
	assert_int_equal(a->live.nr, b->live.nr);
	assert_int_equal(a->common.tables[0].rows.nr, b->common.tables[0].rows.nr);
	for (uint32_t i = 0; i < a->common.tables[0].rows.nr; i++)
		assert_memory_equal(table_row(&a->common.tables[0].rows, i),
				    table_row(&b->common.tables[0].rows, i),
				    a->common.tables[0].rows.row_size);
	assert_true(a->summary.frees_matched && a->summary.unseen_frees && a->summary.failures &&
		    a->summary.rcu_freeing);
	free_fixture(windowed);
	free_fixture(plain);
}

static void test_the_first_peak_counts(void **state)
{
	const struct kmem_event v[] = {slab_event(KMEM_SLAB_ALLOC, 10, 64),
				       slab_event(KMEM_SLAB_FREE, 20, 64),
				       slab_event(KMEM_SLAB_ALLOC, 30, 128)};
	struct fixture *f = new_accounts(true, false);

	(void)state;
	take(f, v, 3);
	assert_int_equal(slab_of(&f->accounts)->common.peak.bytes, 64);
	assert_int_equal(slab_of(&f->accounts)->common.peak.event, 1);
	assert_int_equal(slab_of(&f->accounts)->common.peak.time_ns, 10);
	free_fixture(f);
}

static void test_only_what_is_wanted(void **state)
{
	struct fixture *slab = new_accounts(true, false), *page = new_accounts(false, true);
	struct kmem_event v[NR];
	size_t nr = scenario(v);

	(void)state;
	take(slab, v, nr);
	take(page, v, nr);
	assert_int_equal(slab_of(&slab->accounts)->common.peak.nr_events, 450);
	assert_null(page_of(&slab->accounts));
	assert_false(accounts_have(&slab->accounts, ACCOUNT_page));
	assert_null(slab_of(&page->accounts));
	assert_int_equal(page_of(&page->accounts)->summary.alloc_requests, 1);
	free_fixture(slab);
	free_fixture(page);
}

/* For the report of the peak, as if the recording ended with that event. */
static void test_stop(void **state)
{
	struct fixture *f = new_fixture(
		&(struct kmem_options){.wanted = {[ACCOUNT_slab] = true, [ACCOUNT_page] = true},
				       .tables[ACCOUNT_slab].stop = 400,
				       .tables[ACCOUNT_page].stop = 1});
	struct kmem_event v[NR];
	size_t nr = scenario(v);

	(void)state;
	take(f, v, nr);
	assert_int_equal(slab_of(&f->accounts)->summary.live, 200);
	assert_int_equal(slab_of(&f->accounts)->summary.bytes_live,
			 slab_of(&f->accounts)->common.peak.bytes);
	assert_int_equal(page_of(&f->accounts)->summary.live, 1);
	assert_int_equal(page_of(&f->accounts)->summary.free_requests, 0);
	free_fixture(f);
}

/* Earlier allocations are live in the window, but not counted. */
static void test_outside_the_window(void **state)
{
	static const struct time_window window = {.stop_ns = UINT64_MAX};
	struct fixture *f = new_fixture(&(struct kmem_options){
		.wanted = {[ACCOUNT_slab] = true}, .windows = &window, .nr_windows = 1});
	struct kmem_event v[NR];
	size_t nr = scenario(v);

	(void)state;
	for (size_t i = 0; i < 300; i++)
		v[i].in_window = false;
	take(f, v, nr);
	assert_int_equal(slab_of(&f->accounts)->summary.allocations, 100);
	assert_int_equal(slab_of(&f->accounts)->summary.frees, 50);
	assert_int_equal(slab_of(&f->accounts)->summary.live, 150);
	free_fixture(f);
}

/* Three objects come and go: at most three are live before the first window, two and one in
 * those. */
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
		{0, 1, 2 * 64, 4, 35}, /* at its start; no more are live later */
		{1, 1, 2 * 64, 10, 65},
		{0, 2, 2 * 64, 4, 35},
		{2, 1, 2 * 64, 10, 900}, /* nothing happens in it */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kmem_options o = {.wanted = {[ACCOUNT_slab] = true},
					 .windows = windows + cases[i].first,
					 .nr_windows = cases[i].nr};
		struct fixture *f = new_fixture(&o);
		const struct live_peak *peak = &slab_of(&f->accounts)->common.peak;

		for (size_t k = 0; k < sizeof(v) / sizeof(v[0]); k++)
			v[k].in_window = windows_have(o.windows, o.nr_windows, v[k].time_ns);
		take(f, v, sizeof(v) / sizeof(v[0]));
		accounts_finish(&f->accounts, 1000);
		assert_int_equal(peak->bytes, cases[i].bytes);
		assert_int_equal(peak->event, cases[i].event);
		assert_int_equal(peak->time_ns, cases[i].time_ns);
		free_fixture(f);
	}
}

#define SLAB	  (KIND_BIT(KMEM_SLAB_ALLOC) | KIND_BIT(KMEM_SLAB_FREE) | KIND_BIT(KMEM_SLAB_FREE_RCU))
#define PAGE	  (KIND_BIT(KMEM_PAGE_ALLOC) | KIND_BIT(KMEM_PAGE_FREE))
#define LISTS	  (KIND_BIT(KMEM_PAGE_PCPU_DRAIN))
#define BATCHED	  (KIND_BIT(KMEM_PAGE_FREE_BATCHED))
#define FALLBACKS (KIND_BIT(KMEM_PAGE_EXTFRAG))

static void test_what_is_chosen(void **state)
{
	static const struct {
		uint32_t recorded;
		bool chosen[ACCOUNTS_NR];
	} cases[] = {
		{0, {[ACCOUNT_slab] = true}},
		{SLAB | PAGE | LISTS | FALLBACKS, {[ACCOUNT_slab] = true}},
		{KIND_BIT(KMEM_SLAB_FREE), {[ACCOUNT_slab] = true}},
		{PAGE | LISTS, {[ACCOUNT_page] = true}},
		{LISTS | FALLBACKS, {[ACCOUNT_percpu] = true, [ACCOUNT_extfrag] = true}},
		{BATCHED, {[ACCOUNT_slab] = true}},
		{KIND_BIT(KMEM_PAGE_ALLOC), {[ACCOUNT_page] = true}},
		/* their events were recorded for the other account */
		{KIND_BIT(KMEM_PAGE_ALLOC) | FALLBACKS, {[ACCOUNT_extfrag] = true}},
		{KIND_BIT(KMEM_SLAB_ALLOC) | KIND_BIT(KMEM_PAGE_ALLOC) | KIND_BIT(KMEM_OWN),
		 {[ACCOUNT_pressure] = true}},
	};
	const bool wanted[ACCOUNTS_NR] = {[ACCOUNT_extfrag] = true}, none[ACCOUNTS_NR] = {false};
	bool chosen[ACCOUNTS_NR];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		accounts_choose(none, cases[i].recorded, chosen);
		assert_memory_equal(chosen, cases[i].chosen, sizeof(chosen));
		accounts_choose(wanted, cases[i].recorded, chosen);
		assert_memory_equal(chosen, wanted, sizeof(chosen));
	}
}

static void test_what_is_missing(void **state)
{
	static const struct {
		bool wanted[ACCOUNTS_NR];
		uint32_t recorded;
		const char *message;
	} cases[] = {
		{{false}, SLAB, NULL},
		{{[ACCOUNT_slab] = true}, SLAB, NULL},
		{{[ACCOUNT_slab] = true},
		 PAGE,
		 "'x' holds no slab events, only page ones (record them with 'perf kmem record "
		 "--slab')"},
		{{[ACCOUNT_page] = true, [ACCOUNT_percpu] = true},
		 SLAB | LISTS,
		 "'x' holds no page events, only slab ones (record them with 'perf kmem record "
		 "--page')"},
		{{[ACCOUNT_slab] = true, [ACCOUNT_page] = true}, PAGE, NULL},
		{{[ACCOUNT_slab] = true, [ACCOUNT_percpu] = true}, SLAB, NULL},
		{{[ACCOUNT_percpu] = true, [ACCOUNT_extfrag] = true}, FALLBACKS, NULL},
		{{[ACCOUNT_percpu] = true, [ACCOUNT_extfrag] = true},
		 BATCHED,
		 "'x' holds no per-CPU list events (record them with 'perf kmem record --percpu')"},
		{{[ACCOUNT_extfrag] = true},
		 LISTS,
		 "'x' holds no external fragmentation events (record them with 'perf kmem record "
		 "--extfrag')"},
	};

	char path[] = "x";

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		bool chosen[ACCOUNTS_NR];
		int ret;

		accounts_choose(cases[i].wanted, cases[i].recorded, chosen);
		ret = accounts_check(cases[i].wanted, chosen, cases[i].recorded,
				     &(struct source_facts){.path = path}, &err);
		assert_int_equal(ret, cases[i].message ? -ENODATA : 0);
		if (cases[i].message)
			assert_string_equal(err.msg, cases[i].message);
	}
}

/* A recording cannot add missing fields to a dump. */
static void test_what_a_dump_lacks(void **state)
{
	const bool wanted[ACCOUNTS_NR] = {[ACCOUNT_slab] = true};
	char path[] = "x";
	const struct source_facts facts = {.path = path, .format = "a dump", .is_snapshot = true};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(accounts_check(wanted, wanted, PAGE, &facts, &err), -ENODATA);
	assert_string_equal(err.msg, "'x' (a dump) has no slab figures, only page ones");
}

/* Otherwise its report would have only zeros. */
static void test_an_account_of_events_refuses_a_dump(void **state)
{
	const bool wanted[ACCOUNTS_NR] = {[ACCOUNT_page] = true, [ACCOUNT_percpu] = true};
	char path[] = "x";
	struct source_facts facts = {.path = path, .format = "a dump", .is_snapshot = true};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(accounts_check(wanted, wanted, PAGE, &facts, &err), 0);
	assert_int_equal(accounts_check(wanted, wanted, PAGE | LISTS, &facts, &err), -ENODATA);
	assert_string_equal(err.msg, "'x' (a dump) has no events, which --percpu needs");
	facts.is_snapshot = false;
	assert_int_equal(accounts_check(wanted, wanted, PAGE | LISTS, &facts, &err), 0);
}

/* The tracepoints of --pressure, which kmem:* does not contain. */
#define STACK "call-graph=kernel,max-stack=24"
#define PRESSURE                                                                                   \
	"vmscan:mm_vmscan_direct_reclaim_begin/" STACK ",optional/,"                               \
	"vmscan:mm_vmscan_direct_reclaim_end/optional/,"                                           \
	"vmscan:mm_vmscan_memcg_reclaim_begin/" STACK ",optional/,"                                \
	"vmscan:mm_vmscan_memcg_reclaim_end/optional/,"                                            \
	"vmscan:mm_vmscan_node_reclaim_begin/" STACK ",optional/,"                                 \
	"vmscan:mm_vmscan_node_reclaim_end/optional/,"                                             \
	"compaction:mm_compaction_try_to_compact_pages/" STACK ",optional/,"                       \
	"compaction:mm_compaction_begin/optional/,compaction:mm_compaction_end/optional/,"         \
	"oom:mark_victim/" STACK ",optional/"

/* With the term for the callchain of vmalloc's allocations, and for that of percpu's. */
#define RANGES(vmalloc, percpu)                                                                    \
	"vmalloc:alloc_vmap_area/" vmalloc ",optional/,"                                           \
	"vmalloc:free_vmap_area_noflush/optional/,vmalloc:purge_vmap_area_lazy/optional/,"         \
	"percpu:percpu_alloc_percpu/" percpu "optional/,"                                          \
	"percpu:percpu_alloc_percpu_fail/optional/,percpu:percpu_free_percpu/optional/,"           \
	"percpu:percpu_create_chunk/optional/,percpu:percpu_destroy_chunk/optional/"

/* In the format of -e; an event's first mention counts, so callchains come before the globs. */
static void test_what_is_recorded(void **state)
{
	static const struct {
		bool wanted[ACCOUNTS_NR], all, user;
		const char *events;
	} cases[] = {
		{{false},
		 false,
		 false,
		 "kmem:kmalloc*,kmem:kfree,kmem:kmem_cache_alloc*,kmem:kmem_cache_free"},
		{{[ACCOUNT_page] = true},
		 false,
		 false,
		 "kmem:mm_page_alloc/call-graph=kernel,max-stack=12/,kmem:mm_page_free"},
		{{[ACCOUNT_percpu] = true},
		 false,
		 false,
		 "kmem:mm_page_alloc,kmem:mm_page_free/call-graph=kernel,max-stack=12/,"
		 "kmem:mm_page_free_batched,kmem:mm_page_alloc_zone_locked,"
		 "kmem:mm_page_pcpu_drain,kmem:mm_page_alloc_extfrag"},
		{{[ACCOUNT_vmalloc] = true, [ACCOUNT_percpu_mem] = true},
		 false,
		 false,
		 "vmalloc:alloc_vmap_area/call-graph=kernel,max-stack=12/,"
		 "vmalloc:free_vmap_area_noflush,vmalloc:purge_vmap_area_lazy,"
		 "percpu:percpu_alloc_percpu,percpu:percpu_alloc_percpu_fail,"
		 "percpu:percpu_free_percpu,percpu:percpu_create_chunk,"
		 "percpu:percpu_destroy_chunk"},
		{{[ACCOUNT_page] = true, [ACCOUNT_extfrag] = true},
		 false,
		 false,
		 "kmem:mm_page_alloc/call-graph=kernel,max-stack=12/,kmem:mm_page_free,"
		 "kmem:mm_page_alloc_extfrag/call-graph=kernel,max-stack=12/"},
		{{false},
		 true,
		 false,
		 "kmem:mm_page_alloc/call-graph=kernel,max-stack=12/,kmem:mm_page_free/"
		 "call-graph=kernel,max-stack=12/,"
		 "kmem:mm_page_alloc_extfrag/call-graph=kernel,max-stack=12/," PRESSURE
		 "," RANGES("call-graph=kernel,max-stack=12", "") ",kmem:*"},
		{{[ACCOUNT_percpu] = true},
		 true,
		 false,
		 "kmem:mm_page_alloc/call-graph=kernel,max-stack=12/,kmem:mm_page_free/"
		 "call-graph=kernel,max-stack=12/,"
		 "kmem:mm_page_free_batched,kmem:mm_page_alloc_zone_locked,"
		 "kmem:mm_page_pcpu_drain,kmem:mm_page_alloc_extfrag/"
		 "call-graph=kernel,max-stack=12/," PRESSURE
		 "," RANGES("call-graph=kernel,max-stack=12", "") ",kmem:*"},
		/* what is freed needs no user callchain */
		{{false},
		 false,
		 true,
		 "kmem:kmalloc*/call-graph=user/,kmem:kfree,"
		 "kmem:kmem_cache_alloc*/call-graph=user/,kmem:kmem_cache_free"},
		{{[ACCOUNT_page] = true, [ACCOUNT_percpu] = true},
		 false,
		 true,
		 "kmem:mm_page_alloc/call-graph=user/,"
		 "kmem:mm_page_free/call-graph=kernel,max-stack=12/,"
		 "kmem:mm_page_free_batched,kmem:mm_page_alloc_zone_locked,"
		 "kmem:mm_page_pcpu_drain,kmem:mm_page_alloc_extfrag"},
		{{false},
		 true,
		 true,
		 "kmem:mm_page_alloc/call-graph=user/,"
		 "kmem:mm_page_free/call-graph=kernel,max-stack=12/,"
		 "kmem:mm_page_alloc_extfrag/call-graph=kernel,max-stack=12/," PRESSURE
		 "," RANGES("call-graph=user",
			    "call-graph=user,") ",kmem:kmalloc*/call-graph=user/"
						",kmem:kmem_cache_alloc*/call-graph=user/,"
						"kmem:mm_page_alloc/call-graph=user/,kmem:*"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf sb = STRBUF_INIT;

		accounts_add_recorded(&sb, cases[i].wanted, cases[i].all, cases[i].user);
		assert_string_equal(sb.buf, cases[i].events);
		strbuf_deinit(&sb);
	}
}

/* Nothing is determined, or handed over, that is not needed. */
static void test_needs(void **state)
{
	struct fixture *f = new_accounts(true, false);
	struct decoding_needs needs = accounts_needs(&f->accounts);

	(void)state;
	assert_int_equal(needs.kinds, SLAB);
	assert_int_equal(needs.completed, KIND_BIT(KMEM_SLAB_ALLOC));
	assert_int_equal(needs.callers, 0);
	assert_int_equal(needs.late, SLAB);
	assert_int_equal(needs.keys, KEY_BIT(KEY_CALLSITE));
	free_fixture(f);
	f = new_fixture(&(struct kmem_options){
		.wanted = {[ACCOUNT_percpu] = true, [ACCOUNT_extfrag] = true}});
	needs = accounts_needs(&f->accounts);
	assert_int_equal(needs.completed, 0);
	assert_int_equal(needs.callers, KIND_BIT(KMEM_PAGE_FREE) | KIND_BIT(KMEM_PAGE_EXTFRAG));
	assert_int_equal(needs.late, 0);
	assert_int_equal(needs.filtered, needs.kinds);
	free_fixture(f);
}

/* A filter holds for each account, or is refused. */
static void test_which_filters(void **state)
{
	static const struct {
		enum account_id account;
		const char *filter, *text;
		const char *refused; /* NULL: it holds */
	} cases[] = {
		{ACCOUNT_slab, "cache", "dentry", NULL},
		{ACCOUNT_slab, "min-bytes", "4K", NULL},
		{ACCOUNT_slab, "order", "0",
		 "--slab cannot be filtered by --order (but by: --comm"},
		{ACCOUNT_page, "order", "0", NULL},
		{ACCOUNT_page, "cache", "dentry", "--page cannot be filtered by --cache"},
		{ACCOUNT_percpu, "comm", "sh", NULL},
		{ACCOUNT_percpu, "order", "0", NULL},
		{ACCOUNT_percpu, "min-bytes", "4K", NULL},
		{ACCOUNT_percpu, "callsite", "x", "--percpu cannot be filtered by --callsite"},
		{ACCOUNT_percpu, "gfp", "GFP_DMA", "--percpu cannot be filtered by --gfp"},
		{ACCOUNT_extfrag, "cpu", "0", NULL},
		{ACCOUNT_extfrag, "module", "x", "--extfrag cannot be filtered by --module"},
		{ACCOUNT_pageblocks, "node", "0", NULL},
		{ACCOUNT_pageblocks, "comm", "x",
		 "--pageblocks cannot be filtered by --comm (but by: --node)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kmem_options options = {.wanted = {[ACCOUNT_slab] = false}};
		struct error err = ERROR_INIT;
		struct kmem_filter filter;
		struct fixture *f;

		options.wanted[cases[i].account] = true;
		f = new_fixture(&options);
		kmem_filter_init(&filter);
		assert_int_equal(kmem_filter_add(&filter, cases[i].filter, cases[i].text, NULL), 0);
		assert_int_equal(accounts_check_filter(&f->accounts, &filter, &err),
				 cases[i].refused ? -EINVAL : 0);
		if (cases[i].refused)
			assert_memory_equal(err.msg, cases[i].refused, strlen(cases[i].refused));
		kmem_filter_deinit(&filter);
		free_fixture(f);
	}
}

/* There is a bit for each, and each has all that is called without a look. */
static void test_the_table(void **state)
{
	struct own_tracepoint tracepoints[OWN_TRACEPOINTS_MAX];
	unsigned int own = 0;

	(void)state;
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		const struct account_ops *ops = account_table[i];

		assert_non_null(ops->id);
		assert_non_null(ops->what);
		assert_non_null(ops->stat_help);
		assert_true(ops->kinds || ops->nr_tracepoints);
		/* it takes events, which can be recorded, or looks at all of memory */
		assert_int_equal(ops->record_help && ops->take, !ops->source_keys);
		assert_int_equal(ops->nr_recorded || ops->nr_tracepoints, !ops->source_keys);
		assert_true(ops->take || ops->add_row);
		assert_true(ops->init && ops->deinit && ops->build);
		assert_true(account_declares_traces(ops));
		own += ops->nr_tracepoints;
	}
	assert_true(own <= OWN_TRACEPOINTS_MAX);
	assert_int_equal(accounts_tracepoints(tracepoints), own);
}

/* Memory that one thread writes shares no cache line with memory outside the accounts. */
static void test_states_fill_cache_lines(void **state)
{
	struct fixture *f = new_accounts(true, true);

	(void)state;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		assert_int_equal((uintptr_t)f->accounts.v[i].state % CACHE_LINE, 0);
	assert_int_equal(sizeof(f->accounts) % CACHE_LINE, 0);
	free_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_at_once_are_the_same_as_one_by_one),
		cmocka_unit_test(test_a_window_of_all_times_changes_nothing),
		cmocka_unit_test(test_the_first_peak_counts),
		cmocka_unit_test(test_only_what_is_wanted),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_outside_the_window),
		cmocka_unit_test(test_the_peak_is_in_the_windows),
		cmocka_unit_test(test_what_is_chosen),
		cmocka_unit_test(test_what_is_missing),
		cmocka_unit_test(test_what_a_dump_lacks),
		cmocka_unit_test(test_an_account_of_events_refuses_a_dump),
		cmocka_unit_test(test_what_is_recorded),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_which_filters),
		cmocka_unit_test(test_the_table),
		cmocka_unit_test(test_states_fill_cache_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
