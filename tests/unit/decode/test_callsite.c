// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/decode/callsite.h"
#include "util/perfdata/format.h"

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)

/* Addresses of functions in this kernel. */
#define ALLOC_PAGES 0x1010u
#define TRACEITER   0x2010u
#define FOLIO	    0x3010u
#define PTE_ALLOC   0x4010u
#define HANDLE_MM   0x5010u
#define ALLOC_SLAB  0x6010u
#define SLAB_ALLOC  0x7010u
#define KMEM_ALLOC  0x8010u
#define JUNK	    0x900000u
#define UNLOADED    0xffffffffc0400123ull /* in the module space of x86_64, in no symbol */

struct fixture {
	struct symbols symbols;
	struct callsite_finder finder;
};

static int setup(void **state)
{
	static const char kallsyms[] = "1000 T __alloc_pages_noprof\n"
				       "2000 t __traceiter_mm_page_alloc\n"
				       "3000 t folio_alloc_mpol.isra.0\n"
				       "4000 T pte_alloc_one\n"
				       "5000 T handle_mm_fault\n"
				       "6000 t allocate_slab.isra.0\n"
				       "7000 t ___slab_alloc\n"
				       "8000 T kmem_cache_alloc\n"
				       "9000 T end\n";
	struct fixture *f = calloc(1, sizeof(*f));
	uint64_t moved_by;

	symbol_table_init(&f->symbols.tables[0], strdup(kallsyms), sizeof(kallsyms) - 1, "", 0,
			  &moved_by);
	f->symbols.nr_tables = 1;
	f->symbols.modules.v[0] = (struct module_range){0xffffffffa0000000, 0xffffffffff000000};
	assert_int_equal(callsite_finder_init(&f->finder, &f->symbols, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	callsite_finder_deinit(&f->finder);
	symbols_deinit(&f->symbols);
	free(f);
	return 0;
}

static uint64_t find(struct fixture *f, const uint64_t *chain, size_t nr)
{
	struct sample sample = {.callchain = (const uint8_t *)chain, .nr_callchain = nr};

	return callsite_find(&f->finder, &sample);
}

#define FIND(f, ...)                                                                               \
	find(f, (const uint64_t[]){__VA_ARGS__},                                                   \
	     sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void test_plumbing_is_skipped(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(FIND(f, KERNEL, TRACEITER, ALLOC_PAGES, FOLIO, PTE_ALLOC, HANDLE_MM),
			 PTE_ALLOC);
	assert_int_equal(FIND(f, KERNEL, HANDLE_MM, ALLOC_PAGES), HANDLE_MM);
	assert_int_equal(FIND(f, KERNEL, ALLOC_PAGES), CALLSITE_UNKNOWN);
	assert_int_equal(find(f, NULL, 0), CALLSITE_UNKNOWN);
}

static void test_slab_pages_have_one_call_site(void **state)
{
	static const uint64_t chain[] = {KERNEL,     ALLOC_PAGES, ALLOC_SLAB,
					 SLAB_ALLOC, KMEM_ALLOC,  HANDLE_MM};
	struct fixture *f = *state;
	struct sample sample = {.callchain = (const uint8_t *)chain, .nr_callchain = 6};
	uint64_t frames[8];

	assert_int_equal(callsite_find(&f->finder, &sample), CALLSITE_SLAB_PAGES);
	/* nobody further up is accused */
	assert_int_equal(callsite_stack(&f->finder, &sample, CALLSITE_SLAB_PAGES, frames, 8), 0);
	/* inlined into its caller */
	assert_int_equal(FIND(f, KERNEL, ALLOC_PAGES, SLAB_ALLOC, KMEM_ALLOC), CALLSITE_SLAB_PAGES);
	/* a frame of that address is not one of them */
	assert_int_equal(FIND(f, KERNEL, ALLOC_PAGES, CALLSITE_SLAB_PAGES, HANDLE_MM), HANDLE_MM);
}

static void test_slab_functions_may_be_skipped(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(callsite_finder_skip(&f->finder, "slab|kmem_cache_alloc", NULL), 0);
	assert_int_equal(
		FIND(f, KERNEL, ALLOC_PAGES, ALLOC_SLAB, SLAB_ALLOC, KMEM_ALLOC, HANDLE_MM),
		HANDLE_MM);
}

static void test_one_skipped_makes_the_others_call_sites(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(callsite_finder_skip(&f->finder, "allocate_slab", NULL), 0);
	assert_int_equal(FIND(f, KERNEL, ALLOC_PAGES, ALLOC_SLAB, SLAB_ALLOC, KMEM_ALLOC),
			 SLAB_ALLOC);
}

static void test_plumbing_by_name(void **state)
{
	struct fixture *f = *state;
	static const char *const plumbing[] = {
		"alloc_pages",
		"__alloc_pages",
		"___alloc_pages_noprof",
		"alloc_page",
		"get_free_pages",
		"__get_free_pages",
		"get_zeroed_page",
		"__alloc_pages_nodemask",
		"alloc_frozen_pages_noprof",
		"folio_alloc",
		"__folio_alloc_noprof",
		"vma_alloc_folio_noprof",
		"alloc_pages_mpol.constprop.0",
		"__alloc_pages.cold",
		"alloc_pages.llvm.123",
		"__traceiter_mm_page_alloc",
		"perf_trace_mm_page_alloc",
		"trace_event_raw_event_mm_page_alloc",
		"perf_tp_event",
	};
	static const char *const sites[] = {
		"pte_alloc_one", "allocate_slab", "my_alloc_pages", "____alloc_pages",
		"folio_add",	 ".alloc_pages",  "alloc_inode",
	};

	for (size_t i = 0; i < sizeof(plumbing) / sizeof(plumbing[0]); i++)
		if (!callsite_is_plumbing(&f->finder, plumbing[i]))
			fail_msg("%s is plumbing", plumbing[i]);
	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++)
		if (callsite_is_plumbing(&f->finder, sites[i]))
			fail_msg("%s is a call site", sites[i]);
}

/* Functions between an event of waiting for memory and the request. */
static void test_waiting(void **state)
{
	struct fixture *f = *state;
	static const char *const waiting[] = {
		"try_to_free_pages",
		"__alloc_pages_slowpath.constprop.0",
		"try_to_free_mem_cgroup_pages",
		"try_charge_memcg",
		"charge_memcg",
		"__mem_cgroup_charge",
		"obj_cgroup_charge_pages",
		"__memcg_slab_post_alloc_hook",
		"__node_reclaim",
		"compact_zone_order",
		"try_to_compact_pages",
		"mem_cgroup_out_of_memory",
		"oom_kill_process",
		"new_slab",
		"___slab_alloc",
		"kmem_cache_alloc_lru_noprof",
		"__kmalloc_node_track_caller_noprof",
	};
	static const char *const sites[] = {
		"do_anonymous_page", "alloc_buddy_hugetlb_folio.isra.0", "alloc_inode",
		"kmalloc_reserve",   "mem_cgroup_handle_over_high",	 "compact_node",
	};

	assert_false(callsite_is_plumbing(&f->finder, waiting[0]));
	assert_int_equal(callsite_finder_skip_waiting(&f->finder, NULL), 0);
	for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++)
		if (!callsite_is_plumbing(&f->finder, waiting[i]))
			fail_msg("%s waits", waiting[i]);
	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++)
		if (callsite_is_plumbing(&f->finder, sites[i]))
			fail_msg("%s is a call site", sites[i]);
}

