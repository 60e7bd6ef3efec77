// SPDX-License-Identifier: GPL-2.0-or-later
/* The accounts of vmalloc and of percpu memory, through their account_ops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/accounts/range.h"
#include "util/kmem/options.h"

#define SITE  0x1234u
#define OTHER 0x5678u

/* An account with a table by call site, and events a microsecond apart. */
struct fixture {
	struct kmem_options options;
	struct account_setup setup;
	const struct account_ops *ops;
	struct range_accounts ranges;
	uint64_t now_ns;
};

static struct fixture *start_limited(enum account_id id, uint64_t max_live)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct tables_spec *tables = &f->options.tables[id];

	tables->v[0] = (struct table_spec){{KEY_CALLSITE}, .nr_by = 1};
	tables->nr = 1;
	f->options.bounds.max_live = max_live;
	f->setup = (struct account_setup){.options = &f->options, .page_size = 4096};
	f->ops = account_table[id];
	assert_int_equal(f->ops->init(&f->ranges, &f->setup), 0);
	return f;
}

static struct fixture *start(enum account_id id)
{
	return start_limited(id, 0);
}

static void end(struct fixture *f)
{
	f->ops->deinit(&f->ranges);
	free(f);
}

static void take(struct fixture *f, struct kmem_event ev)
{
	const struct account_events events = {&ev, 1, sizeof(ev), false};

	ev.time_ns = f->now_ns += 1000;
	assert_int_equal(f->ops->take(&f->ranges, &events, UINT32_MAX), 0);
}

static void alloc(struct fixture *f, uint64_t address, uint64_t site, uint64_t bytes)
{
	take(f, (struct kmem_event){.kind = (uint8_t)f->ops->allocator->alloc,
				    .ptr = address,
				    .call_site = site,
				    .bytes_req = bytes,
				    .in_window = true});
}

static void free_on(struct fixture *f, int cpu, uint64_t address)
{
	take(f, (struct kmem_event){.kind = (uint8_t)f->ops->allocator->free,
				    .ptr = address,
				    .cpu = cpu,
				    .in_window = true});
}

/* The counts of a call site; creates a row if there is none. */
static const struct stat_counts *site_counts(struct fixture *f, uint64_t site)
{
	struct kmem_event ev = {.kind = (uint8_t)f->ops->allocator->alloc, .call_site = site};
	struct stat_table *t = &f->ranges.common.tables[0];

	return stat_table_counts(t, stat_table_row(t, &ev));
}

static void test_live_until_freed(void **state)
{
	struct fixture *f = start(ACCOUNT_percpu_mem);
	const struct range_summary *s = &f->ranges.summary;

	(void)state;
	alloc(f, 0x100, SITE, 64);
	alloc(f, 0x200, OTHER, 32);
	assert_int_equal(s->live, 2);
	assert_int_equal(s->bytes_live, 96);
	free_on(f, 1, 0x100);
	assert_int_equal(s->live, 1);
	assert_int_equal(s->bytes_live, 32);
	assert_int_equal(s->allocations, 2);
	assert_int_equal(s->bytes_allocated, 96);
	assert_int_equal(s->frees_matched, 1);
	assert_int_equal(s->bytes_freed, 64);
	assert_int_equal(site_counts(f, SITE)->hits, 1);
	assert_int_equal(site_counts(f, SITE)->live_hits, 0);
	assert_int_equal(site_counts(f, SITE)->pingpong, 1);
	assert_int_equal(site_counts(f, SITE)->freed_hits, 1);
	assert_int_equal(site_counts(f, OTHER)->live_bytes, 32);
	end(f);
}

static void test_free_of_older_allocation(void **state)
{
	struct fixture *f = start(ACCOUNT_vmalloc);

	(void)state;
	free_on(f, 0, 0x1000);
	assert_int_equal(f->ranges.summary.frees, 1);
	assert_int_equal(f->ranges.summary.frees_unmatched, 1);
	assert_int_equal(f->ranges.summary.frees_matched, 0);
	end(f);
}

static void test_reused_address_proves_unseen_free(void **state)
{
	struct fixture *f = start(ACCOUNT_vmalloc);
	const struct range_summary *s = &f->ranges.summary;

	(void)state;
	alloc(f, 0x1000, SITE, 8192);
	alloc(f, 0x1000, OTHER, 4096);
	assert_int_equal(s->unseen_frees, 1);
	assert_int_equal(s->live, 1);
	assert_int_equal(s->bytes_live, 4096);
	assert_int_equal(site_counts(f, SITE)->unseen_frees, 1);
	assert_int_equal(site_counts(f, SITE)->live_bytes, 0);
	assert_int_equal(site_counts(f, OTHER)->live_bytes, 4096);
	end(f);
}

static void test_failure(void **state)
{
	struct fixture *f = start(ACCOUNT_percpu_mem);

	(void)state;
	alloc(f, 0, SITE, 512);
	assert_int_equal(f->ranges.summary.failures, 1);
	assert_int_equal(f->ranges.summary.bytes_failed, 512);
	assert_int_equal(f->ranges.summary.allocations, 0);
	assert_int_equal(f->ranges.live.nr, 0);
	end(f);
}

