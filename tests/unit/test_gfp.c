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

#include "util/kmem/gfp.h"

static struct flag_names names;

static int setup(void **state)
{
	/* composed masks stand before their bits, as in the kernel */
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
		if (flag_names_add(&names, table[i].mask, table[i].name, strlen(table[i].name)))
			return -1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	flag_names_deinit(&names);
	return 0;
}

static void assert_formats(uint64_t mask, const char *full, const char *compact)
{
	struct strbuf sb = STRBUF_INIT;

	gfp_format(&sb, &names, mask);
	assert_string_equal(sb.buf, full);
	strbuf_reset(&sb);
	gfp_format_compact(&sb, &names, mask);
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
	/* bits without a name are told in hex, names without a code as they are */
	assert_formats(0x1000100, "__GFP_ZERO|0x1000000", "Z|0x1000000");
	assert_formats(0x400, "__GFP_NEW", "__GFP_NEW");
}

static void test_codes_are_unique(void **state)
{
	(void)state;
	/* in stock both are NF */
	assert_formats(0xc0 | 0x800, "__GFP_NOFAIL|GFP_NOFS", "NFL|NF");
}

static void test_without_names(void **state)
{
	static const struct flag_names none = {0};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	gfp_format_compact(&sb, &none, 0xcc0);
	assert_string_equal(sb.buf, "0xcc0");
	strbuf_deinit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_codes_are_unique),
		cmocka_unit_test(test_without_names),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
