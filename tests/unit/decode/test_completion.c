// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/event_key.h"
#include "util/decode/completion.h"
#include "util/perfdata/format.h"
#include "util/usersym/user_stacks.h"

struct fixture {
	struct source_facts recording;
	struct symbols symbols;
	struct callsite_finder callsites;
	struct key_names names;
	struct event_completer completer;
	struct sample sample;
	struct kmem_event ev;
	const char *cache;
};

static int setup(void **state)
{
	static const char kallsyms[] =
		"1000 T kernel_function\n2000 T module_function\t[ext4]\n3000 T end\n";
	struct fixture *f = calloc(1, sizeof(*f));
	uint64_t moved_by;

	source_facts_init(&f->recording);
	f->recording.nr_cpu_node = 2;
	f->recording.cpu_node = calloc(2, sizeof(int32_t));
	f->recording.cpu_node[1] = 1;
	symbol_table_init(&f->symbols.tables[0], strdup(kallsyms), sizeof(kallsyms) - 1, "", 0,
			  &moved_by);
	f->symbols.nr_tables = 1;
	callsite_finder_init(&f->callsites, &f->symbols, NULL);
	key_names_init(&f->names);
	event_completer_init(&f->completer, &f->names, &f->callsites, &f->symbols, &f->recording);
	f->completer.page_size = 4096;
	f->ev = (struct kmem_event){.kind = KMEM_SLAB_ALLOC, .node = NUMA_NO_NODE};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	event_completer_deinit(&f->completer);
	key_names_deinit(&f->names);
	callsite_finder_deinit(&f->callsites);
	symbols_deinit(&f->symbols);
	source_facts_deinit(&f->recording);
	free(f);
	return 0;
}

/* The value of the completed event; f->ev stays as the tracepoint has it. */
static uint64_t value(struct fixture *f, enum kmem_key key)
{
	struct kmem_event ev = f->ev;

	event_completer_want(&f->completer, key);
	assert_int_equal(event_completer_fill(&f->completer, &f->sample,
					      &(struct event_names){.cache = f->cache}, &ev),
			 0);
	return kmem_event_key(&ev, key);
}

static const char *text(struct fixture *f, enum kmem_key key)
{
	return intern_get(&f->names.strings, (uint32_t)value(f, key), NULL);
}

static void test_a_cache_has_its_name_or_its_size(void **state)
{
	struct fixture *f = *state;

	f->cache = "filp";
	assert_string_equal(text(f, KEY_CACHE), "filp");
	f->cache = NULL;
	f->ev.bytes_alloc = 96;
	assert_string_equal(text(f, KEY_CACHE), "kmem_cache-96");
	f->ev.is_kmalloc = true;
	assert_string_equal(text(f, KEY_CACHE), "kmalloc-96");
	f->ev.bytes_alloc = 1024;
	assert_string_equal(text(f, KEY_CACHE), "kmalloc-1k");
	f->ev.bytes_alloc = 16384;
	assert_string_equal(text(f, KEY_CACHE), "kmalloc-16k");
}

static void test_a_call_site_may_have_several_caches(void **state)
{
	static const char *const caches[] = {"filp", "filp", "dentry", "filp", "inode_cache"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		/* every second call site is the same, or has the same place */
		f->ev.call_site = i % 2 ? 0x1000 : 0x1000 + (i << 30);
		f->cache = caches[i];
		assert_string_equal(text(f, KEY_CACHE), caches[i]);
	}
}

static void test_a_kmalloc_cache_is_chosen_by_flags(void **state)
{
	struct fixture *f = *state;

	f->completer.kmalloc =
		(struct kmalloc_caches){.account = 0x400000, .cached_bytes_max = 8192};
	f->ev.is_kmalloc = true;
	f->ev.bytes_alloc = 64;
	f->ev.gfp_flags = 0x400cc0;
	assert_string_equal(text(f, KEY_CACHE), "kmalloc-cg-64");
	f->ev.gfp_flags = 0xcc0;
	assert_string_equal(text(f, KEY_CACHE), "kmalloc-64");
	f->cache = "told"; /* an event that has the name */
	assert_string_equal(text(f, KEY_CACHE), "told");
}

static void test_an_area_has_its_purpose_beside_caches(void **state)
{
	struct fixture *f = *state;

	f->ev = (struct kmem_event){.kind = KMEM_VMALLOC_ALLOC, .bytes_req = 20480};
	event_completer_want(&f->completer, KEY_CACHE);
	assert_string_equal(text(f, KEY_USE), area_use_name(AREA_OTHER));
}

