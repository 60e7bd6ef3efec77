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

#include "util/source/site_names.h"
#include "util/symbol/symbols.h"

static uint64_t address_of(struct site_names *n, const char *symbol, const char *module,
			   uint64_t size, uint64_t offset)
{
	const struct site_name name = {symbol, strlen(symbol), module, module ? strlen(module) : 0,
				       size};
	uint64_t address = 1;

	assert_int_equal(site_names_address(n, &name, offset, &address), 0);
	return address;
}

static void test_distinct_functions_have_ranges(void **state)
{
	struct site_names n;
	uint64_t a, b, c, d;
	const struct symbol *sym;

	(void)state;
	site_names_init(&n);
	a = address_of(&n, "vfs_read", NULL, 0x90, 0x1c);
	b = address_of(&n, "vfs_read", NULL, 0x80, 0x1c);
	c = address_of(&n, "vfs_read", "ext4", 0x90, 0x1c);
	d = address_of(&n, "vfs_read", "", 0x90, 0x1c);
	assert_true(a != b && a != c && a != d && b != c && c != d);
	assert_int_equal(address_of(&n, "vfs_read", NULL, 0x90, 0x20), a + 4);
	sym = site_names_find(&n, a);
	assert_non_null(sym);
	assert_string_equal(sym->name, "vfs_read");
	assert_null(sym->module);
	assert_int_equal(a - sym->start, 0x1c);
	assert_int_equal(sym->end - sym->start, 0x90);
	assert_string_equal(site_names_find(&n, c)->module, "ext4");
	assert_string_equal(site_names_find(&n, d)->module, "");
	assert_int_equal(n.ranges.nr, 4);
	site_names_deinit(&n);
}

/* Saved identities keep their meaning in later versions. */
static void test_same_addresses_in_every_run(void **state)
{
	struct site_names n;

	(void)state;
	for (int i = 0; i < 2; i++) {
		site_names_init(&n);
		if (i)
			address_of(&n, "another", NULL, 1, 0);
		assert_int_equal(address_of(&n, "vfs_read", NULL, 0x90, 0x1c), 0x8fbeff7d4dc0001c);
		assert_int_equal(address_of(&n, "alloc_pipe_info@fs/pipe.c:791", NULL, 1, 0),
				 0x883ba618acc00000);
		site_names_deinit(&n);
	}
}

static void test_odd_names(void **state)
{
	static const char with_nul[] = {'a', '\0', 'b'};
	char longer[2 * SYMBOL_NAME_MAX];
	struct site_name name = {with_nul, sizeof(with_nul), NULL, 0, 0};
	struct site_names n;
	uint64_t a;

	(void)state;
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	site_names_init(&n);
	/* safe to print, and still found again */
	a = address_of(&n, "a\033[2Jb\xff", "m\n", 8, 0);
	assert_string_equal(site_names_find(&n, a)->name, "a?[2Jb?");
	assert_string_equal(site_names_find(&n, a)->module, "m?");
	assert_int_equal(address_of(&n, "a\033[2Jb\xff", "m\n", 8, 0), a);
	a = address_of(&n, longer, NULL, UINT64_MAX, 0);
	assert_int_equal(strlen(site_names_find(&n, a)->name), SYMBOL_NAME_MAX - 1);
	assert_int_equal(address_of(&n, longer, NULL, UINT64_MAX, 0), a);
	/* an offset never leaves the function */
	assert_int_equal(address_of(&n, longer, NULL, UINT64_MAX, UINT64_MAX),
			 a + SITE_NAME_RANGE - 1);
	assert_ptr_equal(site_names_find(&n, a + SITE_NAME_RANGE - 1), site_names_find(&n, a));
	assert_int_equal(site_names_address(&n, &name, 0, &a), 0);
	assert_string_equal(site_names_find(&n, a)->name, "a");
	a = address_of(&n, "", NULL, 0, 0);
	assert_string_equal(site_names_find(&n, a)->name, "");
	site_names_deinit(&n);
}

static void test_other_addresses_are_not_found(void **state)
{
	struct site_names n;
	uint64_t a;

	(void)state;
	site_names_init(&n);
	assert_null(site_names_find(&n, 0x8000000000000000));
	a = address_of(&n, "vfs_read", NULL, 0x90, 0);
	assert_null(site_names_find(&n, 0));
	assert_null(site_names_find(&n, a - 1));
	assert_null(site_names_find(&n, a + SITE_NAME_RANGE));
	assert_null(site_names_find(&n, 0xffffffff81000000));
	assert_null(site_names_find(&n, UINT64_MAX));
	site_names_deinit(&n);
}

