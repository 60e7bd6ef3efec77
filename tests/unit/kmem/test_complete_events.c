// SPDX-License-Identifier: GPL-2.0-or-later
/* Sources without samples: complete events, and rows, to tables, leak and diff. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/allocators.h"
#include "tests/fixture/text_source.h"
#include "util/leak/leak.h"
#include "util/report/diff.h"

#define HEAD "#kernel 6.1.0-none\n#arch x86_64\n#page_size 4096\n"

/* Two sites of objects, one of pages; make and cc. */
static const char events[] =
	"kmem events\n" HEAD "## the first object is freed, on another CPU\n"
	"kmalloc time=1000 ptr=0x1000 req=100 alloc=128 site=0xa000 gfp=0xcc0 pid=7 tid=7 cpu=0 "
	"comm=make\n"
	"kmem_cache_alloc time=2000 ptr=0x2000 req=200 alloc=256 site=0xb000 tid=8 comm=cc "
	"cache=dentry stack=0xb000,0xc000\n"
	"kmalloc time=3000 ptr=0x3000 req=100 alloc=128 site=0xa000 tid=7 comm=make\n"
	"kfree time=4000 ptr=0x1000 cpu=1\n"
	"mm_page_alloc time=5000 page=0x100 order=2 migratetype=0 tid=7 comm=make "
	"stack=0xd000,0xe000\n"
	"mm_page_alloc time=6000 page=0x200 order=0 migratetype=1 tid=8 comm=cc stack=0xe000\n"
	"mm_page_free time=7000 page=0x200 order=0\n"
	"kfree time=8000 ptr=0x9000\n";

static const char rows[] =
	"kmem rows\n" HEAD
	"kmalloc time=1000 site=0xa000 comm=make cache=kmalloc-128 hits=10 bytes_req=1000 "
	"bytes=1280 live_hits=4 live_req=400 live=512\n"
	"kmalloc time=2000 site=0xa000 comm=cc cache=kmalloc-128 hits=2 bytes_req=200 bytes=256\n"
	"kmalloc time=3000 site=0xb000 comm=make cache=dentry hits=1 bytes_req=200 bytes=256 "
	"live_hits=1 live_req=200 live=256\n"
	"mm_page_alloc time=4000 order=2 comm=make stack=0xd000 hits=3 bytes_req=49152 bytes=49152 "
	"live_hits=1 live_req=16384 live=16384\n";

struct run {
	struct kmem_pipeline a;
	struct kmem_options options;
	struct kmem_filter filter;
	struct event_source *source;
	struct error err;
	int ret;
};

static void analyse(struct run *r, const char *text)
{
	r->source = text_source_of(text, 1);
	assert_non_null(r->source);
	r->err = (struct error)ERROR_INIT;
	if (r->filter.nr)
		r->options.filter = &r->filter;
	r->ret = kmem_pipeline_run(&r->a, r->source, &r->options, &r->err);
}

/* The tables by one key, of both allocators. */
static struct run *run_by(const char *text, enum kmem_key key)
{
	struct run *r = aligned_alloc(CACHE_LINE, sizeof(*r));

	assert_non_null(r);
	memset(r, 0, sizeof(*r));
	r->options = (struct kmem_options){
		.wanted = {[ACCOUNT_slab] = true, [ACCOUNT_page] = true},
		.tables[ACCOUNT_slab].v = {{{key}, 1}},
		.tables[ACCOUNT_slab].nr = 1,
		.tables[ACCOUNT_page].v = {{{key}, 1}},
		.tables[ACCOUNT_page].nr = 1,
	};
	analyse(r, text);
	assert_int_equal(r->ret, 0);
	return r;
}

static void end(struct run *r)
{
	if (!r->ret)
		kmem_pipeline_deinit(&r->a);
	event_source_free(r->source);
	kmem_filter_deinit(&r->filter);
	free(r);
}

static const struct stat_table *slab_table(const struct run *r)
{
	return &slab_of(&r->a.accounts)->common.tables[0];
}

static const struct stat_table *page_table(const struct run *r)
{
	return &page_of(&r->a.accounts)->common.tables[0];
}

/* The row of a number; NULL: there is none. */
static const struct stat_counts *row_of(const struct stat_table *t, uint64_t key)
{
	for (uint32_t i = 0; i < t->rows.nr; i++)
		if (*stat_table_keys(t, i) == key)
			return stat_table_counts(t, i);
	return NULL;
}

