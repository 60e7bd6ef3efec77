// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory for endless events: ever new processes, commands, pointers, pages and
 * callchains come, and as much memory is used at the end as after the first few intervals.
 * SOAK_EVENTS=10000000 in the environment makes it longer, and prints what there was.
 */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/allocators.h"
#include "tests/fixture/generated_source.h"
#include "util/base/label.h"
#include "util/leak/leak.h"
#include "util/kmem/pipeline.h"
#include "util/table/stat_fold.h"

#define NR_EVENTS    1000000u
#define NR_INTERVALS 50u
#define EVENT_NS     1000u /* between two */
#define WARM_UP	     15u   /* intervals until memory no longer grows */
#define LIVE	     5000u
#define TASK_EVENTS  64u /* of a process, until it ends */
#define SITES	     50u
#define MAX_ROWS     4000u
#define OBJECT_BYTES 128u

enum { BY_PTR, BY_TASK, BY_STACK, BY_SITE, NR_TABLES };

struct soak {
	struct kmem_pipeline a;
	uint64_t nr_events;
	uint64_t leak_every; /* one object in this many is never freed; 0: all are */
	uint64_t intervals_hits, intervals_freed; /* sums over the intervals */
	/* most that was there at the end of an interval: of the first few, and of the others */
	struct most {
		size_t bytes, strings, stacks, rows, threads;
	} first, later;
	struct kmem_options options;
	unsigned int intervals;
	struct error err;
};

static int add_alloc(struct event_source *s, uint64_t i)
{
	const uint32_t pid = 1000 + (uint32_t)(i / TASK_EVENTS);
	const uint64_t frames[] = {0xa000 + i % SITES, 0xb000 + i / 16, 0xc000};
	const bool page = i % 8 == 0;
	struct kmem_event ev = {
		.kind = page ? KMEM_PAGE_ALLOC : KMEM_SLAB_ALLOC,
		.time_ns = (2 * i + 1) * EVENT_NS,
		.pid = pid,
		.tid = pid,
		.node = NUMA_NO_NODE,
		.call_site = frames[0],
	};
	char comm[24];
	int ret = 0;

	snprintf(comm, sizeof(comm), "task-%u", pid);
	if (page)
		ev.page = 1 + i;
	else
		ev.ptr = 0x100000 + i * 0x40;
	if (!page)
		ev.bytes_req = ev.bytes_alloc = OBJECT_BYTES;
	if (i % TASK_EVENTS == 0)
		ret = generated_source_comm(s, pid, comm);
	if (!ret)
		ret = generated_source_add(s, &ev, i % 2 ? comm : NULL, "cache", frames, 3);
	if (!ret && i % TASK_EVENTS == TASK_EVENTS - 1)
		ret = generated_source_exit(s, pid);
	return ret;
}

/* At the time of allocation `now`, the one of number i. */
static int add_free(struct event_source *s, uint64_t i, uint64_t now)
{
	struct kmem_event ev = {
		.kind = i % 8 == 0 ? KMEM_PAGE_FREE : KMEM_SLAB_FREE,
		.time_ns = (2 * now + 2) * EVENT_NS,
		.node = NUMA_NO_NODE,
	};

	if (ev.kind == KMEM_PAGE_FREE)
		ev.page = 1 + i;
	else
		ev.ptr = 0x100000 + i * 0x40;
	return generated_source_add(s, &ev, NULL, NULL, NULL, 0);
}

static bool is_leaked(const struct soak *soak, uint64_t i)
{
	return soak->leak_every && i % soak->leak_every == 1;
}

/* Half of the events allocate, the others free what was allocated LIVE allocations earlier. */
static int generate(struct event_source *s, void *ctx)
{
	const struct soak *soak = ctx;
	int ret = 0;

	for (uint64_t i = 0; !ret && i < soak->nr_events / 2; i++) {
		ret = add_alloc(s, i);
		if (!ret && i >= LIVE && !is_leaked(soak, i - LIVE))
			ret = add_free(s, i - LIVE, i);
	}
	return ret;
}

