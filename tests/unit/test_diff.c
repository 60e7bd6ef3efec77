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

#include <unistd.h>

#include "tests/fixture/fixture.h"
#include "util/report/diff.h"
#include "util/report/key_format.h"

/* The scenario of tests/fixture: object i is allocated in microsecond i, from second 1 on. */
#define START_NS 1000000000ull

struct side {
	struct kmem_analysis a;
	struct event_source *source;
	struct time_window windows[2];
};

/* The objects of some windows; nr 0: all objects. */
static void run(struct side *s, const char *release, enum kmem_key by, size_t nr)
{
	const struct fixture_options fixture = {.long_size = 8, .release = release};
	struct kmem_options options = {.wanted = {[ACCOUNT_slab] = true},
				       .slab_tables = {{{by}, 1}},
				       .nr_slab_tables = 1,
				       .windows = s->windows,
				       .nr_windows = nr};
	char path[] = "/tmp/test_diff.XXXXXX";

	close(mkstemp(path));
	assert_int_equal(fixture_write(&fixture, path), 0);
	assert_int_equal(
		event_source_open(path, &(struct source_options){.force = true}, &s->source, NULL),
		0);
	assert_int_equal(kmem_analysis_run(&s->a, s->source, &options, NULL), 0);
	unlink(path);
}

static void end(struct side *s)
{
	kmem_analysis_deinit(&s->a);
	event_source_free(s->source);
}

static void test_what_changed_is_the_difference(void **state)
{
	struct side old = {.windows = {{START_NS, START_NS + 39000}}}, new = {0};
	double hits = 0, live = 0;
	struct diff d;

	(void)state;
	run(&old, NULL, KEY_CPU, 1);
	run(&new, NULL, KEY_CPU, 0);
	assert_int_equal(diff_init(&d, &old.a, &new.a, false), 0);
	assert_int_equal(d.nr_tables, 1);
	assert_int_equal(d.tables[0].nr, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct diff_row *r = &d.tables[0].v[i];

		assert_true(r->side[DIFF_OLD].hits == 10 && r->side[DIFF_NEW].hits == 25);
		hits += r->side[DIFF_NEW].hits - r->side[DIFF_OLD].hits;
		live += r->side[DIFF_NEW].live_hits;
		assert_int_equal(strlen(diff_row_key(&d, r, 0)), 1);
	}
	assert_true(hits == 60 && live == 20);
	diff_deinit(&d);
	end(&old);
	end(&new);
}

static void test_the_largest_change_is_first_and_ties_are_in_order(void **state)
{
	struct side old = {.windows = {{START_NS, START_NS + 39000}}}, new = {0};
	struct diff d;

	(void)state;
	run(&old, NULL, KEY_CPU, 1);
	run(&new, NULL, KEY_CPU, 0);
	diff_init(&d, &old.a, &new.a, false);
	/* later objects are larger, and CPU 3 has the last of every four */
	assert_string_equal(diff_row_key(&d, &d.tables[0].v[0], 0), "3");
	assert_string_equal(diff_row_key(&d, &d.tables[0].v[3], 0), "0");
	diff_deinit(&d);
	diff_init(&d, &new.a, &new.a, false);
	assert_string_equal(diff_row_key(&d, &d.tables[0].v[0], 0), "0");
	assert_string_equal(diff_row_key(&d, &d.tables[0].v[3], 0), "3");
	diff_deinit(&d);
	end(&old);
	end(&new);
}

static void test_rates_are_of_the_windows(void **state)
{
	/* overlapping: 20 us in all */
	struct side old = {
		.windows = {{START_NS, START_NS + 15000}, {START_NS + 10000, START_NS + 20000}}};
	struct side new = {.windows = {{0, START_NS + 10000}}};
	struct diff d;

	(void)state;
	run(&old, NULL, KEY_CPU, 2);
	run(&new, NULL, KEY_CPU, 1);
	diff_init(&d, &old.a, &new.a, true);
	assert_true(d.seconds[DIFF_OLD] > 19.9e-6 && d.seconds[DIFF_OLD] < 20.1e-6);
	assert_true(d.seconds[DIFF_NEW] > 9.9e-6 && d.seconds[DIFF_NEW] < 10.1e-6);
	/* objects 0, 4, 8, 12, 16, 20 in 20 us */
	for (size_t i = 0; i < d.tables[0].nr; i++)
		if (!strcmp(diff_row_key(&d, &d.tables[0].v[i], 0), "0"))
			assert_true(d.tables[0].v[i].side[DIFF_OLD].hits > 299999 &&
				    d.tables[0].v[i].side[DIFF_OLD].hits < 300001);
	diff_deinit(&d);
	end(&old);
	end(&new);
}

static void test_kernels_are_told_apart(void **state)
{
	struct side old = {0}, same = {0}, other = {0};
	struct diff d;

	(void)state;
	run(&old, "6.1.0", KEY_CALLSITE, 0);
	run(&same, "6.1.0", KEY_CALLSITE, 0);
	run(&other, "6.2.0", KEY_CALLSITE, 0);
	diff_init(&d, &old.a, &same.a, false);
	assert_true(d.same_kernel);
	assert_int_equal(d.tables[0].nr, 5);
	for (size_t i = 0; i < 5; i++)
		assert_true(d.tables[0].v[i].side[DIFF_OLD].bytes ==
			    d.tables[0].v[i].side[DIFF_NEW].bytes);
	diff_deinit(&d);
	diff_init(&d, &old.a, &other.a, false);
	assert_false(d.same_kernel);
	diff_deinit(&d);
	end(&old);
	end(&same);
	end(&other);
}

