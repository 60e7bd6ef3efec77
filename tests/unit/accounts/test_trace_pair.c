// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/functions.h"

#define KMALLOC	 0x1010u /* inside __kmalloc_noprof() */
#define KVMALLOC 0x2010u /* inside __kvmalloc_node_noprof() */
#define NEW_NAME 0x3010u /* inside a function that the kernel does not have yet */
#define SITE	 0x4010u
#define OTHER	 0x5010u

struct fixture {
	struct trace_pairs pairs;
	struct first_trace first;
	struct kmem_event second;
};

static int setup(void **state)
{
	static const char *const functions[] = {"__kmalloc_noprof",
						"__kvmalloc_node_noprof",
						"__bucket_get",
						"caller",
						"other",
						NULL};
	struct fixture *f = calloc(1, sizeof(*f));

	trace_pairs_init(&f->pairs, (struct function_lookup){find_function, functions}, 4096);
	f->first = (struct first_trace){.time_ns = 5000000,
					.bytes_req = 10000,
					.bytes_alloc = 16384,
					.call_site = KVMALLOC,
					.tid = 7};
	f->second = (struct kmem_event){.kind = KMEM_SLAB_ALLOC,
					.time_ns = 5001000,
					.bytes_req = 10000,
					.bytes_alloc = 16384,
					.call_site = SITE,
					.tid = 7,
					.is_kmalloc = true};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	trace_pairs_deinit(&f->pairs);
	free(f);
	return 0;
}

static int match(struct fixture *f, uint64_t first, uint64_t second)
{
	f->first.call_site = first;
	f->second.call_site = second;
	return trace_pairs_match(&f->pairs, &f->first, &f->second);
}

static void test_only_what_no_kmalloc_cache_holds(void **state)
{
	struct fixture *f = *state;

	assert_true(trace_pairs_possible(&f->pairs, &f->second));
	f->second.bytes_alloc = 8192;
	assert_false(trace_pairs_possible(&f->pairs, &f->second));
	f->second.bytes_alloc = 16384;
	f->second.is_kmalloc = false; /* from a cache of its own, which may have large objects */
	assert_false(trace_pairs_possible(&f->pairs, &f->second));
	/* pages of 64 KiB */
	f->second.is_kmalloc = true;
	f->second.bytes_alloc = 131072;
	trace_pairs_deinit(&f->pairs);
	trace_pairs_init(&f->pairs, (struct function_lookup){.find = NULL}, 65536);
	assert_false(trace_pairs_possible(&f->pairs, &f->second));
	f->second.bytes_alloc = 262144;
	assert_true(trace_pairs_possible(&f->pairs, &f->second));
}

static void test_whatever_the_function_is_called(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(match(f, KVMALLOC, SITE), 1);
	assert_int_equal(match(f, KMALLOC, OTHER), 1);
	assert_int_equal(match(f, NEW_NAME, SITE), 1);
	assert_int_equal(match(f, 0x7010, SITE), 1); /* without a name */
	f->second.time_ns = f->first.time_ns + 100000;
	assert_int_equal(match(f, KVMALLOC, SITE), 1);
	f->second.time_ns = f->first.time_ns;
	assert_int_equal(match(f, KVMALLOC, SITE), 1);
}

static void test_one_thing_is_other(void **state)
{
	struct fixture *f = *state;
	struct kmem_event second = f->second;

	f->second.time_ns = f->first.time_ns + 100001;
	assert_int_equal(match(f, KVMALLOC, SITE), 0);
	f->second = second;
	f->second.bytes_req++;
	assert_int_equal(match(f, KVMALLOC, SITE), 0);
	f->second = second;
	f->second.bytes_alloc *= 2;
	assert_int_equal(match(f, KVMALLOC, SITE), 0);
	f->second = second;
	f->second.tid++;
	assert_int_equal(match(f, KVMALLOC, SITE), 0);
	f->second = second;
	assert_int_equal(match(f, KVMALLOC, SITE), 1);
}

/* A function that allocates, and again after a free that was not seen. */
static void test_one_call_site_or_function_is_no_pair(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(match(f, SITE, SITE), 0);
	assert_int_equal(match(f, OTHER, OTHER + 0x20), 0);
	assert_int_equal(match(f, KMALLOC, KMALLOC + 0x20), 0);
}

/* The trace inside the allocator comes first: after the caller's trace, it begins another
 * allocation. */
static void test_the_second_is_outside(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(match(f, SITE, KVMALLOC), 0); /* because of its name */
	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(match(f, NEW_NAME, OTHER), 1);
		assert_int_equal(match(f, OTHER, NEW_NAME), 0); /* learned from the pairs */
	}
}

static void test_single_traces_are_from_outside(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(trace_pairs_note_single(&f->pairs, OTHER), 0);
	assert_int_equal(match(f, OTHER, SITE), 0);
	/* even if a name is misleading */
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(trace_pairs_note_single(&f->pairs, KMALLOC), 0);
	assert_int_equal(match(f, KMALLOC, SITE), 0);
}

/* Half of a pair may be lost now and then. */
static void test_lost_traces_change_nothing(void **state)
{
	struct fixture *f = *state;

	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(match(f, NEW_NAME, SITE), 1);
		assert_int_equal(match(f, NEW_NAME, SITE), 1);
		if (i % 2)
			assert_int_equal(trace_pairs_note_single(&f->pairs, NEW_NAME), 0);
	}
}

/* A wrong guess about a call site is forgotten. */
static void test_single_traces_correct_a_guess(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(match(f, OTHER, SITE), 1);
	assert_int_equal(trace_pairs_note_single(&f->pairs, OTHER), 0);
	assert_int_equal(trace_pairs_note_single(&f->pairs, OTHER), 0);
	assert_int_equal(match(f, OTHER, SITE), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_only_what_no_kmalloc_cache_holds),
		TEST(test_whatever_the_function_is_called),
		TEST(test_one_thing_is_other),
		TEST(test_one_call_site_or_function_is_no_pair),
		TEST(test_the_second_is_outside),
		TEST(test_single_traces_are_from_outside),
		TEST(test_lost_traces_change_nothing),
		TEST(test_single_traces_correct_a_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
