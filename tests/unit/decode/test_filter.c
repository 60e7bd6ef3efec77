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

#include "util/decode/filter.h"

struct fixture {
	struct naming naming;
	struct event_completer completer;
	struct kmem_filter filter;
	struct kmem_event ev;
};

static int setup(void **state)
{
	static const char kallsyms[] = "1000 T alloc_pipe_info\n2000 T end\n";
	struct fixture *f = calloc(1, sizeof(*f));
	uint64_t moved_by;

	symbol_table_init(&f->naming.symbols.tables[0], strdup(kallsyms), sizeof(kallsyms) - 1, "",
			  0, &moved_by);
	f->naming.symbols.nr_tables = 1;
	key_names_init(&f->naming.names);
	event_completer_init(&f->completer, &f->naming.names, NULL, &f->naming.symbols, NULL);
	flag_names_add(&f->naming.gfp.names, 0xcc0, "GFP_KERNEL", strlen("GFP_KERNEL"));
	flag_names_add(&f->naming.gfp.names, 0x100, "__GFP_ZERO", strlen("__GFP_ZERO"));
	kmem_filter_init(&f->filter);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	kmem_filter_deinit(&f->filter);
	flag_names_deinit(&f->naming.gfp.names);
	event_completer_deinit(&f->completer);
	key_names_deinit(&f->naming.names);
	symbols_deinit(&f->naming.symbols);
	free(f);
	return 0;
}

static void add(struct fixture *f, const char *name, const char *text)
{
	assert_int_equal(kmem_filter_add(&f->filter, name, text, NULL), 0);
}

static bool matches(struct fixture *f)
{
	return kmem_filter_matches(&f->filter, &f->naming, &f->ev, NULL);
}

static void set(struct kmem_event *ev, enum kmem_key key, uint64_t v)
{
	*ev = (struct kmem_event){.kind = KMEM_PAGE_ALLOC};
	switch (key) {
	case KEY_CPU:
		ev->cpu = (int32_t)v;
		break;
	case KEY_PID:
		ev->pid = (uint32_t)v;
		break;
	case KEY_NODE:
		ev->node = (int32_t)v;
		break;
	case KEY_ORDER:
		ev->order = (uint32_t)v;
		break;
	case KEY_COMM:
		ev->comm = (uint32_t)v;
		break;
	case KEY_CACHE:
		ev->cache = (uint32_t)v;
		break;
	case KEY_MODULE:
		ev->module = (uint32_t)v;
		break;
	case KEY_CALLSITE:
		ev->call_site = v;
		break;
	case KEY_GFP:
		ev->gfp_flags = (uint32_t)v;
		break;
	case KEY_CGROUP:
		ev->cgroup = (uint32_t)v;
		break;
	default:
		fail();
	}
}

/* Does a filter by itself let this value of its key through? */
static bool one(struct fixture *f, const char *name, const char *text, enum kmem_key key,
		uint64_t v)
{
	bool ret;

	set(&f->ev, key, v);
	add(f, name, text);
	ret = matches(f);
	kmem_filter_deinit(&f->filter);
	return ret;
}

static uint64_t string(struct fixture *f, const char *s)
{
	return intern_add_str(&f->naming.names.strings, s);
}

static void test_no_condition_lets_all_through(void **state)
{
	assert_true(matches(*state));
}

static void test_numbers_are_lists_of_ranges(void **state)
{
	struct fixture *f = *state;

	assert_true(one(f, "cpu", "3", KEY_CPU, 3));
	assert_false(one(f, "cpu", "3", KEY_CPU, 30));
	assert_true(one(f, "cpu", "0-2,8", KEY_CPU, 2));
	assert_true(one(f, "cpu", "0-2,8", KEY_CPU, 8));
	assert_false(one(f, "cpu", "0-2,8", KEY_CPU, 3));
	assert_true(one(f, "pid", "4-", KEY_PID, 4000000));
	assert_true(one(f, "node", "-1", KEY_NODE, UINT64_MAX));
	assert_false(one(f, "node", "0-", KEY_NODE, UINT64_MAX));
	assert_true(one(f, "order", "9", KEY_ORDER, 9));
}

