// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/accounts/pressure.h"

#define TASK 7
#define COMM 3
#define SITE 0xffffffff81001000

static void feed(struct pressure *p, uint64_t time_ns, uint32_t tid, enum pressure_event event,
		 int32_t order)
{
	const struct kmem_event ev = {
		.time_ns = time_ns,
		.pid = tid,
		.tid = tid,
		.kind = KMEM_OWN,
		.own = (uint8_t)event,
		.in_window = true,
		.comm = COMM,
		.call_site = SITE,
		.values = {(uint64_t)order},
	};

	assert_int_equal(pressure_account(p, &ev), 0);
}

static struct pressure start(void)
{
	struct pressure p;

	pressure_init(&p, 4096);
	return p;
}

static const struct stall_row *row_of(const struct pressure *p, enum pressure_by by, uint64_t key)
{
	const struct stall_row *row = table_find(&p->by[by], &key);

	assert_non_null(row);
	return row;
}

static void test_a_stall(void **state)
{
	struct pressure p = start();
	const struct stall_row *row;

	(void)state;
	feed(&p, 1000, TASK, PRESSURE_DIRECT_BEGIN, 3);
	feed(&p, 1500, TASK + 1, PRESSURE_DIRECT_BEGIN, 0);
	feed(&p, 4000, TASK, PRESSURE_DIRECT_END, 0);
	assert_int_equal(p.total.waits.nr, 1);
	assert_int_equal(p.total.wait_ns, 3000);
	assert_int_equal(p.kinds[STALL_DIRECT].waits.nr, 1);
	assert_int_equal(p.kinds[STALL_DIRECT].nested, 0);
	row = row_of(&p, BY_COMMAND, COMM);
	assert_int_equal(row->wait_ns, 3000);
	assert_int_equal(row->waits.max_ns, 3000);
	assert_int_equal(row->orders, 1 << 3);
	assert_int_equal(row_of(&p, BY_CALLSITE, SITE)->waits.nr, 1);
	assert_int_equal(row_of(&p, BY_ORDER, 3)->waits.nr, 1);
	pressure_finish(&p);
	assert_int_equal(p.nr_open, 1);
	pressure_deinit(&p);
}

/* The inner one counts by kind only. */
static void test_nested_stalls(void **state)
{
	struct pressure p = start();

	(void)state;
	feed(&p, 1000, TASK, PRESSURE_DIRECT_BEGIN, 2);
	feed(&p, 2000, TASK, PRESSURE_MEMCG_BEGIN, 0);
	feed(&p, 3000, TASK, PRESSURE_MEMCG_END, 0);
	feed(&p, 5000, TASK, PRESSURE_DIRECT_END, 0);
	assert_int_equal(p.total.waits.nr, 1);
	assert_int_equal(p.total.wait_ns, 4000);
	assert_int_equal(p.kinds[STALL_DIRECT].wait_ns, 4000);
	assert_int_equal(p.kinds[STALL_MEMCG].wait_ns, 1000);
	assert_int_equal(p.kinds[STALL_MEMCG].nested, 1);
	assert_int_equal(row_of(&p, BY_COMMAND, COMM)->wait_ns, 4000);
	assert_int_equal(p.by[BY_ORDER].nr, 1);
	pressure_deinit(&p);
}

static void test_incomplete_stalls(void **state)
{
	struct pressure p = start();

	(void)state;
	feed(&p, 500, TASK, PRESSURE_DIRECT_END, 0); /* began before */
	feed(&p, 1000, TASK, PRESSURE_MEMCG_BEGIN, 0);
	feed(&p, 2000, TASK, PRESSURE_NODE_END, 0); /* of another kind */
	feed(&p, 3000, TASK, PRESSURE_MEMCG_BEGIN, 0);
	feed(&p, 4000, TASK, PRESSURE_MEMCG_END, 0);
	feed(&p, 5000, TASK, PRESSURE_DIRECT_BEGIN, 0);
	feed(&p, 6000, TASK, PRESSURE_MEMCG_BEGIN, 0);
	feed(&p, 7000, TASK, PRESSURE_DIRECT_END, 0); /* the inner end was lost */
	pressure_finish(&p);
	assert_int_equal(p.unmatched_ends, 2);
	assert_int_equal(p.lost_ends, 2);
	assert_int_equal(p.nr_open, 0);
	assert_int_equal(p.total.waits.nr, 2);
	assert_int_equal(p.total.wait_ns, 1000 + 2000);
	pressure_deinit(&p);
}

