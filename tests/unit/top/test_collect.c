// SPDX-License-Identifier: GPL-2.0-or-later
/* From events to what top shows of an interval: groupings, groups, frames, details. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/fixture/text_source.h"
#include "util/top/collect.h"

/* Two intervals of 1000 ns: make's object at 0xa000 stays, cc's comes and goes. */
static const char events[] =
	"kmem events\n#kernel 6.1.0-none\n#arch x86_64\n#page_size 4096\n"
	"kmalloc time=1000 ptr=0x1000 req=100 alloc=128 site=0xa000 pid=7 tid=7 comm=make\n"
	"kmalloc time=1100 ptr=0x2000 req=100 alloc=128 site=0xa000 pid=8 tid=8 comm=cc\n"
	"kmem_cache_alloc time=1200 ptr=0x3000 req=200 alloc=256 site=0xb000 pid=8 tid=8 comm=cc "
	"cache=dentry stack=0xb000,0xc000\n"
	"kfree time=2000 ptr=0x2000\n"
	"kmalloc time=2100 ptr=0x4000 req=500 alloc=512 site=0xa000 pid=7 tid=7 comm=make\n"
	"kfree time=2200 ptr=0x3000\n"
	"mm_page_alloc time=2300 page=0x100 order=2 migratetype=0 pid=7 tid=7 comm=make "
	"stack=0xd000,0xe000\n"
	"kfree time=2999 ptr=0x9000\n";

struct run {
	const char *events;
	struct top_groupings groupings[ACCOUNTS_NR];
	struct top_collector collector;
	struct top_request request;
	struct top_frame *frames[4];
	unsigned int nr;
	uint64_t interval_ns;
};

static int on_interval(void *ctx, struct kmem_pipeline *p, struct tick_interval interval)
{
	struct run *r = ctx;

	assert_true(r->nr < 4);
	assert_int_equal(top_collector_next(&r->collector, p, interval), 0);
	assert_int_equal(top_collect(&r->collector, p, &r->request, interval, &r->frames[r->nr++]),
			 0);
	return 0;
}

static void run(struct run *r)
{
	struct kmem_options options = {
		.wanted = {[ACCOUNT_slab] = true, [ACCOUNT_page] = true},
		.tables[ACCOUNT_slab].v = {r->groupings[ACCOUNT_slab].table},
		.tables[ACCOUNT_slab].nr = 1,
		.tables[ACCOUNT_page].v = {r->groupings[ACCOUNT_page].table},
		.tables[ACCOUNT_page].nr = 1,
		.optional_keys = KEY_BIT(KEY_CGROUP) | KEY_BIT(KEY_USTACK),
		.ticks = {.interval_ns = r->interval_ns, .interval = on_interval, .ctx = r},
	};
	struct error err = ERROR_INIT;
	struct kmem_pipeline *p = aligned_alloc(CACHE_LINE, sizeof(*p));
	struct event_source *source = text_source_of(r->events, 1);

	assert_non_null(p);
	assert_non_null(source);
	r->collector.groupings[ACCOUNT_slab] = &r->groupings[ACCOUNT_slab];
	r->collector.groupings[ACCOUNT_page] = &r->groupings[ACCOUNT_page];
	assert_int_equal(kmem_pipeline_run(p, source, &options, &err), 0);
	kmem_pipeline_deinit(p);
	event_source_free(source);
	free(p);
}

static void begin(struct run *r, int account, const char *grouping)
{
	*r = (struct run){.events = events, .interval_ns = 1000, .request = {.account = account}};
	r->request.order = top_column_find("bytes/s");
	top_groupings_init(&r->groupings[ACCOUNT_slab], ALLOCATOR_SLAB, NULL, 0, ~0u);
	top_groupings_init(&r->groupings[ACCOUNT_page], ALLOCATOR_PAGE, NULL, 0, ~0u);
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (r->groupings[i].nr)
			leak_grouped_prepare(&r->groupings[i].table,
					     account_table[i]->allocator->leak);
	for (unsigned int i = 0; i < r->groupings[account].nr; i++)
		if (!strcmp(r->groupings[account].names[i], grouping))
			r->request.grouping = i;
}

