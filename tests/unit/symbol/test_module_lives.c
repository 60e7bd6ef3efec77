// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/strbuf.h"
#include "util/symbol/symbols.h"

#define AT 0xffffffffc0400010ull /* in leak_run, then in innocent */

/* As at the end of the recording. */
static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 T kmalloc\n"
			       "ffffffffc0400000 t innocent\t[victim]\n";

static const char leaky[] = "- 2000 leaky\nffffffffc0400000 t leak_run\t[leaky]\n";
static const char victim[] = "+ 3000 victim\nffffffffc0400000 t innocent\t[victim]\n";

static struct source_facts facts;
static struct symbols symbols;

static int setup(void **state)
{
	(void)state;
	source_facts_init(&facts);
	facts.arch = strdup("x86_64");
	return symbols_init(&symbols, &facts, strdup(kallsyms), strlen(kallsyms), NULL, NULL);
}

static int teardown(void **state)
{
	(void)state;
	symbols_deinit(&symbols);
	source_facts_deinit(&facts);
	return 0;
}

static void add(const char *lines)
{
	strbuf_addstr(&facts.modules, lines);
	assert_int_equal(symbols_read_modules(&symbols), 0);
}

static const char *name_at(uint64_t address, uint64_t time_ns)
{
	uint64_t identity = symbols_identity(&symbols, address, time_ns);
	const struct symbol *sym = symbols_find(&symbols, identity);
	const char *module = symbols_module(&symbols, sym, identity);
	static struct strbuf text = STRBUF_INIT;

	assert_true(symbols_address(&symbols, identity) == address);
	strbuf_reset(&text);
	if (sym)
		strbuf_addf(&text, "%s+%x", sym->name, (unsigned int)(identity - sym->start));
	if (module)
		strbuf_addf(&text, " [%s]", module);
	return text.buf;
}

static void test_without_changes_addresses_are_identities(void **state)
{
	(void)state;
	assert_string_equal(name_at(AT, 0), "innocent+10 [victim]");
	assert_true(symbols_identity(&symbols, AT, 5000) == AT);
}

static void test_an_address_is_named_by_what_was_there_then(void **state)
{
	(void)state;
	add(leaky);
	add(victim);
	assert_string_equal(name_at(AT, 1000), "leak_run+10 [leaky]");
	assert_string_equal(name_at(AT, 1999), "leak_run+10 [leaky]");
	assert_string_equal(name_at(AT, 2000), " [unloaded module]");
	assert_string_equal(name_at(AT, 2999), " [unloaded module]");
	assert_string_equal(name_at(AT, 3000), "innocent+10 [victim]");
	assert_true(symbols_identity(&symbols, AT, 1000) != symbols_identity(&symbols, AT, 3000));
	/* not in the order of time */
	assert_string_equal(name_at(AT, 1), "leak_run+10 [leaky]");
	assert_string_equal(name_at(0xffffffff81000110, 1), "kmalloc+10");
}

/* Its names were never read. */
static void test_names_that_are_not_known(void **state)
{
	(void)state;
	add("- 2000 leaky\n");
	add(victim);
	assert_string_equal(name_at(AT, 1000), " [unloaded module]");
	assert_string_equal(name_at(AT, 3000), "innocent+10 [victim]");
}

/* The names of the second one were not read when it was loaded, but the tables have them. */
static void test_names_that_only_the_tables_have(void **state)
{
	(void)state;
	add(leaky);
	add("+ 3000 victim\nffffffffc0500000 t .init.text\t[victim]\n");
	assert_string_equal(name_at(AT, 1999), "leak_run+10 [leaky]");
	assert_string_equal(name_at(AT, 3000), "innocent+10 [victim]");
	assert_string_equal(name_at(0xffffffffc0500004, 3000), ".init.text+4 [victim]");
}

static void test_neither_has_names_of_its_own(void **state)
{
	(void)state;
	add("- 2000 leaky\n+ 3000 victim\n");
	assert_string_equal(name_at(AT, 2999), " [unloaded module]");
	assert_string_equal(name_at(AT, 3000), "innocent+10 [victim]");
}