static void test_bad_ranges_are_refused(void **state)
{
	static const char *const bad[] = {
		"", ",", "1,,2", "3-1", "x", "1-x", "-2", "1-2-3", "18446744073709551616"};
	struct error err = ERROR_INIT;
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(kmem_filter_add(&f->filter, "cpu", bad[i], &err), -EINVAL);
	assert_int_equal(kmem_filter_add(&f->filter, "callsite", "(", &err), -EINVAL);
	assert_int_equal(kmem_filter_add(&f->filter, "min-bytes", "much", &err), -EINVAL);
	assert_int_equal(kmem_filter_add(&f->filter, "colour", "red", &err), -EINVAL);
	assert_int_equal(kmem_filter_add(&f->filter, "comm", "", &err), -EINVAL);
	assert_int_equal(kmem_filter_add(&f->filter, "cache", "!", &err), -EINVAL);
	assert_int_equal(kmem_filter_add(&f->filter, "module", ",", &err), -EINVAL);
	assert_int_equal(f->filter.nr, 0);
}

static void test_names_are_globs_and_themselves(void **state)
{
	struct fixture *f = *state;

	assert_true(one(f, "comm", "ba*,z", KEY_COMM, string(f, "bash")));
	assert_false(one(f, "comm", "ba*,z", KEY_COMM, string(f, "sh")));
	assert_true(one(f, "comm", "z,?h", KEY_COMM, string(f, "sh")));
	assert_true(one(f, "comm", "a,b", KEY_COMM, string(f, "a,b")));
	assert_true(one(f, "comm", "[x]*", KEY_COMM, string(f, "[x]*")));
	assert_true(
		one(f, "comm", "!?*", KEY_COMM, string(f, ""))); /* a command may have no name */
	assert_true(one(f, "cache", "kmalloc-*", KEY_CACHE, string(f, "kmalloc-1k")));
	assert_true(one(f, "module", "kernel", KEY_MODULE, string(f, "kernel")));
}

/* The kernel uses a single name for all objects of a merged cache. */
static void test_a_merged_cache_has_many_names(void **state)
{
	struct fixture *f = *state;
	uint64_t merged = string(f, "signal_cache");

	assert_int_equal(cache_aliases_init(&f->naming.cache_aliases, &f->naming.names.strings,
					    "UNIX/UNIX-STREAM/signal_cache\nfs_cache/odd\n"),
			 0);
	assert_true(one(f, "cache", "signal_cache", KEY_CACHE, merged));
	assert_true(one(f, "cache", "UNIX", KEY_CACHE, merged));
	assert_true(one(f, "cache", "odd,UNIX-S*", KEY_CACHE, merged));
	assert_false(one(f, "cache", "odd", KEY_CACHE, merged));
	assert_false(one(f, "cache", "!UNIX", KEY_CACHE, merged));
	assert_false(one(f, "cache", "UNIX", KEY_CACHE, string(f, "filp")));
	cache_aliases_deinit(&f->naming.cache_aliases);
}

static void test_call_sites_match_by_function(void **state)
{
	struct fixture *f = *state;

	assert_true(one(f, "callsite", "^alloc_pipe", KEY_CALLSITE, 0x1010));
	assert_false(one(f, "callsite", "^pipe", KEY_CALLSITE, 0x1010));
	assert_true(one(f, "callsite", "pipe|x", KEY_CALLSITE, 0x1010));
	assert_true(one(f, "callsite", "^0x10$", KEY_CALLSITE, 0x10));
	assert_true(one(f, "callsite", "^unknown$", KEY_CALLSITE, 0));
}