/* The row of a string. */
static const struct stat_counts *row_named(const struct run *r, const struct stat_table *t,
					   const char *name)
{
	for (uint32_t i = 0; i < t->rows.nr; i++)
		if (!strcmp(intern_get(&r->a.naming.names.strings, (uint32_t)*stat_table_keys(t, i),
				       NULL),
			    name))
			return stat_table_counts(t, i);
	return NULL;
}

static void test_events_are_what_samples_would_be(void **state)
{
	struct run *r = run_by(events, KEY_CALLSITE);
	const struct slab_summary *slab = &slab_of(&r->a.accounts)->summary;
	const struct page_summary *page = &page_of(&r->a.accounts)->summary;

	(void)state;
	assert_int_equal(slab->allocations, 3);
	assert_int_equal(slab->bytes_allocated, 512);
	assert_int_equal(slab->frees_matched, 1);
	assert_int_equal(slab->frees_unmatched, 1);
	assert_int_equal(slab->bytes_live, 384);
	assert_int_equal(page->alloc_requests, 2);
	assert_int_equal(page->alloc_bytes, 5 * 4096);
	assert_int_equal(page->matched_bytes, 4096);
	assert_int_equal(row_of(slab_table(r), 0xa000)->hits, 2);
	assert_int_equal(row_of(slab_table(r), 0xa000)->live_hits, 1);
	assert_int_equal(row_of(slab_table(r), 0xa000)->pingpong, 1);
	/* the call site of pages is found in the callchain */
	assert_int_equal(row_of(page_table(r), 0xd000)->bytes_alloc, 16384);
	assert_int_equal(row_of(page_table(r), 0xe000)->live_hits, 0);
	assert_int_equal(r->source->facts->nr_samples, 8);
	assert_int_equal(r->a.kinds.v[KMEM_SLAB_FREE].samples, 2);
	assert_true(r->a.kinds.v[KMEM_PAGE_ALLOC].has_chains);
	end(r);
}

static void test_events_by_names(void **state)
{
	struct run *r = run_by(events, KEY_COMM);

	(void)state;
	assert_int_equal(row_named(r, slab_table(r), "make")->hits, 2);
	assert_int_equal(row_named(r, slab_table(r), "cc")->bytes_alloc, 256);
	assert_int_equal(row_named(r, page_table(r), "cc")->hits, 1);
	end(r);
	r = run_by(events, KEY_CACHE);
	assert_int_equal(row_named(r, slab_table(r), "dentry")->hits, 1);
	/* not given, so named by its size */
	assert_int_equal(row_named(r, slab_table(r), "kmalloc-128")->hits, 2);
	end(r);
	r = run_by(events, KEY_MODULE);
	assert_int_equal(row_named(r, slab_table(r), "unknown")->hits, 3);
	end(r);
}

static void test_events_by_stack(void **state)
{
	struct run *r = run_by(events, KEY_STACK);
	const uint64_t *frames;
	size_t len;

	(void)state;
	assert_int_equal(slab_table(r)->rows.nr, 2);
	frames = intern_get(&r->a.naming.names.stacks, (uint32_t)*stat_table_keys(slab_table(r), 1),
			    &len);
	assert_int_equal(len, 2 * sizeof(*frames));
	assert_int_equal(frames[0], 0xb000);
	assert_int_equal(frames[1], 0xc000);
	/* without a callchain: the call site alone */
	frames = intern_get(&r->a.naming.names.stacks, (uint32_t)*stat_table_keys(slab_table(r), 0),
			    &len);
	assert_int_equal(len, sizeof(*frames));
	assert_int_equal(frames[0], 0xa000);
	end(r);
}

