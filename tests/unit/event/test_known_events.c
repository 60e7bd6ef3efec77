// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/known_events.h"

static const struct kmem_event *of_system(const char *system, const char *name)
{
	const struct known_event *known = known_event_find(system, name, strlen(name));

	return known ? &known->neutral : NULL;
}

static const struct kmem_event *named(const char *name)
{
	return of_system("kmem", name);
}

static void test_each_is_found_by_its_name_and_by_nothing_else(void **state)
{
	(void)state;
	for (int i = 0; i < KNOWN_EVENTS; i++) {
		const struct known_event *known = &known_events[i];
		const char *colon, *name;
		char system[16] = "";

		assert_non_null(known->name);
		colon = strchr(known->name, ':');
		assert_non_null(colon);
		memcpy(system, known->name, (size_t)(colon - known->name));
		name = colon + 1;
		assert_ptr_equal(known_event_find(system, name, strlen(name)), known);
		assert_ptr_not_equal(known_event_find(system, name, strlen(name) - 1), known);
		assert_null(known_event_find("sched", name, strlen(name)));
	}
	assert_null(of_system("kmem", "kvfree_call_rcu"));
	assert_null(of_system("perf_kmem", "kfree"));
	assert_null(of_system("perf_kme", "kvfree_call_rcu"));
	assert_null(of_system("", "kmalloc"));
	assert_null(named(""));
	assert_null(named("kmallo"));
	assert_null(named("kmem:kmalloc"));
	assert_null(named("rss_stat"));
	assert_null(named("alloc_vmap_area"));
}

static void test_the_name_tells_the_kind(void **state)
{
	static const struct {
		const char *name;
		enum kmem_kind kind;
		const char *system; /* NULL: kmem */
	} kinds[] = {
		{"kmalloc", KMEM_SLAB_ALLOC},
		{"kmalloc_node", KMEM_SLAB_ALLOC},
		{"kmem_cache_alloc", KMEM_SLAB_ALLOC},
		{"kmem_cache_alloc_node", KMEM_SLAB_ALLOC},
		{"kfree", KMEM_SLAB_FREE},
		{"kmem_cache_free", KMEM_SLAB_FREE},
		{"mm_page_alloc", KMEM_PAGE_ALLOC},
		{"mm_page_free", KMEM_PAGE_FREE},
		{"mm_page_free_direct", KMEM_PAGE_FREE},
		{"mm_page_free_batched", KMEM_PAGE_FREE_BATCHED},
		{"mm_pagevec_free", KMEM_PAGE_FREE_BATCHED},
		{"mm_page_alloc_zone_locked", KMEM_PAGE_ZONE_LOCKED},
		{"mm_page_pcpu_drain", KMEM_PAGE_PCPU_DRAIN},
		{"mm_page_alloc_extfrag", KMEM_PAGE_EXTFRAG},
		{"alloc_vmap_area", KMEM_VMALLOC_ALLOC, "vmalloc"},
		{"free_vmap_area_noflush", KMEM_VMALLOC_FREE, "vmalloc"},
		{"purge_vmap_area_lazy", KMEM_VMALLOC_PURGE, "vmalloc"},
		{"percpu_alloc_percpu", KMEM_PERCPU_ALLOC, "percpu"},
		{"percpu_alloc_percpu_fail", KMEM_PERCPU_ALLOC, "percpu"},
		{"percpu_free_percpu", KMEM_PERCPU_FREE, "percpu"},
		{"percpu_create_chunk", KMEM_PERCPU_CREATE, "percpu"},
		{"percpu_destroy_chunk", KMEM_PERCPU_DESTROY, "percpu"},
	};

	(void)state;
	assert_int_equal(sizeof(kinds) / sizeof(kinds[0]) + 3, KNOWN_EVENTS);
	assert_int_equal(of_system("perf_kmem", "kvfree_call_rcu")->kind, KMEM_SLAB_FREE_RCU);
	assert_int_equal(of_system("perf_kmem", "kmem_cache_free_bulk")->kind, KMEM_SLAB_FREE);
	assert_int_equal(of_system("perf_kmem", "kmem_cache_alloc_bulk")->kind, KMEM_SLAB_ALLOC);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct known_event *known =
			known_event_find(kinds[i].system ? kinds[i].system : "kmem", kinds[i].name,
					 strlen(kinds[i].name));

		assert_non_null(known);
		assert_int_equal(known->neutral.kind, kinds[i].kind);
	}
}

static void test_the_name_tells_the_cache(void **state)
{
	(void)state;
	assert_int_equal(named("kmalloc")->cache_id, CACHE_ID_KMALLOC);
	assert_int_equal(named("kmalloc_node")->cache_id, CACHE_ID_KMALLOC);
	assert_int_equal(named("kmem_cache_alloc")->cache_id, CACHE_ID_OWN);
	assert_int_equal(named("kmem_cache_alloc_node")->cache_id, CACHE_ID_OWN);
	assert_int_equal(named("kmem_cache_free")->cache_id, CACHE_ID_OWN);
	/* it frees objects of any cache */
	assert_int_equal(named("kfree")->cache_id, CACHE_ID_ANY);
	assert_int_equal(of_system("perf_kmem", "kvfree_call_rcu")->cache_id, CACHE_ID_ANY);
	assert_int_equal(of_system("perf_kmem", "kmem_cache_free_bulk")->cache_id, CACHE_ID_ANY);
	assert_int_equal(of_system("perf_kmem", "kmem_cache_alloc_bulk")->cache_id, CACHE_ID_OWN);
	for (int i = 0; i < KNOWN_EVENTS; i++)
		assert_int_equal(known_events[i].neutral.is_kmalloc,
				 i == EVENT_kmalloc || i == EVENT_kmalloc_node);
}