static void test_only_kernel_frames_count(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(FIND(f, USER, PTE_ALLOC, KERNEL, ALLOC_PAGES, HANDLE_MM), HANDLE_MM);
	assert_int_equal(FIND(f, KERNEL, ALLOC_PAGES, USER, PTE_ALLOC), CALLSITE_UNKNOWN);
	assert_int_equal(FIND(f, PTE_ALLOC), CALLSITE_UNKNOWN);
}

/* Frames of user space follow most chains of the kernel. Chains in our byte order take a shorter
 * way: it must find the same as the general one, in all chains of some entries. */
static void test_any_chain_has_the_same_call_site_in_both_byte_orders(void **state)
{
	static const uint64_t entries[] = {KERNEL,	 USER,	      (uint64_t)PERF_CONTEXT_HV,
					   (uint64_t)-5, ALLOC_PAGES, PTE_ALLOC,
					   JUNK};
	const size_t nr_entries = sizeof(entries) / sizeof(entries[0]);
	struct fixture *f = *state;
	uint64_t chain[5], swapped[5];

	for (size_t code = 0; code < nr_entries * nr_entries * nr_entries * nr_entries; code++) {
		size_t rest = code;

		chain[0] = KERNEL;
		for (size_t i = 1; i < 5; i++, rest /= nr_entries)
			chain[i] = entries[rest % nr_entries];
		for (size_t i = 0; i < 5; i++)
			swapped[i] = __builtin_bswap64(chain[i]);
		for (size_t nr = 0; nr <= 5; nr++) {
			const struct sample other = {.callchain = (const uint8_t *)swapped,
						     .nr_callchain = nr,
						     .swap = true};

			assert_int_equal(find(f, chain, nr), callsite_find(&f->finder, &other));
		}
	}
	assert_int_equal(FIND(f, KERNEL, ALLOC_PAGES, PTE_ALLOC, USER, JUNK), PTE_ALLOC);
	assert_int_equal(FIND(f, KERNEL, PTE_ALLOC, (uint64_t)-5), CALLSITE_UNKNOWN);
}

