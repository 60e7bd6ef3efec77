// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows and what they count, of samples of a kernel with four functions. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include "util/profile/fields.h"
#include "util/profile/histogram.h"

#define ALLOC 0xffffffff81001000
#define READ  0xffffffff81002000
#define OPEN  0xffffffff81003000
#define ENTRY 0xffffffff81004000

static const char kallsyms[] = "ffffffff81001000 T alloc\nffffffff81002000 T do_read\n"
			       "ffffffff81003000 T do_open\nffffffff81004000 T entry\n"
			       "ffffffff81005000 T _etext\n";

static struct source_facts facts;
static struct source_event event = {.period = 1, .name = (char *)(uintptr_t) "kmem:kmalloc"};
static struct profile profile;
static struct symbols kernel;
static struct functions functions;
static struct histogram histogram;
static struct histogram_options options;
static struct histogram_limits limits;

static void sample(uint32_t tid, uint64_t nr, const uint64_t *chain)
{
	const struct sample s = {.event = &event,
				 .pid = tid,
				 .tid = tid,
				 .ip = nr > 1 ? chain[1] : 0,
				 .callchain = (const uint8_t *)chain,
				 .nr_callchain = nr};

	assert_int_equal(profile_add(&profile, &s, 0), 0);
}

#define SAMPLE(tid, ...)                                                                           \
	do {                                                                                       \
		const uint64_t chain_[] = {(uint64_t)PERF_CONTEXT_KERNEL, __VA_ARGS__};            \
		sample(tid, sizeof(chain_) / sizeof(chain_[0]), chain_);                           \
	} while (0)