static void test_filters_and_windows(void **state)
{
	static const struct time_window window = {2000, 4000};

	(void)state;
	for (int rows_too = 0; rows_too < 2; rows_too++) {
		const char *text = rows_too ? rows : events;
		struct run *r = run_by(text, KEY_COMM);

		kmem_pipeline_deinit(&r->a);
		event_source_free(r->source);
		assert_int_equal(kmem_filter_add(&r->filter, "comm", "make", NULL), 0);
		analyse(r, text);
		assert_int_equal(r->ret, 0);
		assert_null(row_named(r, slab_table(r), "cc"));
		assert_int_equal(row_named(r, slab_table(r), "make")->hits, rows_too ? 11 : 2);
		assert_int_equal(slab_of(&r->a.accounts)->summary.allocations, rows_too ? 11 : 2);
		kmem_pipeline_deinit(&r->a);
		event_source_free(r->source);
		kmem_filter_deinit(&r->filter);
		r->options.filter = NULL;
		r->options.windows = &window;
		r->options.nr_windows = 1;
		analyse(r, text);
		assert_int_equal(r->ret, 0);
		assert_int_equal(slab_of(&r->a.accounts)->summary.allocations, rows_too ? 3 : 2);
		assert_int_equal(page_of(&r->a.accounts)->summary.alloc_requests, rows_too ? 3 : 0);
		end(r);
	}
}

static void test_rows_enter_the_tables(void **state)
{
	struct run *r = run_by(rows, KEY_CALLSITE);
	const struct slab_summary *slab = &slab_of(&r->a.accounts)->summary;
	const struct stat_counts *c = row_of(slab_table(r), 0xa000);

	(void)state;
	assert_int_equal(slab->allocations, 13);
	assert_int_equal(slab->bytes_allocated, 1792);
	assert_int_equal(slab->frees_matched, 8);
	assert_int_equal(slab->bytes_freed, 1024);
	assert_int_equal(slab->bytes_live, 768);
	assert_int_equal(slab->live, 5);
	assert_int_equal(c->hits, 12);
	assert_int_equal(c->bytes_req, 1200);
	assert_int_equal(c->live_hits, 4);
	assert_int_equal(c->live_bytes, 512);
	assert_int_equal(c->freed_hits, 8);
	assert_int_equal(r->a.decoding.nr_rows, 4);
	c = row_of(page_table(r), 0xd000);
	assert_int_equal(c->hits, 3);
	assert_int_equal(c->live_bytes, 16384);
	assert_int_equal(page_of(&r->a.accounts)->summary.matched_requests, 2);
	end(r);
}

static void test_rows_tell_of_no_object(void **state)
{
	struct run *r = run_by(rows, KEY_COMM);

	(void)state;
	kmem_pipeline_deinit(&r->a);
	event_source_free(r->source);
	r->options.tables[ACCOUNT_slab].v[0].by[0] = KEY_PTR;
	analyse(r, rows);
	assert_int_equal(r->ret, -ENODATA);
	assert_non_null(strstr(r->err.msg, "has no individual objects"));
	end(r);
}

static void test_what_cannot_be_is_counted_as_bad(void **state)
{
	static const char bad_events[] =
		"kmem events\n" HEAD "kmalloc time=1 ptr=0x1 alloc=0x7fffffffffffffff\n"
		"kmalloc time=2 ptr=0x2 alloc=8\n"
		"mm_page_alloc time=3 page=1 order=200\n"
		"no event at all\n"
		"kmalloc time=x\n";
	static const char bad_rows[] = "kmem rows\n" HEAD "kmalloc site=1 hits=1 live_hits=2\n"
				       "kmalloc site=1 hits=2 bytes=10 live=11\n"
				       "kfree hits=1\n"
				       "kmalloc site=1 hits=2 bytes=16\n";
	struct run *r = run_by(bad_events, KEY_COMM);

	(void)state;
	assert_int_equal(slab_of(&r->a.accounts)->summary.allocations, 1);
	assert_int_equal(r->source->facts->events[0]->nr_bad, 1);
	assert_int_equal(r->source->facts->events[1]->nr_bad, 1);
	assert_int_equal(r->source->facts->damage.nr_skipped_records, 2);
	end(r);
	r = run_by(bad_rows, KEY_COMM);
	assert_int_equal(slab_of(&r->a.accounts)->summary.allocations, 2);
	assert_int_equal(r->source->facts->events[0]->nr_bad, 2);
	assert_int_equal(r->source->facts->events[1]->nr_bad, 1);
	end(r);
}

