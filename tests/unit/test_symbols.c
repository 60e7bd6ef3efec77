// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/strbuf.h"
#include "util/symbol/symbols.h"

static const char kallsyms[] = "ffffffff81001000 T alloc\nffffffff81002000 T _etext\n"
			       "ffffffffc0000000 t mod_fn\t[mod]\n";

static struct source_facts facts;
static struct symbols symbols;
static struct strbuf module;

static int setup(void **state)
{
	(void)state;
	source_facts_init(&facts);
	strbuf_init(&module);
	return symbols_init(&symbols, &facts, strdup(kallsyms), strlen(kallsyms), NULL, NULL);
}

static int teardown(void **state)
{
	(void)state;
	symbols_deinit(&symbols);
	strbuf_deinit(&module);
	source_facts_deinit(&facts);
	return 0;
}

static const char *dso_of(uint64_t address)
{
	return symbols_dso(&facts, symbols_find(&symbols, address), address, &module);
}

static void symbol_is_of_the_kernel_or_a_module(void **state)
{
	(void)state;
	facts.kernel_start = 0xffffffff81000000;
	facts.kernel_end = 0xffffffff81002000;
	assert_string_equal(dso_of(0xffffffff81001010), "[kernel.kallsyms]");
	assert_string_equal(dso_of(0xffffffffc0000010), "[mod]");
	assert_string_equal(dso_of(0xffffffffc0000020), "[mod]");
}

static void without_a_symbol_the_kernels_range_decides(void **state)
{
	(void)state;
	assert_string_equal(dso_of(0x10), "[kernel.kallsyms]"); /* not known */
	facts.kernel_start = 0xffffffff81000000;
	facts.kernel_end = 0xffffffff81002000;
	assert_string_equal(dso_of(0xffffffff81000000), "[kernel.kallsyms]");
	assert_null(dso_of(0xffffffff80ffffff));
	assert_null(dso_of(0x10));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(symbol_is_of_the_kernel_or_a_module),
		TEST(without_a_symbol_the_kernels_range_decides),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
