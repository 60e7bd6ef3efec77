// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/tracepoint/gfp_masks.h"

static void test_the_recordings_names_count(void **state)
{
	struct flag_names names = {0};
	struct gfp_masks m;

	(void)state;
	assert_int_equal(flag_names_add(&names, 0x10, "__GFP_ACCOUNT", 13), 0);
	assert_int_equal(flag_names_add(&names, 0x4000, "__GFP_DMA", 9), 0);
	gfp_masks_init(&m, &names, gfp_era_of("6.1.0"));
	assert_int_equal(m.account, 0x10);
	assert_int_equal(m.dma, 0x4000);
	assert_int_equal(m.reclaimable, 0x10); /* not named: as in 6.1 */
	flag_names_deinit(&names);
}

static void test_else_those_of_the_kernels_version(void **state)
{
	const struct flag_names none = {0};
	struct gfp_masks m;

	(void)state;
	gfp_masks_init(&m, &none, gfp_era_of("6.1.0"));
	assert_int_equal(m.account, 0x400000);
	assert_int_equal(m.dma, 1);
	assert_int_equal(m.reclaimable, 0x10);
	gfp_masks_init(&m, &none, gfp_era_of("4.9.56"));
	assert_int_equal(m.account, 0x100000);
	gfp_masks_init(&m, &none, gfp_era_of("3.10.0"));
	assert_int_equal(m.account, 0);
	assert_int_equal(m.reclaimable, 0x80000);
}

/* As the kernel writes it with and without CONFIG_MEMCG. */
static void test_a_kernel_without_cgroups_accounts_nothing(void **state)
{
	static const char on[] =
		"REC->node, (1 && (REC->gfp_flags & ( unsigned long)(( gfp_t)0x400000u))) ? ";
	static const char off[] =
		"REC->node, (0 && (REC->gfp_flags & ( unsigned long)(( gfp_t)0x400000u))) ? ";

	(void)state;
	assert_false(gfp_nothing_is_accounted(on, sizeof(on) - 1));
	assert_true(gfp_nothing_is_accounted(off, sizeof(off) - 1));
	assert_false(gfp_nothing_is_accounted(off, 30));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_recordings_names_count),
		cmocka_unit_test(test_else_those_of_the_kernels_version),
		cmocka_unit_test(test_a_kernel_without_cgroups_accounts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
