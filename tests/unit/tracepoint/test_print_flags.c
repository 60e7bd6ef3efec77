// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/tracepoint/print_flags.h"

static void parse(struct flag_names *f, const char *text)
{
	assert_int_equal(flag_names_parse(f, text, strlen(text), "gfp_flags", NULL, NULL), 0);
}

static void assert_name(const struct flag_names *f, size_t i, uint64_t mask, const char *name)
{
	assert_true(i < f->nr);
	assert_int_equal(f->v[i].mask, mask);
	assert_string_equal(f->v[i].name, name);
}

static void test_tables_of_kernels(void **state)
{
	struct flag_names f;

	(void)state;
	parse(&f, "\"flags=%s\", (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", "
		  "{(unsigned long)((( gfp_t)(0x400u|0x800u)) | (( gfp_t)0x40u)), \"GFP_KERNEL\"}, "
		  "{( unsigned long)(((1UL) << (8))), \"__GFP_ZERO\"}, "
		  "{ 0x10, \"__GFP_WAIT\" }, { 0, ((void *)0) }) : \"none\"");
	assert_int_equal(f.nr, 3);
	assert_name(&f, 0, 0xc40, "GFP_KERNEL");
	assert_name(&f, 1, 0x100, "__GFP_ZERO");
	assert_name(&f, 2, 0x10, "__GFP_WAIT");
	flag_names_deinit(&f);
}

static void test_only_of_the_field(void **state)
{
	struct flag_names f;

	(void)state;
	parse(&f, "__print_flags(REC->state, \"|\", {1, \"S\"}) "
		  "__print_flags(REC->gfp_flags, \"|\", {2, \"G\"})");
	assert_int_equal(f.nr, 1);
	assert_name(&f, 0, 2, "G");
	flag_names_deinit(&f);
	parse(&f, "__print_flags(REC->state, \"|\", {1, \"S\"})");
	assert_int_equal(f.nr, 0);
	parse(&f, "");
	assert_int_equal(f.nr, 0);
}

/* An entry without a value is ignored; the others are kept. */
static void test_unknown_identifiers(void **state)
{
	struct flag_names f;

	(void)state;
	parse(&f, "__print_flags(REC->gfp_flags, \"|\", {1 << ___GFP_NONSENSE_BIT, \"A\"}, "
		  "{0x40, \"B\"}, {, \"C\"}, {0x80 \"D\"}, {0x100, \"E\"})");
	assert_int_equal(f.nr, 2);
	assert_name(&f, 0, 0x40, "B");
	assert_name(&f, 1, 0x100, "E");
	flag_names_deinit(&f);
}

static void test_text_that_ends_early(void **state)
{
	static const char text[] = "__print_flags(REC->gfp_flags, \"|\", {0x40, \"B\"}, {0x80, \"";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		struct flag_names f;

		assert_int_equal(flag_names_parse(&f, text, len, "gfp_flags", NULL, NULL), 0);
		assert_true(f.nr <= 1);
		flag_names_deinit(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_of_kernels),
		cmocka_unit_test(test_only_of_the_field),
		cmocka_unit_test(test_unknown_identifiers),
		cmocka_unit_test(test_text_that_ends_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