/* Live memory includes allocations before the window; other figures do not. */
static void test_outside_of_window(void **state)
{
	struct fixture *f = start(ACCOUNT_vmalloc);
	const struct range_summary *s = &f->ranges.summary;

	(void)state;
	take(f, (struct kmem_event){.kind = KMEM_VMALLOC_ALLOC, .ptr = 0x1000, .bytes_req = 8192});
	assert_int_equal(s->allocations, 0);
	assert_int_equal(s->bytes_live, 8192);
	take(f, (struct kmem_event){.kind = KMEM_VMALLOC_FREE, .ptr = 0x1000, .bytes_alloc = 9});
	assert_int_equal(s->frees, 0);
	assert_int_equal(s->bytes_live, 0);
	for (unsigned int i = 0; i < RANGE_FIGURES_MAX; i++)
		assert_int_equal(f->ranges.figures[i], 0);
	end(f);
}

static void test_filtered_out(void **state)
{
	struct fixture *f = start(ACCOUNT_vmalloc);
	const struct range_summary *s = &f->ranges.summary;

	(void)state;
	take(f, (struct kmem_event){.kind = KMEM_VMALLOC_ALLOC,
				    .ptr = 0x1000,
				    .bytes_req = 8192,
				    .filtered_out = true,
				    .in_window = true});
	free_on(f, 0, 0x1000);
	assert_int_equal(s->allocations, 0);
	assert_int_equal(s->bytes_live, 0);
	/* the free belongs to the allocation, which does not count */
	assert_int_equal(s->frees, 0);
	assert_int_equal(f->ranges.live.nr, 0);
	end(f);
}

static void test_of_more_than_max_live_a_sample_is_followed(void **state)
{
	enum { MOST = 500, NR = 4000 };
	struct fixture *f = start_limited(ACCOUNT_vmalloc, MOST);
	const struct range_summary *s = &f->ranges.summary;
	uint64_t error, live;

	(void)state;
	for (uint64_t i = 1; i <= NR; i++)
		alloc(f, i << 12, SITE, 8192);
	error = allocator_accounts_sample_error(&f->ranges.common, NR);
	assert_in_range(f->ranges.live.nr, MOST / 4, MOST);
	assert_int_equal(s->allocations, NR);
	assert_in_range(s->live, NR - error, NR + error);
	assert_int_equal(s->bytes_live, 8192 * s->live);
	assert_int_equal(site_counts(f, SITE)->live_hits, s->live);
	live = s->live;
	for (uint64_t i = 1; i <= NR; i++)
		free_on(f, 1, i << 12);
	assert_int_equal(s->live, 0);
	assert_int_equal(s->frees_matched, live);
	assert_int_equal(site_counts(f, SITE)->pingpong, live);
	assert_int_equal(s->frees_unmatched, 0);
	end(f);
}

/* The figures are in the order of vmalloc.c: unpurged, most unpurged, purges, purged areas. */
static void test_purges(void **state)
{
	struct fixture *f = start(ACCOUNT_vmalloc);
	const uint64_t *v = f->ranges.figures;

	(void)state;
	assert_int_equal(f->ranges.kind->nr_figures, 4);
	for (uint64_t pages = 2; pages <= 6; pages += 2)
		take(f, (struct kmem_event){.kind = KMEM_VMALLOC_FREE,
					    .ptr = 0x1000 * pages,
					    .bytes_alloc = pages,
					    .in_window = true});
	assert_int_equal(v[0], 6);
	take(f,
	     (struct kmem_event){.kind = KMEM_VMALLOC_PURGE, .bytes_alloc = 3, .in_window = true});
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], 6);
	assert_int_equal(v[2], 1);
	assert_int_equal(v[3], 3);
	assert_int_equal(f->ranges.summary.frees, 3);
	end(f);
}

static void test_chunks(void **state)
{
	struct fixture *f = start(ACCOUNT_percpu_mem);

	(void)state;
	take(f, (struct kmem_event){.kind = KMEM_PERCPU_CREATE, .in_window = true});
	take(f, (struct kmem_event){.kind = KMEM_PERCPU_CREATE, .in_window = true});
	take(f, (struct kmem_event){.kind = KMEM_PERCPU_DESTROY, .in_window = true});
	take(f, (struct kmem_event){.kind = KMEM_PERCPU_DESTROY});
	assert_int_equal(f->ranges.figures[0], 2);
	assert_int_equal(f->ranges.figures[1], 1);
	assert_int_equal(f->ranges.live.nr, 0);
	assert_int_equal(f->ranges.summary.frees, 0);
	end(f);
}

static void add_bytes(void *ctx, const struct account_live *live)
{
	*(uint64_t *)ctx += live->bytes;
}

static void test_for_each_live(void **state)
{
	struct fixture *f = start(ACCOUNT_percpu_mem);
	struct account_totals totals;
	uint64_t bytes = 0;

	(void)state;
	alloc(f, 0x100, SITE, 64);
	alloc(f, 0x200, SITE, 32);
	free_on(f, 0, 0x100);
	f->ops->allocator->for_each_live(&f->ranges, add_bytes, &bytes);
	totals = f->ops->allocator->totals(&f->ranges);
	assert_int_equal(bytes, 32);
	assert_int_equal(totals.allocations, 2);
	assert_int_equal(totals.bytes_allocated, 96);
	end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_until_freed),
		cmocka_unit_test(test_free_of_older_allocation),
		cmocka_unit_test(test_reused_address_proves_unseen_free),
		cmocka_unit_test(test_failure),
		cmocka_unit_test(test_outside_of_window),
		cmocka_unit_test(test_filtered_out),
		cmocka_unit_test(test_of_more_than_max_live_a_sample_is_followed),
		cmocka_unit_test(test_purges),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_for_each_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
