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

#include "util/symbol/symbol_table.h"

static void load(struct symbol_table *t, const char *text, const char *reference, uint64_t address,
		 uint64_t *ret_moved_by)
{
	assert_int_equal(
		symbol_table_init(t, strdup(text), strlen(text), reference, address, ret_moved_by),
		0);
}

static const char *name_at(const struct symbol_table *t, uint64_t address)
{
	const struct symbol *sym = symbol_table_find(t, address);

	return sym ? sym->name : "-";
}

static void test_gaps_belong_to_nobody(void **state)
{
	struct symbol_table t;
	uint64_t moved;

	(void)state;
	load(&t,
	     "ffffffffc0400000 t bpf_prog_1\t[bpf]\n"
	     "ffffffffc0408000 t bpf_prog_2\t[bpf]\n"
	     "ffffffffc0600000 t leak_run\t[leaky]\n"
	     "ffffffffc0604000 t leak_stop\t[leaky]\n"
	     "ffffffffc0900000 t leak_init\t[leaky]\n",
	     "", 0, &moved);
	assert_string_equal(name_at(&t, 0xffffffffc0400fff), "bpf_prog_1");
	assert_string_equal(name_at(&t, 0xffffffffc0405000), "-");
	assert_string_equal(name_at(&t, 0xffffffffc0603fff), "leak_run");
	assert_string_equal(name_at(&t, 0xffffffffc0604fff), "leak_stop");
	assert_string_equal(name_at(&t, 0xffffffffc0700000), "-");
	symbol_table_deinit(&t);
}

static void test_names(void **state)
{
	struct symbol_table t;
	uint64_t moved;

	(void)state;
	load(&t,
	     "ffffffff81002000 t second\n"
	     "ffffffff81001000 T first\n"
	     "ffffffff81003000 D data\n"
	     "not a line\n"
	     "ffffffff81001800 t $x\n"
	     "ffffffff81004000 W third\n"
	     "ffffffffa0000000 t in_module\t[ext4]\n",
	     "", 0, &moved);
	assert_int_equal(moved, 0);
	assert_string_equal(name_at(&t, 0xffffffff81000fff), "-");
	assert_string_equal(name_at(&t, 0xffffffff81001000), "first");
	assert_string_equal(name_at(&t, 0xffffffff81001fff), "first");
	assert_string_equal(name_at(&t, 0xffffffff81002fff), "second");
	assert_string_equal(name_at(&t, 0xffffffff81003010), "-"); /* data is not text */
	assert_string_equal(name_at(&t, 0xffffffff81004010), "third");
	assert_string_equal(name_at(&t, 0xffffffff90000000), "-"); /* after the kernel's last one */
	assert_string_equal(name_at(&t, 0xffffffffa0000010), "in_module");
	assert_string_equal(symbol_table_find(&t, 0xffffffffa0000010)->module, "ext4");
	assert_null(symbol_table_find(&t, 0xffffffff81001000)->module);
	assert_string_equal(name_at(&t, UINT64_MAX), "-");
	symbol_table_deinit(&t);
}

/* If an address has several names, stock uses the last line that is text. */
static void test_aliases(void **state)
{
	struct symbol_table t;
	uint64_t moved;

	(void)state;
	load(&t, "1000 T one\n1000 T two\n1000 D three\n2000 T end\n", "", 0, &moved);
	assert_string_equal(name_at(&t, 0x1000), "two");
	symbol_table_deinit(&t);
}

static void test_aliases_that_are_far_apart(void **state)
{
	struct symbol_table t;
	uint64_t moved;

	(void)state;
	load(&t, "1000 T one\n2000 T other\n1000 T two\n2000 D data\n3000 T end\n", "", 0, &moved);
	assert_string_equal(name_at(&t, 0x1000), "two");
	assert_string_equal(name_at(&t, 0x2000), "other");
	assert_int_equal(t.nr, 3);
	symbol_table_deinit(&t);
}

#define NR_MODULES   3
#define NR_FUNCTIONS 50

/* The functions of modules are in no order, and between those of other modules. */
static uint64_t module_address(unsigned int module, unsigned int function)
{
	return 0xffffffffa0000000 + module * 0x100000 + function * 7 % NR_FUNCTIONS * 0x100;
}

