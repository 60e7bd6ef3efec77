// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/fixture/account.h"
#include "util/accounts/slab.h"
#include "util/report/diff.h"

#define CPUS  4
#define SITES 5

/* The view of a report on one recording: a table of slab objects by one key. */
struct side {
	struct kmem_accounts accounts;
	struct naming naming;
	struct slab_accounts slab;
	struct kmem_options kmem;
	struct source_facts facts;
	struct report_options options;
	struct report_context context;
};

/* Object i is on CPU i % CPUS and of call site i % SITES; it has 8 * (i + 1) bytes. */
static uint64_t site(unsigned int i)
{
	return 0xffffffff81001000 + 0x1000 * (i % SITES);
}

static void alloc(struct side *s, unsigned int i)
{
	const uint64_t frames[] = {site(i), 0xffffffff81100000};
	struct kmem_event ev = {
		.kind = KMEM_SLAB_ALLOC,
		.time_ns = 1000 * (i + 1),
		.cpu = (int32_t)(i % CPUS),
		.ptr = 0xffff888000000000 + 4096 * i,
		.call_site = site(i),
		.bytes_req = 8 * (i + 1),
		.bytes_alloc = 8 * (i + 1),
		.in_window = true,
		.stack = intern_add(&s->naming.names.stacks, frames, sizeof(frames)),
	};

	assert_int_equal(account_take_one(&account_slab, &s->slab, &ev), 0);
}

static void release(struct side *s, unsigned int i)
{
	const struct kmem_event ev = {.kind = KMEM_SLAB_FREE,
				      .time_ns = 1000 * (i + 1000),
				      .ptr = 0xffff888000000000 + 4096 * i,
				      .in_window = true};

	assert_int_equal(account_take_one(&account_slab, &s->slab, &ev), 0);
}

/* Set up a recording of this kernel, 10 seconds long, with `nr` objects, `freed` of them freed. */
static void setup(struct side *s, const char *release_name, enum kmem_key by, unsigned int nr,
		  unsigned int freed)
{
	*s = (struct side){.accounts.v[ACCOUNT_slab] = {.ops = &account_slab, .state = &s->slab},
			   .kmem.tables[ACCOUNT_slab].nr = 1};
	key_names_init(&s->naming.names);
	source_facts_init(&s->facts);
	s->facts.osrelease = strdup(release_name);
	s->facts.arch = strdup("x86_64");
	slab_accounts_init(&s->slab, (struct function_lookup){NULL, NULL}, 4096);
	slab_accounts_add_table(&s->slab, &by, 1);
	s->slab.common.tables[0].names = &s->naming.names;
	for (unsigned int i = 0; i < nr; i++)
		alloc(s, i);
	for (unsigned int i = 0; i < freed; i++)
		release(s, i);
	s->context = (struct report_context){.naming = &s->naming,
					     .accounts = &s->accounts,
					     .facts = &s->facts,
					     .options = &s->options,
					     .kmem = &s->kmem,
					     .length_ns = 10000000000};
}

static void teardown(struct side *s)
{
	slab_accounts_deinit(&s->slab);
	symbols_deinit(&s->naming.symbols);
	key_names_deinit(&s->naming.names);
	source_facts_deinit(&s->facts);
}

/* Each call site gets a symbol of its own, which starts `before` bytes before it. */
static void name_sites(struct side *s, unsigned int before, const char *suffix)
{
	struct strbuf sb = STRBUF_INIT;
	uint64_t moved_by;
	size_t len;

	for (unsigned int i = 0; i < SITES; i++)
		strbuf_addf(&sb, "%llx T f%u%s\n", (unsigned long long)site(i) - before, i, suffix);
	strbuf_addf(&sb, "%llx T main%s\n", 0xffffffff81100000ull - before, suffix);
	len = sb.len;
	symbols_deinit(&s->naming.symbols);
	symbol_table_init(&s->naming.symbols.tables[0], strbuf_detach(&sb), len, "", 0, &moved_by);
	s->naming.symbols.nr_tables = 1;
}