static void grow(size_t *most, size_t v)
{
	*most = v > *most ? v : *most;
}

static void sum_interval(struct soak *soak, const struct stat_table *t)
{
	uint32_t row;

	stat_table_for_each (row, t) {
		soak->intervals_hits += stat_table_recent(t, row)->hits;
		soak->intervals_freed += stat_table_recent(t, row)->freed_hits;
	}
}

/* Names that were forgotten have numbers that others have now. */
static void check_names(const struct kmem_pipeline *p, const struct stat_table *by_task)
{
	uint32_t row;

	stat_table_for_each (row, by_task) {
		const uint64_t *key = stat_table_keys(by_task, row);
		char want[24] = LABEL_OTHERS;

		if (key[1] != UINT64_MAX)
			snprintf(want, sizeof(want), "task-%u", (unsigned int)key[1]);
		assert_string_equal(intern_get(&p->naming.names.strings, (uint32_t)key[0], NULL),
				    want);
	}
}

static int look(void *ctx, struct kmem_pipeline *p, struct tick_interval interval)
{
	struct soak *soak = ctx;
	struct most *most = soak->intervals++ < WARM_UP ? &soak->first : &soak->later;
	const struct stat_table *tables = slab_of(&p->accounts)->common.tables;
	struct mallinfo2 memory = mallinfo2();

	(void)interval;
	grow(&most->bytes, memory.uordblks + memory.hblkhd);
	grow(&most->strings, p->naming.names.strings.nr);
	grow(&most->stacks, p->naming.names.stacks.nr);
	grow(&most->threads, p->decoding.completer.threads.rows.top);
	for (int i = 0; i < NR_TABLES; i++)
		grow(&most->rows, tables[i].rows.top);
	sum_interval(soak, &tables[BY_TASK]);
	check_names(p, &tables[BY_TASK]);
	return 0;
}

static void run(struct soak *soak, unsigned int jobs)
{
	static const struct table_spec specs[NR_TABLES] = {
		[BY_PTR] = {{KEY_PTR}, 1},
		[BY_TASK] = {{KEY_COMM, KEY_PID}, 2, .recent = true},
		[BY_STACK] = {{KEY_STACK}, 1},
		[BY_SITE] = {{KEY_CALLSITE, KEY_COMM}, 2, .history = true},
	};
	struct event_source *source = generated_source_new(generate, soak);
	struct kmem_options *o = &soak->options;

	*o = (struct kmem_options){
		.wanted = {[ACCOUNT_slab] = true, [ACCOUNT_page] = true},
		.tables[ACCOUNT_slab].nr = NR_TABLES,
		.tables[ACCOUNT_page].v = {{{KEY_PAGE}, 1}, {{KEY_STACK, KEY_TID}, 2}},
		.tables[ACCOUNT_page].nr = 2,
		.lifetimes = true,
		.bounds = {.max_live = 2ull * LIVE, .max_rows = MAX_ROWS, .idle_ticks = 3},
		.ticks = {.interval_ns = soak->nr_events / NR_INTERVALS * EVENT_NS,
			  .interval = look,
			  .ctx = soak},
		.jobs = jobs,
	};
	memcpy(o->tables[ACCOUNT_slab].v, specs, sizeof(specs));
	assert_non_null(source);
	soak->err = (struct error)ERROR_INIT;
	assert_int_equal(kmem_pipeline_run(&soak->a, source, o, &soak->err), 0);
	event_source_free(source);
}

static void print_most(const char *when, const struct most *m)
{
	print_message("%s: %zu bytes, %zu strings, %zu stacks, %zu rows, %zu threads\n", when,
		      m->bytes, m->strings, m->stacks, m->rows, m->threads);
}

