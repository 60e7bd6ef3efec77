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

static void start(const char *arch, uint64_t kernel_start, uint64_t kernel_end)
{
	symbols_deinit(&symbols);
	free(facts.arch);
	facts.arch = arch ? strdup(arch) : NULL;
	facts.kernel_start = kernel_start;
	facts.kernel_end = kernel_end;
	assert_int_equal(
		symbols_init(&symbols, &facts, strdup(kallsyms), strlen(kallsyms), NULL, NULL), 0);
}

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
	return symbols_dso(&symbols, &facts, symbols_find(&symbols, address), address, &module);
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

static const char *module_of(uint64_t address)
{
	return symbols_module(&symbols, symbols_find(&symbols, address), address);
}

static void module_space_is_as_documented(void **state)
{
	(void)state;
	start("x86_64", 0xffffffff81000000, 0xffffffff82000000);
	assert_string_equal(module_of(0xffffffffc0000010), "mod");
	assert_string_equal(module_of(0xffffffffa0000000), SYMBOLS_UNLOADED);
	assert_string_equal(module_of(0xfffffffffeffffff), SYMBOLS_UNLOADED);
	assert_null(module_of(0xffffffffff000000));
	assert_null(module_of(0xffffffff81001010));
	assert_string_equal(dso_of(0xffffffffa0000000), "[unloaded module]");
	/* moved by KASLR */
	start("x86_64", 0xffffffffa1000000, 0xffffffffa3000000);
	assert_null(module_of(0xffffffffa2ffffff));
	assert_string_equal(module_of(0xffffffffa3000000), SYMBOLS_UNLOADED);
	start("aarch64", 0xffff800080000000, 0xffff800082000000);
	assert_string_equal(module_of(0xffff80007a000000), SYMBOLS_UNLOADED);
	assert_null(module_of(0xffff000080000000));
	start("aarch64", 0, 0);
	assert_string_equal(module_of(0xffff800001000000), SYMBOLS_UNLOADED);
	start("s390x", 0x100000, 0x2000000);
	assert_string_equal(module_of(0x3ff80000000), SYMBOLS_UNLOADED);
	assert_null(module_of(0x40000000000));
	start("s390x", 0x3ffe0000000, 0x3ffe2000000);
	assert_string_equal(module_of(0x3ffdffff000), SYMBOLS_UNLOADED);
	assert_null(module_of(0x3ff5ffff000));
}

/* Elsewhere they are where the known modules are. */
static void module_space_of_an_unknown_machine(void **state)
{
	(void)state;
	start("riscv64", 0, 0);
	assert_string_equal(module_of(0xffffffffc0000010), "mod");
	assert_null(module_of(0xffffffffa0000000));
}

static void code_is_that_of_the_kernel_or_a_module(void **state)
{
	struct code_map map;

	(void)state;
	/* without a map in the source, from the first symbol to _etext */
	start("x86_64", 0, 0);
	assert_true(symbols_find_map(&symbols, NULL, 0xffffffff81001010, &map));
	assert_int_equal(map.start, 0xffffffff81001000);
	assert_int_equal(map.end, 0xffffffff81002000);
	assert_false(symbols_find_map(&symbols, NULL, 0xffffffff81002000, &map));
	start("x86_64", 0xffffffff81000000, 0xffffffff81008000);
	assert_true(symbols_find_map(&symbols, NULL, 0xffffffff81002000, &map));
	assert_int_equal(map.start, 0xffffffff81000000);
	/* of a module that was loaded twice, the latest */
	assert_false(symbols_find_map(&symbols, "mod", 0xffffffffc0000010, &map));
	for (uint64_t i = 0; i < 2; i++)
		assert_int_equal(source_facts_add_module(&facts, "mod", 0xffffffffc0000000 - i,
							 0xffffffffc0001000, (uint8_t[]){7}, 1),
				 0);
	assert_int_equal(source_facts_add_module(&facts, "other", 0xffffffffc0000000,
						 0xffffffffc0001000, NULL, 0),
			 0);
	assert_true(symbols_find_map(&symbols, "mod", 0xffffffffc0000010, &map));
	assert_int_equal(map.start, 0xffffffffbfffffff);
	assert_int_equal(map.build_id_size, 1);
	assert_int_equal(map.build_id[0], 7);
	assert_false(symbols_find_map(&symbols, "mod", 0xffffffffc0001000, &map));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(symbol_is_of_the_kernel_or_a_module),
		TEST(without_a_symbol_the_kernels_range_decides),
		TEST(module_space_is_as_documented),
		TEST(module_space_of_an_unknown_machine),
		TEST(code_is_that_of_the_kernel_or_a_module),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