static int setup(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	source_facts_init(&facts);
	assert_int_equal(profile_init(&profile, &facts, PROFILE_COMM | PROFILE_CHAIN, NULL, &err),
			 0);
	assert_int_equal(
		symbols_init(&kernel, &facts, strdup(kallsyms), strlen(kallsyms), NULL, &err), 0);
	functions_init(&functions, &profile, &kernel, true);
	profile_take_comm(&profile, 7, "cat");
	profile_take_comm(&profile, 8, "tar");
	for (int i = 0; i < 6; i++)
		SAMPLE(7, ALLOC + 8, READ + 4, ENTRY + 9);
	for (int i = 0; i < 3; i++)
		SAMPLE(7, ALLOC + 8, OPEN + 4, READ + 1, ENTRY + 9);
	SAMPLE(8, OPEN + 4, OPEN + 8, ENTRY + 9); /* recursion */
	histogram_limits_init(&limits, 0);
	options = (struct histogram_options){
		.limits = &limits, .trees = true, .children = true, .caller_first = true};
	fields_parse(&options.keys, "comm,symbol", NULL);
	fields_parse(&options.order, "overhead_children,overhead,comm,symbol", NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	histogram_deinit(&histogram);
	functions_deinit(&functions);
	symbols_deinit(&kernel);
	profile_deinit(&profile);
	source_facts_deinit(&facts);
	return 0;
}

static void make(void)
{
	assert_int_equal(
		histogram_init(&histogram, &profile, &functions, &options, HISTOGRAM_ALL_EVENTS),
		0);
}

static const char *comm_of(uint32_t i)
{
	return profile_string(&profile, histogram_shown(&histogram, i)->ids[FIELD_COMM]);
}

static const char *symbol_of(uint32_t i)
{
	static struct strbuf text;

	text = (struct strbuf)STRBUF_INIT;
	return function_name(&functions, histogram_shown(&histogram, i)->ids[FIELD_SYMBOL], &text);
}

static void samples_that_are_the_same_are_counted_once(void **state)
{
	(void)state;
	assert_int_equal(profile.rows.nr, 3);
	assert_int_equal(profile_row(&profile, 0)->nr, 6);
	make();
	assert_int_equal(histogram.nr, 10);
	assert_int_equal(histogram.period, 10);
}

static void callers_count_what_they_call(void **state)
{
	(void)state;
	make();
	/* cat: entry, do_read, alloc, do_open; tar: entry, do_open */
	assert_int_equal(histogram.nr_shown, 6);
	assert_string_equal(symbol_of(0), "alloc");
	assert_string_equal(symbol_of(1), "entry");
	assert_string_equal(symbol_of(2), "do_read");
	assert_int_equal(histogram_shown(&histogram, 0)->total, 9);
	assert_int_equal(histogram_shown(&histogram, 0)->period, 9);
	assert_int_equal(histogram_shown(&histogram, 2)->total, 9);
	assert_int_equal(histogram_shown(&histogram, 2)->period, 0);
	assert_int_equal(histogram_shown(&histogram, 3)->total, 3);
}

static void rows_beyond_the_limit_are_left_out(void **state)
{
	(void)state;
	limits.rows_left = 2;
	make();
	assert_int_equal(histogram.nr_shown, 2);
	assert_true(limits.rows_reached);
	/* of the whole recording, even so */
	assert_int_equal(histogram.nr, 10);
}

static void recursion_counts_once(void **state)
{
	uint32_t i = 4;

	(void)state;
	make();
	assert_string_equal(comm_of(i), "tar");
	while (strcmp(symbol_of(i), "do_open") != 0)
		i++;
	assert_int_equal(histogram_shown(&histogram, i)->total, 1);
	assert_int_equal(histogram_shown(&histogram, i)->period, 1);
}

static void without_children_only_where_samples_were_taken(void **state)
{
	struct value_tree tree;

	(void)state;
	options.children = options.caller_first = false;
	make();
	assert_int_equal(histogram.nr_shown, 2);
	assert_string_equal(symbol_of(0), "alloc");
	assert_int_equal(histogram_shown(&histogram, 0)->period, 9);
	assert_int_equal(histogram_tree(&histogram, histogram_shown(&histogram, 0), &tree), 0);
	assert_int_equal(tree.nr_branches, 1);
	assert_int_equal(tree.branches[tree.first].nr_items, 1); /* alloc, then read or open */
	assert_int_equal(tree.branches[tree.first].nr_branches, 2);
}

static void without_callchains_inlined_functions_are_not_looked_for(void **state)
{
	(void)state;
	options.children = options.trees = false;
	make();
	assert_int_equal(histogram.nr_shown, 2);
	assert_int_equal(functions.nr_lists, 0);
}

static void a_tree_starts_at_its_row(void **state)
{
	const struct value_branch *b;
	struct value_tree tree;

	(void)state;
	make();
	assert_int_equal(histogram_tree(&histogram, histogram_shown(&histogram, 2), &tree), 0);
	assert_int_equal(tree.nr_branches, 1);
	b = &tree.branches[tree.first];
	assert_int_equal(b->items[0], histogram_shown(&histogram, 2)->ids[FIELD_SYMBOL]);
	assert_int_equal(b->weight, 9);
	assert_int_equal(b->nr_branches, 2);
}

static bool is_alloc(void *ctx, const struct profile_row *row, uint32_t function)
{
	struct strbuf text = STRBUF_INIT;

	(void)ctx, (void)row;
	return !strcmp(function_name(&functions, function, &text), "alloc");
}

static void of_few_samples_one_may_be_enough_for_a_branch(void **state)
{
	struct value_tree tree;

	(void)state;
	options.children = false;
	options.shape.min_percent = 19; /* of ten: 1.9 */
	make();
	assert_int_equal(histogram_shown(&histogram, 1)->period, 1);
	assert_int_equal(histogram_tree(&histogram, histogram_shown(&histogram, 1), &tree), 0);
	assert_int_equal(tree.nr_branches, 1);
	histogram_deinit(&histogram);
	options.shape.min_percent = 20;
	make();
	assert_int_equal(histogram_tree(&histogram, histogram_shown(&histogram, 1), &tree), 0);
	assert_int_equal(tree.nr_branches, 0);
}

static void percentages_relate_to_all_samples_or_to_those_shown(void **state)
{
	(void)state;
	options.wants = is_alloc;
	make();
	assert_int_equal(histogram_whole(&histogram), 10);
	options.relative = true;
	assert_int_equal(histogram_whole(&histogram), 9);
}

static void rows_with_less_than_the_least_are_not_shown(void **state)
{
	(void)state;
	options.min_percent = 50;
	make();
	assert_int_equal(histogram.nr_shown, 3);
}

static void a_thread_without_a_name_has_its_first_one(void **state)
{
	(void)state;
	SAMPLE(9, ALLOC);
	profile_take_comm(&profile, 9, "late");
	make();
	for (uint32_t i = 0; i < histogram.nr_shown; i++)
		assert_string_not_equal(comm_of(i), ":9");
}

static void fields_are_told_by_their_names(void **state)
{
	struct histogram_fields f = {.nr = 0};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(fields_parse(&f, "sym,comm,symbol", &err), 0);
	assert_int_equal(f.nr, 2);
	assert_int_equal(fields_parts(&f), PROFILE_COMM);
	assert_int_equal(fields_parse(&f, "comm,weight", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'weight'"));
}

/* Rows by a leaf or a callchain; an address that was not recorded may be one of the kernel. */
static void addresses_of_the_kernel_are_told(void **state)
{
	static const uint64_t chains[][2] = {{(uint64_t)PERF_CONTEXT_KERNEL, OPEN},
					     {(uint64_t)PERF_CONTEXT_USER, 0x1000}};
	struct sample s = {.event = &event, .pid = 7, .tid = 7, .in_user = true, .ip = 0x1000};
	struct error err = ERROR_INIT;
	struct source_facts of_user;
	struct profile p;

	(void)state;
	source_facts_init(&of_user);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(profile_init(&p, &of_user, PROFILE_CHAIN, NULL, &err), 0);
		assert_false(profile_has_kernel(&p));
		s.callchain = (const uint8_t *)chains[1];
		s.nr_callchain = 2;
		s.in_user = true;
		assert_int_equal(profile_add(&p, &s, 0), 0);
		assert_false(profile_has_kernel(&p));
		s.callchain = (const uint8_t *)chains[i != 0];
		s.in_user = i != 1;
		s.nr_callchain = i < 2 ? 2 : 0;
		assert_int_equal(profile_add(&p, &s, 0), 0);
		assert_int_equal(profile_has_kernel(&p), i < 2);
		profile_deinit(&p);
	}
	source_facts_deinit(&of_user);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_that_are_the_same_are_counted_once),
		TEST(callers_count_what_they_call),
		TEST(recursion_counts_once),
		TEST(rows_beyond_the_limit_are_left_out),
		TEST(without_children_only_where_samples_were_taken),
		TEST(without_callchains_inlined_functions_are_not_looked_for),
		TEST(a_tree_starts_at_its_row),
		TEST(of_few_samples_one_may_be_enough_for_a_branch),
		TEST(percentages_relate_to_all_samples_or_to_those_shown),
		TEST(rows_with_less_than_the_least_are_not_shown),
		TEST(a_thread_without_a_name_has_its_first_one),
		cmocka_unit_test(addresses_of_the_kernel_are_told),
		cmocka_unit_test(fields_are_told_by_their_names),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
