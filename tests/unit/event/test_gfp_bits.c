// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/gfp.h"
#include "util/event/gfp_bits.h"

/* Masks as printed in the logs of kernels of those versions. */
static void test_masks_by_version(void **state)
{
	static const struct {
		const char *release;
		uint64_t mask;
		const char *text;
	} masks[] = {
		{"3.10.0-1160", 0x200da, "GFP_HIGHUSER_MOVABLE"},
		{"4.9.56", 0x240c0c0, "GFP_KERNEL|__GFP_COMP|__GFP_ZERO"},
		{"4.13.0", 0x14200ca, "GFP_HIGHUSER_MOVABLE"},
		{"4.15.0-108-generic", 0x15000c0, "GFP_KERNEL_ACCOUNT"},
		{"4.19.4", 0x6000c0, "GFP_KERNEL"},
		{"4.18.0-139.el8", 0x6200ca, "GFP_HIGHUSER_MOVABLE"},
		{"5.4.17", 0x100cca, "GFP_HIGHUSER_MOVABLE"},
		{"6.1.0", 0xa20, "GFP_ATOMIC"},
		{"6.1.0", 0x820, "GFP_NOWAIT|__GFP_HIGH"},
		{"6.1.0", 0x12810, "GFP_NOWAIT|__GFP_RECLAIMABLE|__GFP_NOWARN|__GFP_NORETRY"},
		{"6.1.0", 0xd00, "GFP_NOIO|__GFP_ZERO"},
		{"4.3.0", 0x10, "GFP_NOIO"},
		{"6.5.0", 0x800, "GFP_NOWAIT"},
		{"6.12.0", 0x820, "GFP_ATOMIC"},
		{"6.12.0", 0x2822, "GFP_ATOMIC|__GFP_HIGHMEM|__GFP_NOWARN"},
		{"6.12.0", 0x42800, "GFP_NOWAIT|__GFP_COMP"},
		{"6.12.0", 0x800, "__GFP_KSWAPD_RECLAIM"},
		{"6.12.0", 0xc00, "GFP_NOIO"},
		{"6.17.3-arch2-1", 0xcc0, "GFP_KERNEL"},
		{NULL, 0xdc0, "GFP_KERNEL|__GFP_ZERO"},
		{"odd", 0x40000000, "0x40000000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		struct gfp g = {.names = {0}};
		struct strbuf sb = STRBUF_INIT;

		assert_int_equal(gfp_era_names(gfp_era_of(masks[i].release), &g.names), 0);
		gfp_format(&sb, &g, masks[i].mask);
		assert_string_equal(sb.buf, masks[i].text);
		strbuf_deinit(&sb);
		flag_names_deinit(&g.names);
	}
}

static bool word(const void *era, const char *identifier, size_t len, uint64_t *ret)
{
	return gfp_era_bit(era, identifier, len, ret);
}

static bool bit(const char *release, const char *word, uint64_t *ret)
{
	return gfp_era_bit(gfp_era_of(release), word, strlen(word), ret);
}

static void test_identifiers(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_true(bit("6.12", "___GFP_DIRECT_RECLAIM_BIT", &v));
	assert_int_equal(v, 10);
	assert_false(bit("6.12", "___GFP_ATOMIC_BIT", &v));
	assert_false(bit("6.12", "___GFP__BIT", &v));
	assert_false(bit("6.12", "PAGE_SHIFT", &v));
}

/* A print fmt with enum names that the kernel does not export. */
static void test_print_fmt_with_identifiers(void **state)
{
	static const char text[] =
		"print fmt: \"%s\", __print_flags(REC->gfp_flags, \"|\", {(unsigned long)((1UL << "
		"(___GFP_IO_BIT))|(1UL << (___GFP_FS_BIT))), \"BOTH\"}, {(unsigned long)(1UL << "
		"(___GFP_WHAT_BIT)), \"WHAT\"}, {(unsigned long)(1UL << (___GFP_IO_BIT)), \"IO\"})";
	struct flag_names names;

	(void)state;
	assert_int_equal(flag_names_parse(&names, text, sizeof(text) - 1, "gfp_flags", word,
					  gfp_era_of("6.12")),
			 0);
	assert_int_equal(names.nr, 2);
	assert_int_equal(names.v[0].mask, 0xc0);
	assert_string_equal(names.v[1].name, "IO");
	flag_names_deinit(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_masks_by_version),
		cmocka_unit_test(test_identifiers),
		cmocka_unit_test(test_print_fmt_with_identifiers),
	};

	return cmocka_run_group_tests_name("gfp_bits", tests, NULL, NULL);
}