static void compare(struct diff *d, const struct side *old, const struct side *new, bool per_second)
{
	assert_int_equal(diff_init(d, &old->context, &new->context, per_second, 0), 0);
}

static double figure(const struct diff *d, size_t row, const char *column, int side)
{
	return diff_figure(d, &d->tables[0].v[row], column_find(column, strlen(column)), side);
}

static const char *key_of(const struct diff *d, size_t row)
{
	return diff_row_key(d, &d->tables[0].v[row], 0);
}

static void test_what_changed_is_the_difference(void **state)
{
	struct side old, new;
	struct diff d;

	(void)state;
	setup(&old, "6.1.0", KEY_CPU, 40, 0);
	setup(&new, "6.1.0", KEY_CPU, 100, 80);
	compare(&d, &old, &new, false);
	assert_int_equal(d.nr_tables, 1);
	assert_int_equal(d.tables[0].nr, CPUS);
	for (size_t i = 0; i < CPUS; i++) {
		const struct diff_row *r = &d.tables[0].v[i];

		assert_true(r->side[DIFF_OLD].hits == 10 && r->side[DIFF_NEW].hits == 25);
		assert_true(r->side[DIFF_OLD].live_hits == 10 && r->side[DIFF_NEW].live_hits == 5);
		assert_true(figure(&d, i, "freed", DIFF_NEW) == 20);
		assert_true(figure(&d, i, "frag", DIFF_NEW) == 0);
		assert_int_equal(strlen(key_of(&d, i)), 1);
	}
	diff_deinit(&d);
	teardown(&old);
	teardown(&new);
}

static void test_the_largest_change_is_first_and_ties_are_in_order(void **state)
{
	struct side old, new;
	struct diff d;

	(void)state;
	setup(&old, "6.1.0", KEY_CPU, 40, 0);
	setup(&new, "6.1.0", KEY_CPU, 100, 0);
	compare(&d, &old, &new, false);
	/* later objects are larger, and CPU 3 has the last of each four */
	assert_string_equal(key_of(&d, 0), "3");
	assert_string_equal(key_of(&d, 3), "0");
	diff_deinit(&d);
	compare(&d, &new, &new, false);
	assert_string_equal(key_of(&d, 0), "0");
	assert_string_equal(key_of(&d, 3), "3");
	diff_deinit(&d);
	teardown(&old);
	teardown(&new);
}

static void test_rates_are_of_the_time_that_is_covered(void **state)
{
	struct side old, new;
	struct diff d;

	(void)state;
	setup(&old, "6.1.0", KEY_CPU, 40, 0);
	setup(&new, "6.1.0", KEY_CPU, 40, 0);
	new.context.length_ns = 5000000000;
	compare(&d, &old, &new, true);
	assert_true(d.seconds[DIFF_OLD] == 10 && d.seconds[DIFF_NEW] == 5);
	for (size_t i = 0; i < CPUS; i++) {
		assert_true(figure(&d, i, "hit", DIFF_OLD) == 1);
		assert_true(figure(&d, i, "hit", DIFF_NEW) == 2);
		/* what is live is not a rate, nor is a mean */
		assert_true(figure(&d, i, "live-hit", DIFF_NEW) == 10);
		assert_true(figure(&d, i, "mean", DIFF_NEW) == figure(&d, i, "mean", DIFF_OLD));
	}
	diff_deinit(&d);
	teardown(&old);
	teardown(&new);
}