static void test_accounted_by_the_field_or_the_flag(void **state)
{
	struct fixture *f = *state;

	f->completer.gfp.account = 0x400000;
	assert_int_equal(value(f, KEY_ACCOUNTED), 0);
	f->ev.gfp_flags = 0x400cc0;
	assert_int_equal(value(f, KEY_ACCOUNTED), 1);
	f->ev.kind = KMEM_PAGE_ALLOC;
	assert_int_equal(value(f, KEY_ACCOUNTED), 1);
	/* a cache may be accounted without the flag, and the kernel may know better than the
	 * flag */
	f->ev.kind = KMEM_SLAB_ALLOC;
	f->ev.has_accounted = true;
	assert_int_equal(value(f, KEY_ACCOUNTED), 0);
	f->ev.accounted = 1;
	f->ev.gfp_flags = 0;
	assert_int_equal(value(f, KEY_ACCOUNTED), 1);
}

static void test_sizes_go_up_to_a_power_of_two(void **state)
{
	static const uint64_t sizes[][2] = {{0, 0},
					    {1, 1},
					    {2, 2},
					    {3, 4},
					    {4096, 4096},
					    {4097, 8192},
					    {1ull << 63, 1ull << 63},
					    {UINT64_MAX, UINT64_MAX}};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		f->ev.bytes_req = sizes[i][0];
		assert_int_equal(value(f, KEY_SIZE), sizes[i][1]);
	}
}

static void test_the_node_is_asked_for_or_the_cpus(void **state)
{
	struct fixture *f = *state;

	f->ev.cpu = 1;
	assert_int_equal(value(f, KEY_NODE), 1);
	f->ev.node = 0;
	assert_int_equal(value(f, KEY_NODE), 0);
	f->ev.node = NUMA_NO_NODE;
	f->ev.cpu = 7; /* the recording does not say */
	assert_int_equal((int64_t)value(f, KEY_NODE), NUMA_NO_NODE);
}

static void test_cross_node(void **state)
{
	struct fixture *f = *state;
	static const struct {
		int cpu, node;
		bool cross;
	} cases[] = {
		{0, NUMA_NO_NODE, false},
		{0, 0, false},
		{1, 1, false},
		{0, 1, true},
		{1, 0, true},
		{2, 0, false}, /* the node of CPU 2 is unknown */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kmem_event ev = {
			.kind = KMEM_SLAB_ALLOC, .cpu = cases[i].cpu, .node = cases[i].node};

		assert_int_equal(event_completer_fill(&f->completer, &f->sample,
						      &(struct event_names){.cache = f->cache},
						      &ev),
				 0);
		assert_int_equal(ev.cross_node, cases[i].cross);
	}
}

/* The callchain says who asked for pages, the order how many bytes. */
static void test_pages(void **state)
{
	static const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0x1010};
	struct fixture *f = *state;
	struct kmem_event ev = {.kind = KMEM_PAGE_ALLOC, .order = 3};

	f->sample.callchain = (const uint8_t *)chain;
	f->sample.nr_callchain = 2;
	assert_int_equal(event_completer_fill(&f->completer, &f->sample,
					      &(struct event_names){.cache = f->cache}, &ev),
			 0);
	assert_int_equal(ev.bytes_req, 8 * 4096);
	assert_int_equal(ev.call_site, 0); /* not wanted by anyone */
	event_completer_want(&f->completer, KEY_CALLSITE);
	assert_int_equal(event_completer_fill(&f->completer, &f->sample,
					      &(struct event_names){.cache = f->cache}, &ev),
			 0);
	assert_int_equal(ev.call_site, 0x1010);
}

/* Stacks of events that a filter excludes are not unwound. */
static void test_user_callchains_after_the_filter(void **state)
{
	static const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_USER, 0x400123};
	const struct event_names names = {0};
	struct fixture *f = *state;
	struct event_completer *m = &f->completer;

	assert_int_equal(user_stacks_new(&m->user, &f->recording, NULL, NULL), 0);
	f->sample.callchain = (const uint8_t *)chain;
	f->sample.nr_callchain = 2;
	event_completer_want(m, KEY_USYM);
	m->user_later = true;
	assert_int_equal(event_completer_fill(m, &f->sample, &names, &f->ev), 0);
	assert_int_equal(m->user->known.nr, 0);
	assert_int_equal(event_completer_fill_user(m, &f->sample, &f->ev), 0);
	assert_int_equal(m->user->known.nr, 1);
	assert_string_equal(intern_get(&f->names.strings, f->ev.usym, NULL), "0x400123 [unknown]");
	user_stacks_free(m->user);
}