static void test_compaction(void **state)
{
	struct pressure p = start();

	(void)state;
	/* two zones for one allocation */
	feed(&p, 1000, TASK, PRESSURE_COMPACT_TRY, 9);
	for (uint64_t t = 2000; t < 4000; t += 1000) {
		feed(&p, t, TASK, PRESSURE_COMPACT_BEGIN, 1);
		feed(&p, t + 100, TASK, PRESSURE_COMPACT_END, 1);
	}
	assert_int_equal(p.compact_tries, 1);
	assert_int_equal(p.compact_tries_run, 1);
	assert_int_equal(row_of(&p, BY_ORDER, 9)->wait_ns, 200);
	/* one that no zone was compacted for */
	feed(&p, 5000, TASK, PRESSURE_COMPACT_TRY, 9);
	assert_int_equal(p.compact_tries, 2);
	assert_int_equal(p.compact_tries_run, 1);
	/* kcompactd, and a thread long after its allocation */
	feed(&p, 6000, TASK + 1, PRESSURE_COMPACT_BEGIN, 1);
	feed(&p, 6500, TASK + 1, PRESSURE_COMPACT_END, 1);
	feed(&p, 5001 + COMPACT_TRY_NS, TASK, PRESSURE_COMPACT_BEGIN, 1);
	feed(&p, 5002 + COMPACT_TRY_NS, TASK, PRESSURE_COMPACT_END, 1);
	assert_int_equal(p.background_compactions, 2);
	assert_int_equal(p.background_ns, 501);
	assert_int_equal(p.total.waits.nr, 2);
	pressure_deinit(&p);
}

static void feed_allocation(struct pressure *p, struct kmem_event ev)
{
	ev.in_window = true;
	ev.tid = TASK;
	assert_int_equal(pressure_account(p, &ev), 0);
}

static void test_failures(void **state)
{
	struct pressure p = start();
	const struct failure_row *row;

	(void)state;
	feed_allocation(&p, (struct kmem_event){.kind = KMEM_PAGE_ALLOC, .page = 5, .order = 1});
	assert_int_equal(p.nr_failures, 0);
	feed_allocation(&p, (struct kmem_event){.kind = KMEM_PAGE_ALLOC,
						.page = PFN_NONE,
						.order = 3,
						.gfp_flags = 0xcc0});
	assert_int_equal(p.nr_failures, 1);
	row = table_row(&p.failures, 0);
	assert_int_equal(row->order, 3);
	assert_int_equal(row->gfp_flags, 0xcc0);
	feed_allocation(&p, (struct kmem_event){.kind = KMEM_SLAB_ALLOC, .bytes_req = 100});
	assert_int_equal(p.nr_failures, 2);
	row = table_row(&p.failures, 1);
	assert_int_equal(row->order, -1);
	assert_int_equal(row->bytes, 100);
	pressure_deinit(&p);
}

/* A large object that failed is traced inside of kmalloc and by its caller: one failure. */
static void test_failure_traced_twice(void **state)
{
	struct pressure p = start();
	struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC,
				.is_kmalloc = true,
				.bytes_req = 1 << 20,
				.time_ns = 1000,
				.call_site = SITE};

	(void)state;
	feed_allocation(&p, ev);
	ev.call_site = SITE + 0x1000;
	ev.time_ns = 2000;
	feed_allocation(&p, ev);
	assert_int_equal(p.nr_failures, 1);
	assert_int_equal(((struct failure_row *)table_row(&p.failures, 1))->failures, 1);
	ev.time_ns += 2 * TRACE_PAIR_NS;
	feed_allocation(&p, ev);
	assert_int_equal(p.nr_failures, 2);
	pressure_deinit(&p);
}

static void test_kills(void **state)
{
	struct pressure p = start();

	(void)state;
	feed(&p, 1000, TASK, PRESSURE_OOM_KILL, 1234);
	assert_int_equal(p.nr_kills, 1);
	assert_int_equal(p.kills[0].pid, 1234);
	assert_int_equal(p.kills[0].killer, COMM);
	pressure_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_stall),
		cmocka_unit_test(test_nested_stalls),
		cmocka_unit_test(test_incomplete_stalls),
		cmocka_unit_test(test_compaction),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_kills),
		cmocka_unit_test(test_failure_traced_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