static void test_a_module_that_comes_back(void **state)
{
	(void)state;
	add(leaky);
	add(victim);
	add("- 4000 victim\n");
	add("+ 5000 leaky\nffffffffc0400000 t leak_run\t[leaky]\n");
	assert_string_equal(name_at(AT, 1000), "leak_run+10 [leaky]");
	assert_string_equal(name_at(AT, 3999), "innocent+10 [victim]");
	assert_string_equal(name_at(AT, 4999), " [unloaded module]");
	assert_string_equal(name_at(AT, 5000), "leak_run+10 [leaky]");
	/* as it is the same one at the same addresses */
	assert_true(symbols_identity(&symbols, AT, 1000) == symbols_identity(&symbols, AT, 5000));
	/* too quick for its names to be read */
	add("- 6000 leaky\n+ 7000 leaky\n- 7001 leaky\n");
	assert_string_equal(name_at(AT, 6500), " [unloaded module]");
	assert_string_equal(name_at(AT, 7000), "leak_run+10 [leaky]");
	assert_string_equal(name_at(AT, 7001), " [unloaded module]");
	assert_true(symbols_identity(&symbols, AT, 1000) == symbols_identity(&symbols, AT, 7000));
}

/* A live source adds lines while events are named. */
static void test_lines_that_come_later(void **state)
{
	uint64_t before;

	(void)state;
	before = symbols_identity(&symbols, AT, 1000);
	add(leaky);
	assert_true(symbols_identity(&symbols, AT, 1500) == before);
	assert_true(symbols_identity(&symbols, AT, 2500) != before);
	add(victim);
	assert_true(symbols_identity(&symbols, AT, 3500) != before);
	assert_string_equal(name_at(AT, 1000), "leak_run+10 [leaky]");
}

/* On s390x, modules may be at the end of 53 bits. */
static void test_an_address_without_upper_bits(void **state)
{
	(void)state;
	add("- 2000 m\n1fffff80000000 t f\t[m]\n");
	assert_string_equal(name_at(0x1fffff80000010, 1000), "f+10 [m]");
	assert_string_equal(name_at(0x1fffff80000010, 2000), "");
}

/* An identity is outside of the kernel, whose range may have the address. */
static void test_the_object_of_an_address_without_a_name(void **state)
{
	const uint64_t address = 0xffffffffff000010;
	struct strbuf module = STRBUF_INIT;
	uint64_t identity;
	const char *dso;

	(void)state;
	add("- 2000 m\nffffffffff000000 t f\t[m]\n");
	facts.kernel_start = 0xffffffff81000000;
	facts.kernel_end = UINT64_MAX;
	identity = symbols_identity(&symbols, address, 3000);
	assert_true(identity != address);
	dso = symbols_dso(&symbols, &facts, NULL, identity, &module);
	assert_non_null(dso);
	assert_string_equal(dso, "[kernel.kallsyms]");
	strbuf_deinit(&module);
}

static void test_damaged_lines(void **state)
{
	(void)state;
	add("ffffffffc0400000 t no_head\t[x]\n");
	add("+\n+ x\n- \n+ 12");
	add("\n+ 3000 far\nffffffffc0400000 t a\t[far]\n1000 t b\t[far]\n");
	assert_string_equal(name_at(AT, 4000), "innocent+10 [victim]");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_without_changes_addresses_are_identities),
		TEST(test_an_address_is_named_by_what_was_there_then),
		TEST(test_names_that_are_not_known),
		TEST(test_names_that_only_the_tables_have),
		TEST(test_neither_has_names_of_its_own),
		TEST(test_a_module_that_comes_back),
		TEST(test_lines_that_come_later),
		TEST(test_an_address_without_upper_bits),
		TEST(test_the_object_of_an_address_without_a_name),
		TEST(test_damaged_lines),
	};

	return cmocka_run_group_tests_name("module_lives", tests, NULL, NULL);
}