static void end(struct run *r)
{
	for (unsigned int i = 0; i < r->nr; i++)
		top_frame_free(r->frames[i]);
	top_request_deinit(&r->request);
	top_collector_deinit(&r->collector);
}

static uint64_t value(const struct top_row *row, const char *column)
{
	return row->values[top_column_find(column)];
}

static void test_figures_are_of_the_interval_and_since_the_start(void **state)
{
	const struct top_row *row;
	struct run r;

	(void)state;
	begin(&r, ACCOUNT_slab, "callsite");
	run(&r);
	assert_int_equal(r.nr, 2);
	assert_int_equal(r.frames[0]->nr_rows, 2);
	assert_int_equal(r.frames[0]->sums.hits, 3);
	assert_int_equal(r.frames[0]->sums.live_bytes, 512);
	row = &r.frames[1]->rows[0];
	assert_string_equal(row->name, "0xa000");
	/* of one object in 999 ns: the recording ends there */
	assert_int_equal(r.frames[1]->end_ns - r.frames[1]->start_ns, 999);
	assert_true(r.frames[1]->last);
	assert_int_equal(value(row, "hits/s"), 1001001);
	assert_int_equal(value(row, "frees/s"), 1001001);
	assert_int_equal(value(row, "hit"), 3);
	assert_int_equal(value(row, "bytes"), 768);
	assert_int_equal(value(row, "live"), 640);
	assert_int_equal(value(row, "live-hit"), 2);
	assert_int_equal(row->live[RECENT_MOMENTS - 1], 640);
	assert_int_equal(row->live[RECENT_MOMENTS - 2], 256);
	assert_int_equal(row->live[RECENT_MOMENTS - 3], 0);
	assert_int_equal(r.frames[1]->sums.bytes_freed, 384);
	assert_int_equal(r.frames[1]->accounts, 1u << ACCOUNT_slab | 1u << ACCOUNT_page);
	end(&r);
}

static void test_each_grouping_has_the_same_sums(void **state)
{
	static const char *const groupings[] = {"callsite", "cache",  "comm",
						"pid",	    "cgroup", "stack"};
	static const char *const first[] = {"0xa000", "dentry",	 "make",
					    "7 make", "unknown", "0xa000"};
	struct run r;

	(void)state;
	for (size_t i = 0; i < sizeof(groupings) / sizeof(groupings[0]); i++) {
		uint64_t hits = 0, live = 0;
		bool found = false;

		begin(&r, ACCOUNT_slab, groupings[i]);
		assert_string_equal(r.groupings[ACCOUNT_slab].names[r.request.grouping],
				    groupings[i]);
		run(&r);
		for (size_t k = 0; k < r.frames[1]->nr_rows; k++) {
			hits += value(&r.frames[1]->rows[k], "hit");
			live += value(&r.frames[1]->rows[k], "live");
			found |= !strcmp(r.frames[1]->rows[k].name, first[i]);
		}
		assert_int_equal(hits, 4);
		assert_int_equal(live, 640);
		if (!found)
			fail_msg("no '%s' among the rows by %s, the first of which is '%s'",
				 first[i], groupings[i], r.frames[1]->rows[0].name);
		end(&r);
	}
}

static void test_pages_are_grouped_by_order(void **state)
{
	struct run r;

	(void)state;
	begin(&r, ACCOUNT_page, "order");
	run(&r);
	assert_int_equal(r.frames[0]->nr_rows, 0);
	assert_int_equal(r.frames[1]->nr_rows, 1);
	assert_string_equal(r.frames[1]->rows[0].name, "2");
	assert_int_equal(r.frames[1]->sums.live_bytes, 16384);
	end(&r);
}

static void test_details_tell_who_a_row_is(void **state)
{
	const char *text;
	struct run r;

	(void)state;
	begin(&r, ACCOUNT_slab, "cache");
	r.request.details = strdup("dentry");
	run(&r);
	text = r.frames[0]->details.buf;
	assert_non_null(strstr(text, "0xb000\n"));
	assert_non_null(strstr(text, "8 cc\n"));
	assert_non_null(strstr(text, "              0xc000\n"));
	assert_null(strstr(text, "make"));
	end(&r);
	begin(&r, ACCOUNT_slab, "cache");
	r.request.details = strdup("nothing");
	run(&r);
	assert_non_null(strstr(r.frames[0]->details.buf, "It is gone"));
	end(&r);
}

