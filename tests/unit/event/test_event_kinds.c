// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/event/event_kinds.h"

/* A source of three events: 100 kfree, 50 kmem_cache_free, 30 mm_page_free. */
enum { KFREE, CACHE_FREE, PAGE_FREE, NR };

struct fixture {
	struct source_facts facts;
	struct source_event *ev[NR];
};

static int setup(void **state)
{
	static const uint64_t samples[NR] = {100, 50, 30};
	struct fixture *f = calloc(1, sizeof(*f));

	source_facts_init(&f->facts);
	for (int i = 0; i < NR; i++) {
		f->ev[i] = calloc(1, sizeof(*f->ev[i]));
		f->ev[i]->period = 1;
		f->ev[i]->nr_samples = samples[i];
		f->facts.nr_samples += samples[i];
		assert_int_equal(source_facts_add_event(&f->facts, f->ev[i]), 0);
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	source_facts_deinit(&f->facts);
	free(f);
	return 0;
}

static void count(const struct fixture *f, struct event_kinds *k)
{
	event_kinds_init(k, &f->facts);
	event_kinds_add(k, KMEM_SLAB_FREE, f->ev[KFREE]);
	event_kinds_add(k, KMEM_SLAB_FREE, f->ev[CACHE_FREE]);
	event_kinds_add(k, KMEM_PAGE_FREE, f->ev[PAGE_FREE]);
}

static void test_events_of_a_kind_add_up(void **state)
{
	struct fixture *f = *state;
	struct event_kinds k;

	f->ev[CACHE_FREE]->has_callchain = true;
	count(f, &k);
	assert_int_equal(k.v[KMEM_SLAB_FREE].samples, 150);
	assert_int_equal(k.v[KMEM_SLAB_FREE].lost, 0);
	assert_int_equal(k.v[KMEM_SLAB_FREE].period, 1);
	assert_true(k.v[KMEM_SLAB_FREE].has_chains);
	assert_int_equal(k.v[KMEM_PAGE_FREE].samples, 30);
	assert_false(k.v[KMEM_PAGE_FREE].has_chains);
	assert_int_equal(k.v[KMEM_PAGE_ALLOC].period, 0);
	assert_true(k.lost_of_all <= 0);
}

static void test_losses_are_those_of_the_kind(void **state)
{
	struct fixture *f = *state;
	struct event_kinds k;

	f->facts.knows_lost_events = true;
	f->ev[PAGE_FREE]->nr_lost = 7;
	f->ev[KFREE]->nr_undelivered = 3;
	f->ev[KFREE]->period = 7;
	count(f, &k);
	assert_int_equal(k.v[KMEM_PAGE_FREE].lost, 7);
	assert_int_equal(k.v[KMEM_SLAB_FREE].lost, 3);
	assert_int_equal(k.v[KMEM_SLAB_FREE].period, 7);
	assert_true(k.lost_of_all <= 0);
}

static void test_before_6_0_losses_are_of_all(void **state)
{
	struct fixture *f = *state;
	struct event_kinds k;

	f->facts.nr_lost = 60;
	count(f, &k);
	assert_true(k.lost_of_all > 0.249 && k.lost_of_all < 0.251);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_events_of_a_kind_add_up),
		TEST(test_losses_are_those_of_the_kind),
		TEST(test_before_6_0_losses_are_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
