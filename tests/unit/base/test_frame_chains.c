// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains are returned as they were stored; shared blocks are recognized. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/base/frame_chains.h"

#define NR 100u

static struct frame_chains chains;
static uint64_t frames[NR];

static int setup(void **state)
{
	(void)state;
	frame_chains_init(&chains);
	for (size_t i = 0; i < NR; i++)
		frames[i] = 1000 + i;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	frame_chains_deinit(&chains);
	return 0;
}

/* The chain without this number of inner frames. */
static struct frame_chain get_without(size_t nr)
{
	return frame_chains_get(&chains, frame_chains_add(&chains, frames + nr, NR - nr));
}

static void a_chain_of_any_length_has_its_frames(void **state)
{
	(void)state;
	for (size_t nr = 0; nr <= NR; nr++) {
		struct frame_chain c = get_without(nr);

		assert_int_equal(c.nr, NR - nr);
		for (size_t i = 0; i < c.nr; i++)
			assert_int_equal(frame_chain_at(&c, i), 1000 + nr + i);
	}
}

static void the_same_chain_has_the_same_number(void **state)
{
	uint32_t number = frame_chains_add(&chains, frames, NR);

	(void)state;
	assert_int_not_equal(frame_chains_add(&chains, frames + 1, NR - 1), number);
	assert_int_equal(frame_chains_add(&chains, frames, NR), number);
}

static void chains_with_another_inner_frame_share_all_other_blocks(void **state)
{
	size_t nr_blocks;

	(void)state;
	get_without(0);
	nr_blocks = chains.blocks.nr;
	frames[0] = 1;
	get_without(0);
	assert_int_equal(chains.blocks.nr, nr_blocks + 1);
}

static void new_chains_beyond_the_limit_are_empty(void **state)
{
	uint32_t number = frame_chains_add(&chains, frames, NR);

	(void)state;
	chains.frames_max = NR;
	assert_int_equal(get_without(1).nr, 0);
	assert_int_equal(chains.nr_left_out, 1);
	assert_int_equal(frame_chains_add(&chains, frames, NR), number);
	assert_int_equal(chains.nr_left_out, 1);
}

static void shared_frames_are_those_of_one_block(void **state)
{
	uint32_t whole = frame_chains_add(&chains, frames, NR);
	uint32_t shorter = frame_chains_add(&chains, frames + 10, NR - 10);
	struct frame_chain a = frame_chains_get(&chains, whole);
	struct frame_chain b = frame_chains_get(&chains, shorter);

	(void)state;
	/* blocks begin, from the outermost frame, at 99, 83, 67 */
	assert_int_equal(frame_chain_shared(&a, 90, &b, 80, false), 10);
	assert_int_equal(frame_chain_shared(&a, 90, &b, 80, true), 7);
	assert_int_equal(frame_chain_shared(&a, 83, &b, 73, true), 16);
	assert_int_equal(frame_chain_shared(&a, 90, &b, 79, false), 0);
	/* the last one, of four frames, is not in the other chain */
	assert_int_equal(frame_chain_shared(&a, 3, &a, 3, true), 4);
	assert_int_equal(frame_chain_shared(&a, 12, &b, 2, true), 3);
	assert_int_equal(frame_chain_shared(&a, 12, &b, 3, true), 0);
}

static void frames_of_blocks_that_differ_are_compared(void **state)
{
	/* without the two outermost frames, blocks begin at 97, 81, 65 */
	uint32_t whole = frame_chains_add(&chains, frames, NR);
	uint32_t other = frame_chains_add(&chains, frames, NR - 2);
	struct frame_chain a = frame_chains_get(&chains, whole);
	struct frame_chain b = frame_chains_get(&chains, other);

	(void)state;
	assert_int_equal(frame_chain_shared(&a, 90, &b, 90, true), 7);
	assert_int_equal(frame_chain_shared(&a, 83, &b, 83, true), 2);
	assert_int_equal(frame_chain_shared(&a, 90, &b, 90, false), 8);
	assert_int_equal(frame_chain_shared(&a, 90, &b, 89, false), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_chain_of_any_length_has_its_frames),
		TEST(the_same_chain_has_the_same_number),
		TEST(chains_with_another_inner_frame_share_all_other_blocks),
		TEST(new_chains_beyond_the_limit_are_empty),
		TEST(shared_frames_are_those_of_one_block),
		TEST(frames_of_blocks_that_differ_are_compared),
	};

	return cmocka_run_group_tests_name("frame_chains", tests, NULL, NULL);
}