static void test_the_allocator_that_there_is(void **state)
{
	static const char pages[] = "kmem events\n" HEAD "mm_page_alloc time=1 page=1 order=1\n";
	struct run *r = run_by(events, KEY_COMM);

	(void)state;
	kmem_pipeline_deinit(&r->a);
	event_source_free(r->source);
	memset(r->options.wanted, 0, sizeof(r->options.wanted));
	analyse(r, pages);
	assert_int_equal(r->ret, 0);
	assert_null(slab_of(&r->a.accounts));
	assert_int_equal(page_of(&r->a.accounts)->summary.alloc_bytes, 8192);
	kmem_pipeline_deinit(&r->a);
	event_source_free(r->source);
	r->options.wanted[ACCOUNT_slab] = true;
	analyse(r, pages);
	assert_int_equal(r->ret, -ENODATA);
	assert_non_null(strstr(r->err.msg, "holds no slab events"));
	end(r);
}

static void check_leak(const char *text, uint64_t hits, uint64_t bytes, uint64_t page_bytes)
{
	struct run *r = run_by(text, KEY_COMM);
	const struct leak_row *row;
	struct leak_input in;
	struct leak leak;

	kmem_pipeline_deinit(&r->a);
	event_source_free(r->source);
	assert_int_equal(leak_options_prepare(&r->options, &(struct table_spec){.nr_by = 0},
					      LEAK_NO_STACKS, NULL),
			 0);
	analyse(r, text);
	assert_int_equal(r->ret, 0);
	in = (struct leak_input){
		.accounts = &r->a.accounts,
		.options = &r->a.options,
		.kinds = &r->a.kinds,
		.naming = &r->a.naming,
		.end_ns = kmem_pipeline_span(&r->a).stop_ns,
	};
	assert_int_equal(leak_init(&leak, &in), 0);
	assert_int_equal(leak.rows[ACCOUNT_slab].hits, hits);
	assert_int_equal(leak.rows[ACCOUNT_slab].bytes, bytes);
	assert_int_equal(leak.rows[ACCOUNT_page].bytes, page_bytes);
	assert_int_equal(leak.rows[ACCOUNT_slab].nr, 2);
	for (size_t i = 0; i < leak.rows[ACCOUNT_slab].nr; i++) {
		row = &leak.rows[ACCOUNT_slab].v[i];
		if (row->key[0] == 0xa000)
			assert_string_equal(
				intern_get(&r->a.naming.names.strings, row->owner.comm, NULL),
				"make");
	}
	leak_deinit(&leak);
	end(r);
}

static void test_leak(void **state)
{
	(void)state;
	check_leak(events, 2, 384, 16384);
	check_leak(rows, 5, 768, 16384);
}

static void check_diff(const char *old_text, const char *new_text, int change)
{
	struct run *old = run_by(old_text, KEY_COMM), *new = run_by(new_text, KEY_COMM);
	const struct report_options options = {.thousands_sep = ""};
	struct report_context sides[DIFF_SIDES];
	struct diff d;

	report_context_init(&sides[DIFF_OLD], &old->a, &options);
	report_context_init(&sides[DIFF_NEW], &new->a, &options);
	assert_int_equal(diff_init(&d, &sides[DIFF_OLD], &sides[DIFF_NEW], false, 0), 0);
	assert_int_equal(d.nr_tables, 2);
	for (size_t i = 0; i < d.tables[0].nr; i++) {
		const struct diff_row *r = &d.tables[0].v[i];

		if (!strcmp(diff_row_key(&d, r, 0), "make"))
			assert_int_equal((int)(r->side[DIFF_NEW].hits - r->side[DIFF_OLD].hits),
					 change);
	}
	assert_true(d.same_kernel);
	diff_deinit(&d);
	end(old);
	end(new);
}

static void test_diff(void **state)
{
	(void)state;
	check_diff(events, events, 0);
	check_diff(events, rows, 9);
	check_diff(rows, events, -9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_are_what_samples_would_be),
		cmocka_unit_test(test_events_by_names),
		cmocka_unit_test(test_events_by_stack),
		cmocka_unit_test(test_filters_and_windows),
		cmocka_unit_test(test_rows_enter_the_tables),
		cmocka_unit_test(test_rows_tell_of_no_object),
		cmocka_unit_test(test_what_cannot_be_is_counted_as_bad),
		cmocka_unit_test(test_the_allocator_that_there_is),
		cmocka_unit_test(test_leak),
		cmocka_unit_test(test_diff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