static void test_ids_are_signed(void **state)
{
	struct fixture *f = *state;

	f->ev.pid = UINT32_MAX;
	f->ev.tid = 12;
	assert_int_equal((int64_t)value(f, KEY_PID), -1);
	assert_int_equal(value(f, KEY_TID), 12);
}

static void test_a_module_is_of_the_call_site(void **state)
{
	struct fixture *f = *state;

	f->ev.call_site = 0x1010;
	assert_string_equal(text(f, KEY_MODULE), "kernel");
	f->ev.call_site = 0x2010;
	assert_string_equal(text(f, KEY_MODULE), "ext4");
	f->ev.call_site = 0x10;
	assert_string_equal(text(f, KEY_MODULE), "unknown");
	f->ev.call_site = 0;
	assert_string_equal(text(f, KEY_MODULE), "unknown");
}

static void test_a_stack_without_a_chain_is_the_call_site(void **state)
{
	struct fixture *f = *state;
	const uint64_t *frames;
	size_t len;

	f->ev.call_site = 0x1010;
	frames = intern_get(&f->names.stacks, (uint32_t)value(f, KEY_STACK), &len);
	assert_int_equal(len, sizeof(*frames));
	assert_int_equal(frames[0], 0x1010);
	f->ev.call_site = 0;
	intern_get(&f->names.stacks, (uint32_t)value(f, KEY_STACK), &len);
	assert_int_equal(len, 0);
}

/* Then another string may have their number. */
static void test_stacks_are_forgotten(void **state)
{
	static const uint64_t chain[] = {(uint64_t)-128 /* PERF_CONTEXT_KERNEL */, 0x1008};
	struct fixture *f = *state;

	for (int chained = 0; chained < 2; chained++) {
		f->ev.call_site = 0x1008;
		f->sample.callchain = (const uint8_t *)chain;
		f->sample.nr_callchain = chained ? 2 : 0;
		assert_int_equal(value(f, KEY_STACK), 0);
		assert_int_equal(value(f, KEY_STACK), 0);
		intern_deinit(&f->names.stacks);
		intern_init(&f->names.stacks);
		intern_add_str(&f->names.stacks, "another");
		event_completer_forget_stacks(&f->completer);
		assert_int_equal(value(f, KEY_STACK), 1);
		intern_deinit(&f->names.stacks);
		intern_init(&f->names.stacks);
		event_completer_forget_stacks(&f->completer);
	}
}

static void test_a_cgroup_has_its_path_or_its_number(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(cgroups_set_path(&f->completer.cgroups, 7, "/a.slice"), 0);
	f->sample.cgroup = 7;
	assert_string_equal(text(f, KEY_CGROUP), "/a.slice");
	f->sample.cgroup = 8;
	assert_string_equal(text(f, KEY_CGROUP), "8");
	f->sample.cgroup = 0;
	assert_string_equal(text(f, KEY_CGROUP), "unknown");
}

static void test_only_wanted_names_are_made(void **state)
{
	struct fixture *f = *state;

	f->ev.call_site = 0x1010;
	value(f, KEY_PTR);
	assert_int_equal(f->names.strings.nr, 0);
	assert_int_equal(f->names.stacks.nr, 0);
	f->ev.tid = 9;
	assert_string_equal(text(f, KEY_COMM), ":9");
	assert_int_equal(f->names.strings.nr, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_call_site_may_have_several_caches, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_kmalloc_cache_is_chosen_by_flags, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_an_area_has_its_purpose_beside_caches, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_accounted_by_the_field_or_the_flag, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_cache_has_its_name_or_its_size, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_sizes_go_up_to_a_power_of_two, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_the_node_is_asked_for_or_the_cpus, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_cross_node, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_user_callchains_after_the_filter, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_ids_are_signed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_module_is_of_the_call_site, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_stack_without_a_chain_is_the_call_site,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_stacks_are_forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_cgroup_has_its_path_or_its_number, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_only_wanted_names_are_made, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
