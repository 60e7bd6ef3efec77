// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/kmalloc_cache.h"

#define DMA	    1u
#define RECLAIMABLE 0x10u
#define ACCOUNT	    0x400000u
#define KERNEL	    0xcc0u

static const struct gfp_masks masks = {.account = ACCOUNT, .dma = DMA, .reclaimable = RECLAIMABLE};

static const char *name(const char *release, const char *caches, uint32_t gfp, uint64_t bytes)
{
	static char buf[KMALLOC_NAME_BUF];
	struct source_facts r = {.osrelease = (char *)release, .kmalloc_caches = (char *)caches};
	struct kmem_event ev = {.kind = KMEM_SLAB_ALLOC,
				.is_kmalloc = true,
				.gfp_flags = gfp,
				.bytes_alloc = bytes};
	struct kmalloc_caches k;

	kmalloc_caches_init(&k, &r, &masks, 4096);
	return kmalloc_caches_name(&k, kmalloc_caches_family(&k, &ev), bytes, buf, sizeof(buf));
}

/* The order of kmalloc_type(): DMA, then reclaimable, then accounted. */
static void test_the_flags_choose_the_family(void **state)
{
	static const char all[] = "kmalloc dma-kmalloc kmalloc-rcl kmalloc-cg";

	(void)state;
	assert_string_equal(name("6.18.0", all, KERNEL, 96), "kmalloc-96");
	assert_string_equal(name("6.18.0", all, KERNEL | ACCOUNT, 1024), "kmalloc-cg-1k");
	assert_string_equal(name("6.18.0", all, KERNEL | RECLAIMABLE, 8), "kmalloc-rcl-8");
	assert_string_equal(name("6.18.0", all, KERNEL | DMA, 8192), "dma-kmalloc-8k");
	assert_string_equal(name("6.18.0", all, ACCOUNT | RECLAIMABLE, 64), "kmalloc-rcl-64");
	assert_string_equal(name("6.18.0", all, ACCOUNT | RECLAIMABLE | DMA, 64), "dma-kmalloc-64");
}

/* Without CONFIG_ZONE_DMA, or CONFIG_MEMCG, or with cgroup.memory=nokmem. */
static void test_families_that_do_not_exist(void **state)
{
	(void)state;
	assert_string_equal(name("6.18.0", "kmalloc kmalloc-rcl", DMA | ACCOUNT, 64), "kmalloc-64");
	assert_string_equal(name("6.18.0", "kmalloc kmalloc-rcl", DMA | RECLAIMABLE, 64),
			    "kmalloc-rcl-64");
	assert_string_equal(name("6.18.0", "kmalloc kmalloc-cg", RECLAIMABLE | ACCOUNT, 64),
			    "kmalloc-cg-64");
	assert_string_equal(name("6.18.0", "", ACCOUNT, 64), "kmalloc-64");
}

static void test_else_those_of_the_kernels_version(void **state)
{
	(void)state;
	assert_string_equal(name("5.14.1", NULL, ACCOUNT, 64), "kmalloc-cg-64");
	assert_string_equal(name("5.13.19", NULL, ACCOUNT, 64), "kmalloc-64");
	assert_string_equal(name("5.13.19", NULL, RECLAIMABLE, 2048), "kmalloc-rcl-2k");
	assert_string_equal(name("4.20.0", NULL, RECLAIMABLE, 2048), "kmalloc-rcl-2k");
	assert_string_equal(name("4.19.0", NULL, RECLAIMABLE, 2048), "kmalloc-2048");
	assert_string_equal(name("3.10.0", NULL, DMA, 2048), "dma-kmalloc-2048");
	assert_string_equal(name(NULL, NULL, ACCOUNT, 64), "kmalloc-cg-64");
}

/* It comes from no cache, whatever the flags. */
static void test_what_is_larger_than_two_pages(void **state)
{
	(void)state;
	assert_string_equal(name("6.18.0", NULL, ACCOUNT, 8192), "kmalloc-cg-8k");
	assert_string_equal(name("6.18.0", NULL, ACCOUNT, 16384), "kmalloc-16k");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_flags_choose_the_family),
		cmocka_unit_test(test_families_that_do_not_exist),
		cmocka_unit_test(test_else_those_of_the_kernels_version),
		cmocka_unit_test(test_what_is_larger_than_two_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
