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

#include "util/base/intern.h"

static void test_equal_strings_have_one_number(void **state)
{
	struct intern it;

	(void)state;
	intern_init(&it);
	assert_int_equal(intern_add_str(&it, "kmalloc-64"), 0);
	assert_int_equal(intern_add_str(&it, "filp"), 1);
	assert_int_equal(intern_add_str(&it, "kmalloc-64"), 0);
	assert_int_equal(intern_add_str(&it, ""), 2);
	assert_int_equal(intern_add(&it, "filp\0x", 6), 3);
	assert_int_equal(intern_add(&it, "filp", 4), 1);
	assert_int_equal(it.nr, 4);
	assert_int_equal(intern_find(&it, "filp", 4), 1);
	assert_int_equal(intern_find(&it, "fil", 3), INTERN_NONE);
	assert_int_equal(it.nr, 4);
	intern_deinit(&it);
}

static void test_strings_come_back_with_length_and_nul(void **state)
{
	struct intern it;
	const char *s;
	size_t len;

	(void)state;
	intern_init(&it);
	intern_add(&it, "a\0b", 3);
	intern_add(&it, NULL, 0);
	assert_int_equal(intern_add(&it, NULL, 0), 1);
	s = intern_get(&it, 0, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(s, "a\0b", 4);
	s = intern_get(&it, 1, &len);
	assert_int_equal(len, 0);
	assert_string_equal(s, "");
	intern_deinit(&it);
}

static void test_numbers_hold_while_it_grows(void **state)
{
	struct intern it;
	char name[32];

	(void)state;
	intern_init(&it);
	for (unsigned int round = 0; round < 2; round++)
		for (unsigned int i = 0; i < 20000; i++) {
			snprintf(name, sizeof(name), "name-%u", i * 7919);
			assert_int_equal(intern_add_str(&it, name), i);
		}
	for (unsigned int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "name-%u", i * 7919);
		assert_string_equal(intern_get(&it, i, NULL), name);
		assert_int_equal((uintptr_t)intern_get(&it, i, NULL) % 8, 0);
	}
	intern_deinit(&it);
}

static void test_callchains_are_strings_too(void **state)
{
	const uint64_t chain[] = {0xffffffff81000010, 0xffffffff81000020, 0};
	struct intern it;
	const uint64_t *back;
	size_t len;

	(void)state;
	intern_init(&it);
	intern_add_str(&it, "odd");
	assert_int_equal(intern_add(&it, chain, sizeof(chain)), 1);
	assert_int_equal(intern_add(&it, chain, sizeof(chain[0])), 2);
	assert_int_equal(intern_add(&it, chain, sizeof(chain)), 1);
	back = intern_get(&it, 1, &len);
	assert_int_equal(len, sizeof(chain));
	assert_memory_equal(back, chain, sizeof(chain));
	intern_deinit(&it);
}

static void test_a_sweep_forgets_passing_strings_that_nobody_holds(void **state)
{
	uint8_t held[4] = {0};
	struct intern it;
	size_t len;

	(void)state;
	intern_init(&it);
	assert_int_equal(intern_add_passing(&it, "a command", 9), 0);
	assert_int_equal(intern_add_str(&it, "a cache"), 1);
	assert_int_equal(intern_add_passing(&it, "held", 4), 2);
	assert_int_equal(intern_add_passing(&it, "a name", 6), 3);
	assert_int_equal(intern_add_str(&it, "a name"), 3); /* is kept after all */
	held[2] = 1;
	assert_int_equal(intern_sweep(&it, held), 0);
	assert_int_equal(intern_find(&it, "a command", 9), INTERN_NONE);
	assert_string_equal(intern_get(&it, 0, &len), "");
	assert_int_equal(len, 0);
	assert_string_equal(intern_get(&it, 1, NULL), "a cache");
	assert_string_equal(intern_get(&it, 2, NULL), "held");
	assert_string_equal(intern_get(&it, 3, NULL), "a name");
	/* new strings get the numbers of forgotten ones, then new numbers */
	assert_int_equal(intern_add_passing(&it, "another command", 15), 0);
	assert_int_equal(intern_add_str(&it, "last"), 4);
	assert_string_equal(intern_get(&it, 0, NULL), "another command");
	assert_int_equal(intern_add_str(&it, "held"), 2);
	intern_deinit(&it);
}

static void test_sweeps_bound_what_passes(void **state)
{
	uint8_t *held = calloc(1, 20000);
	struct intern it;
	size_t most = 0;
	char name[32];

	(void)state;
	intern_init(&it);
	assert_false(intern_sweep_is_due(&it));
	for (unsigned int i = 0; i < 200000; i++) {
		snprintf(name, sizeof(name), "command-%u", i);
		assert_true(intern_add_passing(&it, name, strlen(name)) < 20000);
		if (!intern_sweep_is_due(&it))
			continue;
		assert_int_equal(intern_sweep(&it, held), 0);
		assert_false(intern_sweep_is_due(&it));
	}
	for (size_t i = 0; i < it.nr; i++)
		most += strlen(intern_get(&it, (uint32_t)i, NULL)) != 0;
	assert_true(it.nr < 10000 && most == it.nr_passing);
	intern_deinit(&it);
	free(held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_strings_have_one_number),
		cmocka_unit_test(test_strings_come_back_with_length_and_nul),
		cmocka_unit_test(test_numbers_hold_while_it_grows),
		cmocka_unit_test(test_callchains_are_strings_too),
		cmocka_unit_test(test_a_sweep_forgets_passing_strings_that_nobody_holds),
		cmocka_unit_test(test_sweeps_bound_what_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