static void test_gfp_flags_match_as_the_kernel_prints_them(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture *f = *state;

	/* every GFP_KERNEL has the bits of GFP_NOFS, but is not printed like that */
	flag_names_add(&f->naming.gfp.names, 0xc40, "GFP_NOFS", strlen("GFP_NOFS"));
	assert_false(one(f, "gfp", "GFP_NOFS", KEY_GFP, 0xcc0));
	assert_true(one(f, "gfp", "GFP_NOFS", KEY_GFP, 0xd40));
	assert_true(one(f, "gfp", "!GFP_NOFS", KEY_GFP, 0xcc0));
	assert_false(one(f, "gfp", "!GFP_NOFS", KEY_GFP, 0xc40));
	assert_true(one(f, "gfp", "none", KEY_GFP, 0));
	assert_false(one(f, "gfp", "none", KEY_GFP, 0x100));
	assert_false(one(f, "gfp", "__GFP_ZERO", KEY_GFP, 0));
	add(f, "gfp", "none");
	add(f, "gfp", "!GFP_NOFS");
	assert_int_equal(kmem_filter_check(&f->filter, &f->naming.gfp, &err), 0);
}

static void test_gfp_masks_match_when_all_bits_are_there(void **state)
{
	struct error err = ERROR_INIT;
	struct fixture *f = *state;

	assert_true(one(f, "gfp", "GFP_KERNEL", KEY_GFP, 0xdc0));
	assert_false(one(f, "gfp", "GFP_KERNEL", KEY_GFP, 0x800));
	assert_true(one(f, "gfp", "__GFP_ZERO", KEY_GFP, 0x100));
	assert_true(one(f, "gfp", "0x900", KEY_GFP, 0x900));
	assert_false(one(f, "gfp", "0x900", KEY_GFP, 0x100));
	add(f, "gfp", "GFP_KERNEL");
	assert_int_equal(kmem_filter_check(&f->filter, &f->naming.gfp, &err), 0);
	add(f, "gfp", "GFP_NOSUCH");
	assert_int_equal(kmem_filter_check(&f->filter, &f->naming.gfp, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "GFP_NOSUCH"));
}

static void test_an_exclamation_mark_keeps_out(void **state)
{
	struct fixture *f = *state;

	assert_false(one(f, "comm", "!ba*,z", KEY_COMM, string(f, "bash")));
	assert_false(one(f, "comm", "!ba*,z", KEY_COMM, string(f, "z")));
	assert_true(one(f, "comm", "!ba*,z", KEY_COMM, string(f, "sh")));
	assert_true(one(f, "comm", "\\!x", KEY_COMM, string(f, "!x")));
	assert_false(one(f, "cpu", "!0-2,8", KEY_CPU, 8));
	assert_true(one(f, "cpu", "!0-2,8", KEY_CPU, 3));
	assert_true(one(f, "callsite", "!^pipe", KEY_CALLSITE, 0x1010));
	assert_int_equal(kmem_filter_add(&f->filter, "cpu", "!x", NULL), -EINVAL);
	/* combined: what matches one of those, and none of these */
	add(f, "cpu", "0-7");
	add(f, "cpu", "!3");
	add(f, "cpu", "!5");
	for (int cpu = 0; cpu < 9; cpu++) {
		set(&f->ev, KEY_CPU, (uint64_t)cpu);
		assert_int_equal(matches(f), cpu < 8 && cpu != 3 && cpu != 5);
	}
}

static void test_what_let_nothing_through_is_told(void **state)
{
	static const char *const caches[] = {"dentry", "kmalloc-64", "kmalloc-96",
					     "filp",   "pid",	     "vm_area_struct"};
	struct strbuf sb = STRBUF_INIT;
	struct filter_tally tally;
	struct fixture *f = *state;

	add(f, "cpu", "1");
	add(f, "cache", "kmaloc-64");
	assert_int_equal(filter_tally_init(&tally, f->filter.nr), 0);
	assert_false(kmem_filter_explain(&f->filter, &tally, &f->naming, "allocation", &sb));
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		set(&f->ev, KEY_CACHE, string(f, caches[i]));
		f->ev.cpu = i != 5;
		kmem_filter_matches(&f->filter, &f->naming, &f->ev, &tally);
	}
	assert_true(kmem_filter_explain(&f->filter, &tally, &f->naming, "allocation", &sb));
	assert_string_equal(sb.buf, "no allocation of --cpu 1 matches --cache kmaloc-64 (there "
				    "are: kmalloc-64, kmalloc-96, filp, dentry, pid)");
	strbuf_reset(&sb);
	set(&f->ev, KEY_CACHE, string(f, "kmaloc-64"));
	f->ev.cpu = 1;
	assert_true(kmem_filter_matches(&f->filter, &f->naming, &f->ev, &tally));
	assert_false(kmem_filter_explain(&f->filter, &tally, &f->naming, "allocation", &sb));
	filter_tally_deinit(&tally);
	strbuf_deinit(&sb);
}