static void test_other_keys_come_first(void **state)
{
	static const enum kmem_key by[] = {KEY_MODULE, KEY_GFP}, comm[] = {KEY_COMM};
	struct top_groupings g;

	(void)state;
	top_groupings_init(&g, ALLOCATOR_SLAB, by, 2, ~(KEY_BIT(KEY_STACK) | KEY_BIT(KEY_USTACK)));
	assert_string_equal(g.names[g.first], "module,gfp");
	assert_int_equal(g.nr, 6);
	assert_true(g.table.recent);
	top_groupings_init(&g, ALLOCATOR_SLAB, comm, 1,
			   ~(KEY_BIT(KEY_STACK) | KEY_BIT(KEY_USTACK)));
	assert_string_equal(g.names[g.first], "comm");
	assert_int_equal(g.nr, 5); /* no stacks */
	for (unsigned int i = 0; i < g.table.nr_by; i++)
		assert_int_not_equal(g.table.by[i], KEY_STACK);
}

/* Keys that do not fit into one table are omitted, except the requested ones. */
static void test_a_table_has_only_so_many_keys(void **state)
{
	static const enum kmem_key by[] = {KEY_GFP,  KEY_TID,	   KEY_CPU,	  KEY_NODE,
					   KEY_SIZE, KEY_CALLSITE, KEY_ACCOUNTED, KEY_MODULE};
	struct top_groupings g;

	(void)state;
	top_groupings_init(&g, ALLOCATOR_SLAB, by, STAT_BY_MAX, ~0u);
	assert_int_equal(g.table.nr_by, STAT_BY_MAX);
	assert_int_equal(g.nr, 2);
	assert_string_equal(g.names[1], "callsite");
}

/* A minute in which 0xa000 keeps what it allocates, and 0xb000 frees it. */
static char *leaking_events(void)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, "kmem events\n#kernel 6.1.0-none\n#arch x86_64\n#page_size 4096\n");
	for (unsigned long long i = 1; i <= 60; i++) {
		strbuf_addf(&sb,
			    "kmalloc time=%llu ptr=0x%llx req=100 alloc=128 site=0xa000 pid=7 "
			    "tid=7 comm=make\n",
			    i * 1000000000, i << 12);
		strbuf_addf(&sb,
			    "kmalloc time=%llu ptr=0xf00000 req=100 alloc=128 site=0xb000 "
			    "pid=7 tid=7 comm=make\n",
			    i * 1000000000 + 1);
		strbuf_addf(&sb, "kfree time=%llu ptr=0xf00000\n", i * 1000000000 + 2);
	}
	assert_false(sb.failed);
	return strbuf_detach(&sb);
}

static void test_rows_are_judged_as_by_leak(void **state)
{
	char text[SUSPECT_TEXT], *leaking = leaking_events();
	const struct top_row *row;
	struct run r;

	(void)state;
	begin(&r, ACCOUNT_slab, "callsite");
	r.request.order = top_column_find("suspect");
	r.events = leaking;
	r.interval_ns = 30000000000;
	run(&r);
	row = &r.frames[r.nr - 1]->rows[0];
	assert_string_equal(row->name, "0xa000");
	assert_string_equal(suspect_text(text, value(row, "suspect")), "leaking");
	assert_int_equal(suspect_role(value(row, "suspect")), ROLE_ALARM);
	assert_int_equal(r.frames[r.nr - 1]->nr_suspects, 1);
	row = &r.frames[r.nr - 1]->rows[1];
	assert_string_equal(row->name, "0xb000");
	assert_int_equal(value(row, "suspect"), 0); /* nothing of it is live */
	end(&r);
	free(leaking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures_are_of_the_interval_and_since_the_start),
		cmocka_unit_test(test_each_grouping_has_the_same_sums),
		cmocka_unit_test(test_pages_are_grouped_by_order),
		cmocka_unit_test(test_rows_are_judged_as_by_leak),
		cmocka_unit_test(test_details_tell_who_a_row_is),
		cmocka_unit_test(test_other_keys_come_first),
		cmocka_unit_test(test_a_table_has_only_so_many_keys),
	};

	return cmocka_run_group_tests_name("collect", tests, NULL, NULL);
}