static void assert_flat(size_t first, size_t later)
{
	/* a few more may be there just before something is swept */
	if (later > first + first / 4)
		fail_msg("%zu, after %zu in the first intervals", later, first);
}

/* The sums over a table's rows are what they would be if no row had been given back. */
static void assert_sums(const struct stat_table *t, uint64_t hits, uint64_t freed, uint64_t live)
{
	uint64_t sum_hits = 0, sum_freed = 0, sum_live = 0, lifetimes = 0;
	uint32_t row;

	stat_table_for_each (row, t) {
		const struct stat_counts *c = stat_table_counts(t, row);

		sum_hits += c->hits;
		sum_freed += c->freed_hits;
		sum_live += c->live_hits;
		lifetimes += row < t->nr_lifetimes ? t->lifetimes[row].nr : 0;
	}
	assert_int_equal(sum_hits, hits);
	assert_int_equal(sum_freed, freed);
	assert_int_equal(sum_live, live);
	assert_int_equal(lifetimes, freed);
}

static void assert_histories(const struct stat_table *t, uint64_t hits, uint64_t live_bytes)
{
	uint64_t live[HISTORY_MOMENTS] = {0}, allocs[HISTORY_MOMENTS] = {0}, sum = 0;
	uint32_t row;

	stat_table_for_each (row, t)
		history_sum(&t->history, row, live, allocs);
	for (unsigned int i = 0; i < HISTORY_MOMENTS; i++)
		sum += allocs[i];
	assert_int_equal(sum, hits);
	assert_int_equal(live[HISTORY_MOMENTS - 1], live_bytes);
}

static void soak_with(uint64_t nr_events, unsigned int jobs, bool print)
{
	struct soak *soak = aligned_alloc(CACHE_LINE, sizeof(*soak));
	const uint64_t allocs = nr_events / 2, pages = allocs / 8, objects = allocs - pages;
	const uint64_t live_pages = LIVE / 8, live = LIVE - live_pages;
	const struct slab_accounts *slab;
	const struct page_accounts *page;

	assert_non_null(soak);
	memset(soak, 0, sizeof(*soak));
	soak->nr_events = nr_events;
	run(soak, jobs);
	if (print) {
		print_most("first", &soak->first);
		print_most("later", &soak->later);
	}
	assert_in_range(soak->intervals, NR_INTERVALS, NR_INTERVALS + 1);
	assert_flat(soak->first.bytes, soak->later.bytes);
	assert_flat(soak->first.strings, soak->later.strings);
	assert_flat(soak->first.stacks, soak->later.stacks);
	assert_flat(soak->first.rows, soak->later.rows);
	assert_flat(soak->first.threads, soak->later.threads);

	slab = slab_of(&soak->a.accounts);
	page = page_of(&soak->a.accounts);
	assert_int_equal(slab->summary.live, live);
	assert_int_equal(slab->summary.frees_unmatched, 0);
	assert_int_equal(slab->common.sample_mask, 0);
	for (int i = 0; i < NR_TABLES; i++)
		assert_sums(&slab->common.tables[i], objects, objects - live, live);
	for (int i = 0; i < 2; i++)
		assert_sums(&page->common.tables[i], pages, pages - live_pages, live_pages);
	assert_histories(&slab->common.tables[BY_SITE], objects, live * OBJECT_BYTES);
	/* what is put together is nothing that happened in an interval */
	assert_int_equal(soak->intervals_hits, objects);
	assert_int_equal(soak->intervals_freed, objects - live);
	kmem_pipeline_deinit(&soak->a);
	free(soak);
}

static void test_memory_stays_flat(void **state)
{
	const char *asked = getenv("SOAK_EVENTS");

	(void)state;
	soak_with(asked ? strtoull(asked, NULL, 10) : NR_EVENTS, 1, asked != NULL);
}

static void test_with_the_accounts_on_a_thread_of_their_own(void **state)
{
	(void)state;
	soak_with(NR_EVENTS / 4, 2, false);
}