static struct source_facts *recording_of(struct side *s)
{
	return (struct source_facts *)(uintptr_t)s->a.recording;
}

/* Each call site of the only table gets a symbol of its own, which starts `before` bytes before
 * it. */
static void name_sites(struct side *s, unsigned int before, const char *suffix)
{
	struct strbuf sb = STRBUF_INIT;
	uint64_t moved_by;
	size_t len;

	for (uint32_t i = 0; i < s->a.accounts.slab->tables[0].rows.nr; i++) {
		uint64_t key = *stat_table_keys(&s->a.accounts.slab->tables[0], i);
		size_t nr;

		if (s->a.accounts.slab->tables[0].by[0] == KEY_STACK)
			key = *key_stack_frames(&s->a, key, &nr);
		strbuf_addf(&sb, "%llx T f%u%s\n", (unsigned long long)key - before, i, suffix);
	}
	len = sb.len;
	symbols_deinit(&s->a.naming.symbols);
	symbol_table_init(&s->a.naming.symbols.tables[0], strbuf_detach(&sb), len, "", 0,
			  &moved_by);
	s->a.naming.symbols.nr_tables = 1;
}

/* Callchains of two kernels used not to match: their offsets differ. */
static void test_other_kernels_match_by_function(void **state)
{
	static const enum kmem_key keys[] = {KEY_CALLSITE, KEY_STACK};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct side old = {0}, new = {0};
		struct diff d;

		run(&old, "6.1.0", keys[k], 0);
		run(&new, "6.2.0", keys[k], 0);
		recording_of(&new)->kernel_text = 0xffffffff82000000;
		name_sites(&old, 3, "");
		name_sites(&new, 1, ".constprop.0");
		diff_init(&d, &old.a, &new.a, false);
		assert_int_equal(d.tables[0].nr, 5);
		assert_int_equal(d.nr_nameless, 0);
		for (size_t i = 0; i < 5; i++) {
			const char *name = diff_row_key(&d, &d.tables[0].v[i], 0);

			assert_true(name[0] == 'f' && !strpbrk(name, "+."));
			assert_true(d.tables[0].v[i].side[DIFF_OLD].hits ==
				    d.tables[0].v[i].side[DIFF_NEW].hits);
		}
		diff_deinit(&d);
		end(&old);
		end(&new);
	}
}

/* In another boot the same address is another function. */
static void test_addresses_of_another_boot_match_nothing(void **state)
{
	struct side old = {0}, new = {0};
	struct diff d;

	(void)state;
	run(&old, "6.1.0", KEY_CALLSITE, 0);
	run(&new, "6.1.0", KEY_CALLSITE, 0);
	symbols_deinit(&old.a.naming.symbols);
	symbols_deinit(&new.a.naming.symbols);
	recording_of(&old)->kernel_text = 0xffffffff81000000;
	recording_of(&new)->kernel_text = 0xffffffff82000000;
	diff_init(&d, &old.a, &new.a, false);
	assert_true(d.same_kernel && !d.same_boot);
	assert_int_equal(d.tables[0].nr, 10);
	assert_int_equal(d.nr_nameless, 10);
	for (size_t i = 0; i < 10; i++) {
		const struct diff_row *r = &d.tables[0].v[i];

		assert_true(!r->side[DIFF_OLD].hits != !r->side[DIFF_NEW].hits);
		assert_memory_equal(diff_row_key(&d, r, 0), "0x", 2);
	}
	diff_deinit(&d);
	/* they are compared by name, and within one kernel with the offset */
	name_sites(&old, 2, "");
	name_sites(&new, 2, "");
	diff_init(&d, &old.a, &new.a, false);
	assert_int_equal(d.tables[0].nr, 5);
	assert_non_null(strstr(diff_row_key(&d, &d.tables[0].v[0], 0), "+2"));
	diff_deinit(&d);
	end(&old);
	end(&new);
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
	b.arch = (char *)"aarch64";
	assert_false(diff_same_kernel(&a, &b));
}

static void test_objects_are_not_compared(void **state)
{
	struct side old = {0};
	struct diff d;

	(void)state;
	run(&old, NULL, KEY_PTR, 0);
	diff_init(&d, &old.a, &old.a, false);
	assert_int_equal(d.nr_tables, 0);
	diff_deinit(&d);
	end(&old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_changed_is_the_difference),
		cmocka_unit_test(test_the_largest_change_is_first_and_ties_are_in_order),
		cmocka_unit_test(test_rates_are_of_the_windows),
		cmocka_unit_test(test_kernels_are_told_apart),
		cmocka_unit_test(test_other_kernels_match_by_function),
		cmocka_unit_test(test_addresses_of_another_boot_match_nothing),
		cmocka_unit_test(test_builds_are_told_apart),
		cmocka_unit_test(test_objects_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
