// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/bpf/caches.h"

struct reads {
	int nr;
	const char *name;
};

static bool read_name(void *ctx, uint64_t address, struct bpf_cache *ret_cache)
{
	struct reads *r = ctx;

	r->nr++;
	if (!r->name)
		return false;
	*ret_cache = (struct bpf_cache){r->name, (uint32_t)address, (uint32_t)address + 8, true};
	return true;
}

static void test_reads_each_address_once(void **state)
{
	struct reads reads = {.name = "dentry"};
	struct bpf_caches caches;
	const struct bpf_cache *first;

	(void)state;
	bpf_caches_init(&caches);
	first = bpf_caches_find(&caches, 192, read_name, &reads);
	assert_non_null(first);
	for (uint64_t a = 1000; a < 2000; a++)
		assert_non_null(bpf_caches_find(&caches, a, read_name, &reads));
	assert_ptr_equal(bpf_caches_find(&caches, 192, read_name, &reads), first);
	assert_int_equal(reads.nr, 1001);
	assert_string_equal(first->name, "dentry");
	assert_int_equal(first->object_size, 192);
	assert_int_equal(first->size, 200);
	assert_true(first->accounted);
	bpf_caches_deinit(&caches);
}

static void test_remembers_failure(void **state)
{
	struct reads reads = {0};
	struct bpf_caches caches;

	(void)state;
	bpf_caches_init(&caches);
	assert_null(bpf_caches_find(&caches, 1, read_name, &reads));
	assert_null(bpf_caches_find(&caches, 1, read_name, &reads));
	assert_int_equal(reads.nr, 1);
	assert_null(bpf_caches_find(&caches, 0, read_name, &reads));
	assert_int_equal(reads.nr, 1);
	bpf_caches_deinit(&caches);
}

static void test_garbage_is_no_name(void **state)
{
	const char *const garbage[] = {
		"", "a\x80", "a\n",
		"0123456789012345678901234567890123456789012345678901234567890123"};
	struct bpf_caches caches;

	(void)state;
	bpf_caches_init(&caches);
	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		struct reads reads = {.name = garbage[i]};

		assert_null(bpf_caches_find(&caches, i + 1, read_name, &reads));
		assert_int_equal(reads.nr, 1);
	}
	bpf_caches_deinit(&caches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_each_address_once),
		cmocka_unit_test(test_remembers_failure),
		cmocka_unit_test(test_garbage_is_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