/* Names beyond the limit are unknown, known ones stay. */
static void test_at_most_so_many(void **state)
{
	struct site_names n;
	uint64_t first;
	char name[32];

	(void)state;
	site_names_init(&n);
	first = address_of(&n, "0", NULL, 0, 0);
	for (unsigned int i = 1; i < SITE_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		assert_int_not_equal(address_of(&n, name, NULL, 0, 0), 0);
	}
	assert_int_equal(n.ranges.nr, SITE_NAMES_MAX);
	assert_int_equal(address_of(&n, "one more", NULL, 0, 0), 0);
	assert_int_equal(address_of(&n, "0", NULL, 0, 1), first + 1);
	site_names_deinit(&n);
}

static uint64_t parse(struct site_names *n, const char *text)
{
	uint64_t address = 1;

	assert_int_equal(site_names_parse(n, text, strlen(text), &address), 0);
	return address;
}

static void test_frames_as_the_kernel_prints_them(void **state)
{
	struct site_names n;
	uint64_t a;

	(void)state;
	site_names_init(&n);
	a = parse(&n, " vfs_read+0x1c/0x90\r");
	assert_int_equal(a, address_of(&n, "vfs_read", NULL, 0x90, 0x1c));
	assert_int_equal(parse(&n, "vfs_read+0x1c/0x90 [ext4]"),
			 address_of(&n, "vfs_read", "ext4", 0x90, 0x1c));
	assert_int_equal(parse(&n, "vfs_read+0x1c/0x90 [ext4 5be5a0c1]"),
			 address_of(&n, "vfs_read", "ext4", 0x90, 0x1c));
	assert_int_equal(parse(&n, "xwrite.constprop.0+0x3e/0x80"),
			 address_of(&n, "xwrite.constprop.0", NULL, 0x80, 0x3e));
	assert_int_equal(parse(&n, " [<ffffffffa0065027>] vfs_read+0x1c/0x90 [ext4]"),
			 parse(&n, "vfs_read+0x1c/0x90 [ext4]"));
	assert_int_equal(parse(&n, "[<ffffffffa0065027>] 0xffffffffa0065027"), 0xffffffffa0065027);
	assert_int_equal(parse(&n, "  vfs_read "), address_of(&n, "vfs_read", NULL, 0, 0));
	assert_int_equal(parse(&n, "a+b+0x2/0x3"), address_of(&n, "a+b", NULL, 3, 2));
	assert_int_equal(parse(&n, "vfs_read+0x1c"), address_of(&n, "vfs_read+0x1c", NULL, 0, 0));
	/* without kallsyms they are addresses */
	assert_int_equal(parse(&n, " 0xffffffffa0065027"), 0xffffffffa0065027);
	assert_int_equal(parse(&n, ""), 0);
	assert_int_equal(parse(&n, "  "), 0);
	assert_int_equal(parse(&n, "+0x1/0x2"), 0);
	assert_int_not_equal(parse(&n, "[ext4]"), 0);
	site_names_deinit(&n);
}

static void test_symbols_ask_it_first(void **state)
{
	struct source_facts facts;
	struct site_names n;
	struct symbols s;
	struct error err = ERROR_INIT;
	uint64_t a;

	(void)state;
	source_facts_init(&facts);
	site_names_init(&n);
	facts.site_names = &n;
	assert_int_equal(symbols_init(&s, &facts, NULL, 0, NULL, &err), 0);
	assert_true(symbols_any(&s));
	assert_int_equal(s.nr_tables, 0); /* the running kernel's symbols are of no use */
	a = address_of(&n, "vfs_read", NULL, 0x90, 0x1c); /* later than the symbols */
	assert_string_equal(symbols_find(&s, a)->name, "vfs_read");
	assert_null(symbols_find(&s, 0xffffffff81000000));
	symbols_deinit(&s);
	site_names_deinit(&n);
	source_facts_deinit(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distinct_functions_have_ranges),
		cmocka_unit_test(test_same_addresses_in_every_run),
		cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_other_addresses_are_not_found),
		cmocka_unit_test(test_at_most_so_many),
		cmocka_unit_test(test_frames_as_the_kernel_prints_them),
		cmocka_unit_test(test_symbols_ask_it_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