static void test_junk_is_skipped(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(FIND(f, KERNEL, ALLOC_PAGES, 0, JUNK, PTE_ALLOC), PTE_ALLOC);
	assert_int_equal(FIND(f, KERNEL, ALLOC_PAGES, JUNK), CALLSITE_UNKNOWN);
	/* without symbols it is not known what is junk */
	symbol_table_deinit(&f->symbols.tables[0]);
	f->symbols.nr_tables = 0;
	assert_int_equal(FIND(f, KERNEL, 0, JUNK + 1), JUNK + 1);
}

/* Pages of a module that is gone are not its caller's. */
static void test_nameless_frames_of_modules_count(void **state)
{
	struct fixture *f = *state;
	const uint64_t chain[] = {KERNEL, ALLOC_PAGES, JUNK, UNLOADED, HANDLE_MM};
	const struct sample sample = {.callchain = (const uint8_t *)chain, .nr_callchain = 5};
	uint64_t frames[5];

	assert_true(FIND(f, KERNEL, ALLOC_PAGES, UNLOADED, HANDLE_MM) == UNLOADED);
	assert_true(FIND(f, KERNEL, ALLOC_PAGES, JUNK, UNLOADED, HANDLE_MM) == UNLOADED);
	assert_int_equal(callsite_stack(&f->finder, &sample, UNLOADED, frames, 5), 2);
	assert_true(frames[0] == UNLOADED && frames[1] == HANDLE_MM);
}

static void test_bad_marker_breaks_the_chain(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(FIND(f, KERNEL, PTE_ALLOC, (uint64_t)-3), CALLSITE_UNKNOWN);
	/* as an address in user space it is junk */
	assert_int_equal(FIND(f, KERNEL, PTE_ALLOC, USER, (uint64_t)-3), PTE_ALLOC);
}

static void test_skip(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;

	assert_int_equal(callsite_finder_skip(&f->finder, "^pte_", &err), 0);
	assert_int_equal(FIND(f, KERNEL, ALLOC_PAGES, PTE_ALLOC, HANDLE_MM), HANDLE_MM);
	assert_int_equal(callsite_finder_skip(&f->finder, "(", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'('"));
	/* a bad one does not affect the others */
	assert_true(callsite_is_plumbing(&f->finder, "pte_free"));
}

static void test_byte_order(void **state)
{
	struct fixture *f = *state;
	const uint64_t chain[] = {__builtin_bswap64(KERNEL), __builtin_bswap64(PTE_ALLOC)};
	struct sample sample = {
		.callchain = (const uint8_t *)chain, .nr_callchain = 2, .swap = true};

	assert_int_equal(callsite_find(&f->finder, &sample), PTE_ALLOC);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_plumbing_is_skipped),
		TEST(test_slab_pages_have_one_call_site),
		TEST(test_slab_functions_may_be_skipped),
		TEST(test_one_skipped_makes_the_others_call_sites),
		TEST(test_plumbing_by_name),
		TEST(test_waiting),
		TEST(test_only_kernel_frames_count),
		TEST(test_any_chain_has_the_same_call_site_in_both_byte_orders),
		TEST(test_junk_is_skipped),
		TEST(test_nameless_frames_of_modules_count),
		TEST(test_bad_marker_breaks_the_chain),
		TEST(test_skip),
		TEST(test_byte_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
