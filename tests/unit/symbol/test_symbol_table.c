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
		cmocka_unit_test(test_names),	   cmocka_unit_test(test_gaps_belong_to_nobody),
		cmocka_unit_test(test_aliases),	   cmocka_unit_test(test_hidden_addresses),
		cmocka_unit_test(test_other_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