/* Each of CPUS rows has a quarter of the objects. */
static void test_ranges_that_overlap_are_noise(void **state)
{
	struct side old, more, new, fewer;
	struct diff d;

	(void)state;
	setup(&old, "6.1.0", KEY_CPU, 40, 0);
	setup(&more, "6.1.0", KEY_CPU, 80, 0);
	setup(&new, "6.1.0", KEY_CPU, 100, 0);
	setup(&fewer, "6.1.0", KEY_CPU, 60, 0);
	compare(&d, &old, &new, false);
	assert_false(diff_has_noise(&d));
	assert_false(diff_is_beyond_noise(&d, &d.tables[0].v[0]));
	assert_int_equal(diff_add_repeat(&d, &more.context, DIFF_OLD), 0);
	assert_true(diff_has_noise(&d) && diff_rows_for_one_by_chance(&d) == 1.5);
	for (size_t i = 0; i < CPUS; i++) {
		const struct diff_row *r = &d.tables[0].v[i];

		assert_true(diff_is_beyond_noise(&d, r));
		assert_true(diff_noise(r) == r->most[DIFF_OLD] - r->least[DIFF_OLD]);
		assert_true(r->least[DIFF_OLD] == figure(&d, i, "bytes", DIFF_OLD));
	}
	assert_int_equal(diff_add_repeat(&d, &fewer.context, DIFF_NEW), 0);
	assert_true(diff_rows_for_one_by_chance(&d) == 3);
	for (size_t i = 0; i < CPUS; i++)
		assert_false(diff_is_beyond_noise(&d, &d.tables[0].v[i]));
	diff_deinit(&d);
	teardown(&old);
	teardown(&more);
	teardown(&new);
	teardown(&fewer);
}

/* Only call site 0 has changed by more than the noise, though it has the least bytes. */
static void test_rows_beyond_noise_come_first(void **state)
{
	struct side old, new;
	struct diff d;

	(void)state;
	setup(&old, "6.1.0", KEY_CALLSITE, 5, 0);
	setup(&new, "6.1.0", KEY_CALLSITE, 10, 0);
	compare(&d, &old, &new, false);
	assert_string_not_equal(key_of(&d, 0), "0xffffffff81001000");
	assert_int_equal(diff_add_repeat(&d, &new.context, DIFF_NEW), 0);
	for (size_t i = 0; i < SITES; i++)
		if (strcmp(key_of(&d, i), "0xffffffff81001000") != 0)
			d.tables[0].v[i].least[DIFF_NEW] = 0;
	diff_sort(&d);
	assert_string_equal(key_of(&d, 0), "0xffffffff81001000");
	diff_deinit(&d);
	teardown(&old);
	teardown(&new);
}

/* A repeat of twice the length has twice the bytes, and differs by nothing. */
static void test_repeats_of_another_length_are_scaled(void **state)
{
	struct side old, twice;
	struct diff d;

	(void)state;
	setup(&old, "6.1.0", KEY_CPU, 40, 0);
	setup(&twice, "6.1.0", KEY_CPU, 40, 0);
	for (unsigned int i = 0; i < 40; i++)
		alloc(&twice, i);
	twice.context.length_ns = 2 * old.context.length_ns;
	for (int per_second = 0; per_second < 2; per_second++) {
		compare(&d, &old, &old, per_second);
		assert_int_equal(diff_add_repeat(&d, &twice.context, DIFF_OLD), 0);
		for (size_t i = 0; i < CPUS; i++)
			assert_true(diff_noise(&d.tables[0].v[i]) < 1e-9);
		diff_deinit(&d);
	}
	teardown(&old);
	teardown(&twice);
}

static void test_kernels_are_told_apart(void **state)
{
	struct side old, same, other;
	struct diff d;

	(void)state;
	setup(&old, "6.1.0", KEY_CALLSITE, 20, 0);
	setup(&same, "6.1.0", KEY_CALLSITE, 20, 0);
	setup(&other, "6.2.0", KEY_CALLSITE, 20, 0);
	compare(&d, &old, &same, false);
	assert_true(d.same_kernel && d.same_boot);
	assert_int_equal(d.tables[0].nr, SITES);
	for (size_t i = 0; i < SITES; i++)
		assert_true(d.tables[0].v[i].side[DIFF_OLD].bytes_alloc ==
			    d.tables[0].v[i].side[DIFF_NEW].bytes_alloc);
	diff_deinit(&d);
	compare(&d, &old, &other, false);
	assert_false(d.same_kernel);
	diff_deinit(&d);
	teardown(&old);
	teardown(&same);
	teardown(&other);
}

