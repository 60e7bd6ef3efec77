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

#include "util/event/gfp.h"

#define FLAGS(table) "__print_flags(REC->gfp_flags, \"|\", " table ")"

static struct gfp gfp;

static int setup(void **state)
{
	/* combined masks come before their bits, as in the kernel */
	static const struct {
		uint64_t mask;
		const char *name;
	} table[] = {
		{0xcc0, "GFP_KERNEL"}, {0x800, "__GFP_NOFAIL"}, {0xc0, "GFP_NOFS"},
		{0x100, "__GFP_ZERO"}, {0x40, "__GFP_IO"},	{0x80, "__GFP_FS"},
		{0x400, "__GFP_NEW"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (flag_names_add(&gfp.names, table[i].mask, table[i].name, strlen(table[i].name)))
			return -1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	flag_names_deinit(&gfp.names);
	return 0;
}

static void assert_formats(uint64_t mask, const char *full, const char *compact)
{
	struct strbuf sb = STRBUF_INIT;

	gfp_format(&sb, &gfp, mask);
	assert_string_equal(sb.buf, full);
	strbuf_reset(&sb);
	gfp_format_compact(&sb, &gfp, mask);
	assert_string_equal(sb.buf, compact);
	strbuf_deinit(&sb);
}

static void test_formats(void **state)
{
	(void)state;
	assert_formats(0, "none", "none");
	assert_formats(0xcc0, "GFP_KERNEL", "K");
	assert_formats(0xcc0 | 0x100, "GFP_KERNEL|__GFP_ZERO", "K|Z");
	assert_formats(0xc0, "GFP_NOFS", "NF");
	assert_formats(0x40, "__GFP_IO", "I");
	/* bits without a name are printed in hex, names without a code as they are */
	assert_formats(0x1000100, "__GFP_ZERO|0x1000000", "Z|0x1000000");
	assert_formats(0x400, "__GFP_NEW", "__GFP_NEW");
}

static void test_codes_are_unique(void **state)
{
	(void)state;
	/* stock prints NF for both */
	assert_formats(0xc0 | 0x800, "__GFP_NOFAIL|GFP_NOFS", "NFL|NF");
}

static void test_without_names(void **state)
{
	static const struct gfp none = {.texts = NULL};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	gfp_format_compact(&sb, &none, 0xcc0);
	assert_string_equal(sb.buf, "0xcc0");
	strbuf_deinit(&sb);
}

/* The kernel's own words come before what is known about any. */
static void test_what_the_kernel_printed(void **state)
{
	struct gfp_texts texts;

	(void)state;
	gfp_texts_init(&texts);
	gfp_texts_add(&texts, 0xcc0, "GFP_NOFS|__GFP_NEWER|0x400", 26);
	gfp_texts_add(&texts, 0xcc0, "GFP_KERNEL", 10); /* the first one counts */
	gfp_texts_add(&texts, 0x40, "A\033[31m", 6);
	gfp_texts_add(&texts, 0x80, "", 0);
	gfp.texts = &texts;
	assert_formats(0xcc0, "GFP_NOFS|__GFP_NEWER|0x400", "NF|__GFP_NEWER|0x400");
	assert_formats(0x100, "__GFP_ZERO", "Z");
	assert_formats(0x40, "__GFP_IO", "I");
	assert_formats(0x80, "__GFP_FS", "F");
	assert_formats(0, "none", "none");
	gfp.texts = NULL;
	gfp_texts_deinit(&texts);
}

static void test_as_many_as_there_may_be(void **state)
{
	struct gfp_texts texts;

	(void)state;
	gfp_texts_init(&texts);
	for (uint64_t mask = 1; mask <= GFP_TEXTS_MAX + 1; mask++)
		gfp_texts_add(&texts, mask, "GFP_KERNEL", 10);
	assert_string_equal(gfp_texts_find(&texts, GFP_TEXTS_MAX), "GFP_KERNEL");
	assert_null(gfp_texts_find(&texts, GFP_TEXTS_MAX + 1));
	gfp_texts_deinit(&texts);
}

/* The names in a recording with a kmalloc of this print fmt. */
static struct gfp texts(const char *print_fmt, const char *release)
{
	struct trace_format format = {"kmem", {print_fmt, strlen(print_fmt)}};
	const struct tracing_data td = {.formats = &format, .nr_formats = 1};
	struct gfp g;

	assert_int_equal(gfp_init(&g, &td, release), 0);
	return g;
}

static void test_the_recordings_names_count(void **state)
{
	struct gfp g = texts(FLAGS("{0x10, \"__GFP_ACCOUNT\"}, {0x4000, \"__GFP_DMA\"}"), "6.1.0");

	(void)state;
	assert_int_equal(g.names.nr, 2);
	assert_int_equal(g.masks.account, 0x10);
	assert_int_equal(g.masks.dma, 0x4000);
	assert_int_equal(g.masks.reclaimable, 0x10); /* not named: as in 6.1 */
	gfp_deinit(&g);
}

static void test_else_those_of_the_kernels_version(void **state)
{
	static const struct {
		const char *release;
		uint32_t account, dma, reclaimable;
	} kernels[] = {
		{"6.1.0", 0x400000, 1, 0x10},
		{"4.9.56", 0x100000, 1, 0x10},
		{"3.10.0", 0, 1, 0x80000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct gfp g = texts("", kernels[i].release);

		assert_true(g.names.nr > 20);
		assert_int_equal(g.masks.account, kernels[i].account);
		assert_int_equal(g.masks.dma, kernels[i].dma);
		assert_int_equal(g.masks.reclaimable, kernels[i].reclaimable);
		gfp_deinit(&g);
	}
}

/* As printed by the kernel with and without CONFIG_MEMCG. */
static void test_a_kernel_without_cgroups_accounts_nothing(void **state)
{
	struct gfp g =
		texts("REC->node, (1 && (REC->gfp_flags & ( unsigned long)(( gfp_t)0x400000u))) ? ",
		      "6.2");

	(void)state;
	assert_int_equal(g.masks.account, 0x400000);
	gfp_deinit(&g);
	g = texts("REC->node, (0 && (REC->gfp_flags & ( unsigned long)(( gfp_t)0x400000u))) ? ",
		  "6.2");
	assert_int_equal(g.masks.account, 0);
	gfp_deinit(&g);
	g = texts("REC->node, (0 && (REC->gfp_", "6.2");
	assert_int_equal(g.masks.account, 0x400000);
	gfp_deinit(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_recordings_names_count),
		cmocka_unit_test(test_what_the_kernel_printed),
		cmocka_unit_test(test_as_many_as_there_may_be),
		cmocka_unit_test(test_else_those_of_the_kernels_version),
		cmocka_unit_test(test_a_kernel_without_cgroups_accounts_nothing),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_codes_are_unique),
		cmocka_unit_test(test_without_names),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