static void test_kinds_are_joined_by_and_and_values_by_or(void **state)
{
	struct fixture *f = *state;

	add(f, "cpu", "1");
	add(f, "min-bytes", "4K");
	add(f, "cpu", "2");
	f->ev.kind = KMEM_SLAB_ALLOC;
	f->ev.cpu = 2;
	f->ev.bytes_req = 4096;
	assert_true(matches(f));
	f->ev.bytes_req = 4095;
	assert_false(matches(f));
	f->ev.bytes_req = 4096;
	f->ev.cpu = 3;
	assert_false(matches(f));
}

/* Events that have no size in bytes are of a block of pages. */
static void test_bytes_of_a_block(void **state)
{
	struct fixture *f = *state;

	f->naming.page_size = 4096;
	add(f, "min-bytes", "8K");
	f->ev = (struct kmem_event){.kind = KMEM_PAGE_EXTFRAG, .order = 1};
	assert_true(matches(f));
	f->ev = (struct kmem_event){.kind = KMEM_PAGE_EXTFRAG, .fallback_order = 9};
	assert_false(matches(f));
}

static void test_a_cgroup_is_a_path_with_or_without_its_first_slash(void **state)
{
	struct fixture *f = *state;
	uint64_t ssh = string(f, "/system.slice/ssh.service"), root = string(f, "/");

	assert_true(one(f, "cgroup", "/system.slice/ssh.service", KEY_CGROUP, ssh));
	assert_true(one(f, "cgroup", "system.slice/ssh.service", KEY_CGROUP, ssh));
	assert_true(one(f, "cgroup", "system.slice/*", KEY_CGROUP, ssh));
	assert_true(one(f, "cgroup", "*/ssh.service", KEY_CGROUP, ssh));
	assert_false(one(f, "cgroup", "system.slice", KEY_CGROUP, ssh));
	assert_false(one(f, "cgroup", "ssh.service", KEY_CGROUP, ssh));
	assert_true(one(f, "cgroup", "!system.slice", KEY_CGROUP, ssh));
	assert_true(one(f, "cgroup", "/", KEY_CGROUP, root));
	assert_false(one(f, "cgroup", "/", KEY_CGROUP, ssh));
	assert_false(one(f, "cgroup", "?", KEY_CGROUP, ssh));
	assert_true(one(f, "cgroup", "4711", KEY_CGROUP, string(f, "4711")));
}

static void test_filters_say_what_they_want(void **state)
{
	struct fixture *f = *state;

	add(f, "comm", "x");
	add(f, "min-bytes", "1");
	kmem_filter_want(&f->filter, &f->completer);
	assert_true(event_completer_wants(&f->completer, KEY_COMM));
	assert_false(event_completer_wants(&f->completer, KEY_CACHE));
	assert_int_equal(kmem_filter_allocators("order"), ALLOCATOR_PAGE);
	assert_int_equal(kmem_filter_allocators("cache"), ALLOCATOR_SLAB);
	assert_int_equal(kmem_filter_allocators("min-bytes"), ALLOCATOR_ALL);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_no_condition_lets_all_through),
		TEST(test_numbers_are_lists_of_ranges),
		TEST(test_bad_ranges_are_refused),
		TEST(test_names_are_globs_and_themselves),
		TEST(test_a_merged_cache_has_many_names),
		TEST(test_call_sites_match_by_function),
		TEST(test_gfp_flags_match_as_the_kernel_prints_them),
		TEST(test_gfp_masks_match_when_all_bits_are_there),
		TEST(test_an_exclamation_mark_keeps_out),
		TEST(test_what_let_nothing_through_is_told),
		TEST(test_kinds_are_joined_by_and_and_values_by_or),
		TEST(test_bytes_of_a_block),
		TEST(test_a_cgroup_is_a_path_with_or_without_its_first_slash),
		TEST(test_filters_say_what_they_want),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