static void assert_function(const struct symbol_table *t, unsigned int m, unsigned int f)
{
	const struct symbol *sym = symbol_table_find(t, module_address(m, f) + 0x10);
	char name[32], module[32];

	snprintf(name, sizeof(name), "f%u_%u", m, f);
	snprintf(module, sizeof(module), "module%u", m);
	assert_non_null(sym);
	assert_string_equal(sym->name, name);
	assert_string_equal(sym->module, module);
	assert_int_equal(sym->type, 't');
	assert_true(sym->start == module_address(m, f));
	assert_ptr_equal(symbol_table_find(t, module_address(m, f)), sym);
}

/* Names are read when they are asked for: no order of questions changes an answer. */
static void test_names_in_any_order(void **state)
{
	(void)state;
	for (unsigned int step = 1; step < NR_FUNCTIONS; step += 2) {
		char text[8192] = "ffffffff81000000 T _text\n";
		size_t len = strlen(text);
		struct symbol_table t;
		uint64_t moved;

		for (unsigned int i = 0; i < NR_MODULES * NR_FUNCTIONS; i++)
			len += (size_t)snprintf(
				text + len, sizeof(text) - len, "%llx t f%u_%u\t[module%u]\n",
				(unsigned long long)module_address(i / NR_FUNCTIONS,
								   i % NR_FUNCTIONS),
				i / NR_FUNCTIONS, i % NR_FUNCTIONS, i / NR_FUNCTIONS);
		load(&t, text, "", 0, &moved);
		for (unsigned int i = 0; i < NR_MODULES * NR_FUNCTIONS; i++) {
			unsigned int at = i * step % (NR_MODULES * NR_FUNCTIONS);

			assert_function(&t, at / NR_FUNCTIONS, at % NR_FUNCTIONS);
		}
		assert_string_equal(name_at(&t, 0xffffffff81000000), "_text");
		symbol_table_deinit(&t);
	}
}

/* Ends are those of the real addresses. */
static void test_shifted(void **state)
{
	struct symbol_table t;
	uint64_t moved, start, end;

	(void)state;
	load(&t, "1800 D d\n2010 t f\t[m]\n2810 t g\t[m]\n9000 D e\t[m]\n", "", 0, &moved);
	symbol_table_range(&t, &start, &end);
	assert_int_equal(start, 0x2010);
	assert_int_equal(end, 0x9000);
	symbol_table_shift(&t, 0x100008);
	symbol_table_range(&t, &start, &end);
	assert_int_equal(start, 0x102018);
	assert_int_equal(end, 0x109008);
	assert_string_equal(name_at(&t, 0x102018), "f");
	assert_string_equal(name_at(&t, 0x102817), "f");
	assert_string_equal(name_at(&t, 0x102818), "g");
	assert_string_equal(name_at(&t, 0x109007), "g");
	assert_string_equal(name_at(&t, 0x109008), "-");
	symbol_table_deinit(&t);
}

static void test_hidden_addresses(void **state)
{
	struct symbol_table t;
	uint64_t moved;

	(void)state;
	load(&t, "0000000000000000 T one\n0000000000000000 T two\n", "", 0, &moved);
	assert_true(t.hidden);
	assert_int_equal(t.nr, 0);
	symbol_table_deinit(&t);
	load(&t, "", "", 0, &moved);
	assert_false(t.hidden);
	assert_int_equal(t.nr, 0);
	symbol_table_deinit(&t);
}

/* KASLR: the same kernel at another address. */
static void test_other_boot(void **state)
{
	struct symbol_table t;
	uint64_t moved;

	(void)state;
	load(&t, "1000 T _stext\n1800 T f\n2000 T g\n9000 t m\t[mod]\n", "_stext", 0x5000, &moved);
	assert_int_equal(moved, 0x4000);
	assert_string_equal(name_at(&t, 0x5800), "f");
	assert_string_equal(name_at(&t, 0x1800), "-");
	/* it is not known where the modules went */
	assert_string_equal(name_at(&t, 0x9000), "-");
	assert_string_equal(name_at(&t, 0xd000), "-");
	symbol_table_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_gaps_belong_to_nobody),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_hidden_addresses),
		cmocka_unit_test(test_other_boot),
		cmocka_unit_test(test_aliases_that_are_far_apart),
		cmocka_unit_test(test_names_in_any_order),
		cmocka_unit_test(test_shifted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