static struct soak *leaks(bool bounded, struct leak *ret_leak)
{
	struct soak *soak = aligned_alloc(CACHE_LINE, sizeof(*soak));
	struct kmem_options *o = &soak->options;
	struct event_source *source;
	struct leak_input in;

	assert_non_null(soak);
	memset(soak, 0, sizeof(*soak));
	soak->nr_events = 200000;
	soak->leak_every = 100;
	source = generated_source_new(generate, soak);
	assert_non_null(source);
	o->wanted[ACCOUNT_slab] = o->wanted[ACCOUNT_page] = true;
	o->jobs = 1;
	assert_int_equal(
		leak_options_prepare(o, &(struct table_spec){.nr_by = 0}, LEAK_NO_STACKS, NULL), 0);
	o->ticks.interval_ns = 5000 * EVENT_NS;
	if (bounded)
		o->bounds = (struct kmem_bounds){.max_live = 2ull * LIVE, .max_rows = 200};
	soak->err = (struct error)ERROR_INIT;
	assert_int_equal(kmem_pipeline_run(&soak->a, source, o, &soak->err), 0);
	in = (struct leak_input){
		.accounts = &soak->a.accounts,
		.options = &soak->a.options,
		.kinds = &soak->a.kinds,
		.naming = &soak->a.naming,
		.end_ns = soak->nr_events * EVENT_NS,
	};
	assert_int_equal(leak_init(ret_leak, &in), 0);
	event_source_free(source);
	return soak;
}

static const struct leak_row *row_of_site(const struct leak_rows *rows, uint64_t site)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (rows->v[i].key[0] == site)
			return &rows->v[i];
	fail();
	return NULL;
}

static void assert_same_rows(const struct leak_rows *a, const struct leak_rows *b)
{
	assert_int_equal(a->nr, b->nr);
	assert_int_equal(a->callsites, b->callsites);
	for (size_t i = 0; i < a->nr; i++) {
		const struct leak_row *x = &a->v[i], *y = row_of_site(b, x->key[0]);

		assert_int_equal(x->hits, y->hits);
		assert_int_equal(x->bytes, y->bytes);
		assert_int_equal(x->oldest_ns, y->oldest_ns);
		assert_int_equal(x->youngest_ns, y->youngest_ns);
		assert_int_equal(x->behaviour, y->behaviour);
		assert_int_equal(x->growth, y->growth);
		assert_memory_equal(&x->history, &y->history, sizeof(x->history));
		assert_true(x->evidence.confidence > y->evidence.confidence - 1e-9 &&
			    x->evidence.confidence < y->evidence.confidence + 1e-9);
	}
}

static void test_leaks_are_the_same_with_bounds(void **state)
{
	struct leak bounded, whole;
	struct soak *a = leaks(true, &bounded), *b = leaks(false, &whole);
	const struct stat_table *few = &slab_of(&a->a.accounts)->common.tables[LEAK_PARTS];
	const struct stat_table *all = &slab_of(&b->a.accounts)->common.tables[LEAK_PARTS];

	(void)state;
	assert_true(few->rows.top > few->rows.nr && few->rows.nr * 4 < all->rows.nr);
	assert_int_equal(bounded.rows[ACCOUNT_slab].nr, SITES);
	assert_same_rows(&bounded.rows[ACCOUNT_slab], &whole.rows[ACCOUNT_slab]);
	assert_same_rows(&bounded.rows[ACCOUNT_page], &whole.rows[ACCOUNT_page]);
	leak_deinit(&bounded);
	leak_deinit(&whole);
	kmem_pipeline_deinit(&a->a);
	kmem_pipeline_deinit(&b->a);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_stays_flat),
		cmocka_unit_test(test_with_the_accounts_on_a_thread_of_their_own),
		cmocka_unit_test(test_leaks_are_the_same_with_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
