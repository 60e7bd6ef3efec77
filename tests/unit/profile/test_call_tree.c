// SPDX-License-Identifier: GPL-2.0-or-later
/* Merged callchains, branches, and omitted parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/profile/call_tree.h"

static struct call_tree tree;
static struct value_tree out;
static struct call_tree_limits limits;
static uint32_t root, two;

static int by_number(const void *ctx, uint32_t a, uint32_t b)
{
	(void)ctx;
	return (a > b) - (a < b);
}

/* One chain, which weighs `own`, ends at the node unless that is 0. Ages rise as numbers do. */
static uint32_t add(uint32_t parent, uint32_t function, uint64_t weight, uint64_t nr, uint64_t own)
{
	uint32_t number = call_tree_add(&tree, parent, function, weight, nr, tree.nr_nodes);

	assert_int_not_equal(number, CALL_TREE_NONE);
	if (own)
		call_tree_end(&tree, number, own, 1);
	return number;
}

static void arrange(enum value_tree_look look, double min_percent)
{
	const struct call_tree_shape shape = {.look = look, .min_percent = min_percent};

	out = (struct value_tree){.whole = 1000, .weight = 100};
	assert_int_equal(call_tree_arrange(&tree, &shape, by_number, NULL, &out), 0);
}

static int setup(void **state)
{
	(void)state;
	limits = (struct call_tree_limits){.steps = 10000, .nodes_max = 100};
	call_tree_init(&tree, &limits);
	root = add(CALL_TREE_NONE, 0, 100, 4, 0);
	two = add(add(root, 1, 95, 3, 0), 2, 95, 3, 15);
	add(two, 3, 60, 1, 60);
	add(add(two, 4, 20, 1, 0), 5, 20, 1, 20);
	add(root, 6, 5, 1, 5);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	call_tree_deinit(&tree);
	return 0;
}

static const struct value_branch *branch(size_t i)
{
	return &out.branches[i];
}

static void chains_that_begin_alike_are_one_branch(void **state)
{
	const struct value_branch *b;

	(void)state;
	arrange(TREE_GRAPH, 0);
	assert_int_equal(out.nr_branches, 2);
	b = branch(out.first);
	assert_int_equal(b->nr_items, 2);
	assert_int_equal(b->items[0], 1);
	assert_int_equal(b->items[1], 2);
	assert_int_equal(b->weight, 95);
	assert_int_equal(b->nr, 3);
	assert_int_equal(b->own, 15);
	assert_int_equal(branch(out.first + 1)->items[0], 6);
}

static void the_heaviest_branch_is_first(void **state)
{
	const struct value_branch *b;

	(void)state;
	arrange(TREE_GRAPH, 0);
	b = branch(out.first);
	assert_int_equal(b->nr_branches, 2);
	assert_int_equal(branch(b->first)->weight, 60);
	assert_int_equal(branch(b->first)->items[0], 3);
	assert_int_equal(branch(b->first + 1)->weight, 20);
	assert_int_equal(branch(b->first + 1)->nr_items, 2);
	assert_int_equal(branch(b->first + 1)->items[1], 5);
}

static void less_than_the_least_of_the_whole_is_left_out(void **state)
{
	(void)state;
	arrange(TREE_GRAPH, 2.5); /* 25 of 1000 */
	assert_int_equal(out.nr_branches, 1);
	assert_int_equal(branch(out.first)->nr_branches, 1);
}

static void a_fractal_tree_leaves_out_by_what_it_branches_off_from(void **state)
{
	(void)state;
	arrange(TREE_FRACTAL, 25.0); /* of 100, and of 80 */
	assert_int_equal(out.nr_branches, 1);
	assert_int_equal(branch(out.first)->nr_branches, 2);
}

static void a_flat_tree_has_a_branch_for_each_chain(void **state)
{
	(void)state;
	arrange(TREE_FLAT, 0);
	assert_int_equal(out.nr_branches, 4);
	assert_int_equal(branch(out.first)->own, 60);
	assert_int_equal(branch(out.first)->nr_items, 3);
	assert_int_equal(branch(out.first)->items[0], 1);
	assert_int_equal(branch(out.first)->items[2], 3);
	assert_int_equal(branch(out.first + 2)->own, 15);
	assert_int_equal(branch(out.first + 2)->weight, 95);
}

static void a_branch_ends_where_others_are_left_out(void **state)
{
	uint32_t seven = add(root, 7, 40, 2, 0);

	(void)state;
	add(seven, 8, 39, 1, 39);
	call_tree_leave_out(&tree, seven, 1);
	arrange(TREE_GRAPH, 2.5);
	assert_int_equal(branch(out.first + 1)->nr_items, 1);
	assert_int_equal(branch(out.first + 1)->items[0], 7);
	assert_int_equal(branch(out.first + 1)->nr_branches, 1);
}

static void chains_of_equal_weight_are_listed_by_the_age_of_their_callers(void **state)
{
	uint32_t young = call_tree_add(&tree, root, 7, 30, 1, 200);
	uint32_t old = call_tree_add(&tree, root, 8, 30, 1, 100);

	(void)state;
	call_tree_end(&tree, call_tree_add(&tree, young, 9, 30, 1, 201), 30, 1);
	call_tree_end(&tree, call_tree_add(&tree, old, 10, 30, 1, 101), 30, 1);
	arrange(TREE_FLAT, 0);
	assert_int_equal(branch(out.first + 1)->items[0], 8);
	assert_int_equal(branch(out.first + 2)->items[0], 7);
}

static void without_chains_there_are_no_branches(void **state)
{
	(void)state;
	call_tree_deinit(&tree);
	call_tree_init(&tree, &limits);
	arrange(TREE_GRAPH, 0);
	assert_int_equal(out.nr_branches, 0);
}

static void without_steps_nothing_more_is_shown(void **state)
{
	(void)state;
	limits.steps = CALL_TREE_ITEM_STEPS;
	arrange(TREE_GRAPH, 0);
	assert_true(limits.reached);
	assert_int_equal(out.nr_branches, 2);
	assert_int_equal(branch(out.first)->nr_items, 1);
	assert_int_equal(branch(out.first)->nr_branches, 0);
}

static void a_tree_has_room_for_some_nodes(void **state)
{
	(void)state;
	assert_true(call_tree_has_room(&tree));
	assert_false(limits.reached);
	limits.nodes_max = tree.nr_nodes;
	assert_false(call_tree_has_room(&tree));
	assert_true(limits.reached);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(chains_that_begin_alike_are_one_branch),
		TEST(the_heaviest_branch_is_first),
		TEST(less_than_the_least_of_the_whole_is_left_out),
		TEST(a_fractal_tree_leaves_out_by_what_it_branches_off_from),
		TEST(a_flat_tree_has_a_branch_for_each_chain),
		TEST(a_branch_ends_where_others_are_left_out),
		TEST(without_steps_nothing_more_is_shown),
		TEST(a_tree_has_room_for_some_nodes),
		TEST(chains_of_equal_weight_are_listed_by_the_age_of_their_callers),
		TEST(without_chains_there_are_no_branches),
	};

	return cmocka_run_group_tests_name("call_tree", tests, NULL, NULL);
}