/* Values without a field: as if the tracepoint did not have it. */
static void test_all_else_is_neutral(void **state)
{
	(void)state;
	for (int i = 0; i < KNOWN_EVENTS; i++) {
		struct kmem_event ev = known_events[i].neutral, none = {.node = NUMA_NO_NODE};

		none.kind = ev.kind;
		none.in_window = true;
		none.is_kmalloc = ev.is_kmalloc;
		if (kmem_kind_is_slab(ev.kind))
			none.cache_id = ev.cache_id;
		assert_memory_equal(&ev, &none, sizeof(ev));
	}
}

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
	event_kinds_add(k, KMEM_SLAB_FREE, NULL, f->ev[KFREE]);
	event_kinds_add(k, KMEM_SLAB_FREE, NULL, f->ev[CACHE_FREE]);
	event_kinds_add(k, KMEM_PAGE_FREE, NULL, f->ev[PAGE_FREE]);
}

static void test_events_of_a_kind_add_up(void **state)
{
	struct fixture *f = *state;
	struct event_kinds k;

	f->ev[CACHE_FREE]->has_callchain = true;
	f->ev[KFREE]->has_user_stack = true;
	count(f, &k);
	assert_int_equal(k.v[KMEM_SLAB_FREE].samples, 150);
	assert_int_equal(k.v[KMEM_SLAB_FREE].lost, 0);
	assert_int_equal(k.v[KMEM_SLAB_FREE].period, 1);
	assert_true(k.v[KMEM_SLAB_FREE].has_chains);
	assert_true(k.v[KMEM_SLAB_FREE].has_user_stacks);
	assert_false(k.v[KMEM_PAGE_FREE].has_user_stacks);
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

/* The kinds of a source with the events of these names, which did not occur. */
static struct event_kinds kinds_of(const char *const *names, size_t nr)
{
	struct event_kinds k;
	struct source_facts facts;

	source_facts_init(&facts);
	event_kinds_init(&k, &facts);
	for (size_t i = 0; i < nr; i++) {
		struct source_event ev = {.name = (char *)names[i], .period = 1};
		const char *name = strchr(names[i], ':') + 1;

		event_kinds_add(
			&k,
			(enum kmem_kind)known_event_find("kmem", name, strlen(name))->neutral.kind,
			NULL, &ev);
	}
	source_facts_deinit(&facts);
	return k;
}

static void test_a_free_event_is_missing_if_it_was_not_recorded(void **state)
{
	static const char *const names[] = {"kmem:kmalloc",	     "kmem:kfree",
					    "kmem:mm_page_alloc",    "kmem:mm_page_free_direct",
					    "kmem:kmem_cache_alloc", "kmem:kmem_cache_free"};
	struct event_kinds k = kinds_of(names, 1);

	(void)state;
	assert_string_equal(event_kinds_missing_free(&k, KMEM_SLAB_ALLOC), "kmem:kfree");
	assert_null(event_kinds_missing_free(&k, KMEM_PAGE_ALLOC));
	/* recorded, but there was none */
	k = kinds_of(names, 2);
	assert_null(event_kinds_missing_free(&k, KMEM_SLAB_ALLOC));
	k = kinds_of(names, 3);
	assert_string_equal(event_kinds_missing_free(&k, KMEM_PAGE_ALLOC), "kmem:mm_page_free");
	/* its name until 3.3 */
	k = kinds_of(names, 5);
	assert_null(event_kinds_missing_free(&k, KMEM_PAGE_ALLOC));
	assert_string_equal(event_kinds_missing_free(&k, KMEM_SLAB_ALLOC), "kmem:kmem_cache_free");
	k = kinds_of(names, 6);
	assert_null(event_kinds_missing_free(&k, KMEM_SLAB_ALLOC));
}

static void test_a_source_of_seen_events_needs_one_free(void **state)
{
	static const char *const names[] = {"kmem:kmalloc", "kmem:kmem_cache_alloc",
					    "kmem:kmem_cache_free"};
	struct event_kinds k = kinds_of(names, 3);

	(void)state;
	k.v[KMEM_SLAB_FREE].samples = 1;
	assert_string_equal(event_kinds_missing_free(&k, KMEM_SLAB_ALLOC), "kmem:kfree");
	k.only_seen = true;
	assert_null(event_kinds_missing_free(&k, KMEM_SLAB_ALLOC));
	k.v[KMEM_SLAB_FREE].samples = 0;
	assert_string_equal(event_kinds_missing_free(&k, KMEM_SLAB_ALLOC), "kmem:kfree");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_is_found_by_its_name_and_by_nothing_else),
		cmocka_unit_test(test_the_name_tells_the_kind),
		cmocka_unit_test(test_the_name_tells_the_cache),
		cmocka_unit_test(test_all_else_is_neutral),
		TEST(test_events_of_a_kind_add_up),
		TEST(test_losses_are_those_of_the_kind),
		TEST(test_before_6_0_losses_are_of_all),
		cmocka_unit_test(test_a_free_event_is_missing_if_it_was_not_recorded),
		cmocka_unit_test(test_a_source_of_seen_events_needs_one_free),
	};

	return cmocka_run_group_tests_name("known_events", tests, NULL, NULL);
}