/* Their offsets differ. */
static void test_other_kernels_match_by_function(void **state)
{
	static const enum kmem_key keys[] = {KEY_CALLSITE, KEY_STACK};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct side old, new;
		struct diff d;

		setup(&old, "6.1.0", keys[k], 20, 0);
		setup(&new, "6.2.0", keys[k], 20, 0);
		new.facts.kernel_text_address = 0xffffffff82000000;
		name_sites(&old, 3, "");
		name_sites(&new, 1, ".constprop.0");
		compare(&d, &old, &new, false);
		assert_int_equal(d.tables[0].nr, SITES);
		assert_int_equal(d.nr_nameless, 0);
		for (size_t i = 0; i < SITES; i++) {
			assert_true(key_of(&d, i)[0] == 'f' && !strpbrk(key_of(&d, i), "+."));
			assert_true(d.tables[0].v[i].side[DIFF_OLD].hits ==
				    d.tables[0].v[i].side[DIFF_NEW].hits);
		}
		diff_deinit(&d);
		teardown(&old);
		teardown(&new);
	}
}

/* At another boot the same address is another function. */
static void test_addresses_of_another_boot_match_nothing(void **state)
{
	struct side old, new;
	struct diff d;

	(void)state;
	setup(&old, "6.1.0", KEY_CALLSITE, 20, 0);
	setup(&new, "6.1.0", KEY_CALLSITE, 20, 0);
	old.facts.kernel_text_address = 0xffffffff81000000;
	new.facts.kernel_text_address = 0xffffffff82000000;
	compare(&d, &old, &new, false);
	assert_true(d.same_kernel && !d.same_boot);
	assert_int_equal(d.tables[0].nr, 2 * SITES);
	assert_int_equal(d.nr_nameless, 2 * SITES);
	for (size_t i = 0; i < 2 * SITES; i++) {
		const struct diff_row *r = &d.tables[0].v[i];

		assert_true(!r->side[DIFF_OLD].hits != !r->side[DIFF_NEW].hits);
		assert_memory_equal(key_of(&d, i), "0x", 2);
	}
	diff_deinit(&d);
	/* by name they are compared, within one kernel with the offset */
	name_sites(&old, 2, "");
	name_sites(&new, 2, "");
	compare(&d, &old, &new, false);
	assert_int_equal(d.tables[0].nr, SITES);
	assert_non_null(strstr(key_of(&d, 0), "+2"));
	diff_deinit(&d);
	teardown(&old);
	teardown(&new);
}

static void test_builds_are_told_apart(void **state)
{
	struct source_facts a = {.osrelease = (char *)"6.1.0", .arch = (char *)"x86_64"}, b = a;

	(void)state;
	assert_true(diff_same_kernel(&a, &b));
	a.kernel_build_id_size = b.kernel_build_id_size = 20;
	assert_true(diff_same_kernel(&a, &b));
	b.kernel_build_id[19] = 1;
	assert_false(diff_same_kernel(&a, &b));
	b.kernel_build_id_size = 0;
	assert_true(diff_same_kernel(&a, &b));
	b.osrelease = NULL;
	assert_false(diff_same_kernel(&a, &b));
}

static void test_objects_are_not_compared(void **state)
{
	struct side old;
	struct diff d;

	(void)state;
	setup(&old, "6.1.0", KEY_PTR, 20, 0);
	compare(&d, &old, &old, false);
	assert_int_equal(d.nr_tables, 0);
	diff_deinit(&d);
	teardown(&old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_changed_is_the_difference),
		cmocka_unit_test(test_the_largest_change_is_first_and_ties_are_in_order),
		cmocka_unit_test(test_rates_are_of_the_time_that_is_covered),
		cmocka_unit_test(test_ranges_that_overlap_are_noise),
		cmocka_unit_test(test_rows_beyond_noise_come_first),
		cmocka_unit_test(test_repeats_of_another_length_are_scaled),
		cmocka_unit_test(test_kernels_are_told_apart),
		cmocka_unit_test(test_other_kernels_match_by_function),
		cmocka_unit_test(test_addresses_of_another_boot_match_nothing),
		cmocka_unit_test(test_builds_are_told_apart),
		cmocka_unit_test(test_objects_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
