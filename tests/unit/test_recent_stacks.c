// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/intern.h"
#include "util/kmem/recent_stacks.h"

static struct sample sample_of(const uint64_t *frames, uint64_t nr)
{
	return (struct sample){.callchain = (const uint8_t *)frames, .nr_callchain = nr};
}

/* By the frames, the call site and the user's callchain. */
static void test_what_was_added_is_found(void **state)
{
	static const uint64_t frames[] = {1, 2, 3}, others[] = {1, 2, 4};
	const struct sample a = sample_of(frames, 3), b = sample_of(others, 3),
			    c = sample_of(frames, 2), none = sample_of(NULL, 0);
	struct recent_stacks r = {NULL};

	(void)state;
	assert_int_equal(recent_stacks_find(&r, &a, 2, 7), INTERN_NONE);
	recent_stacks_add(&r, &a, 2, 7, 0);
	recent_stacks_add(&r, &none, 2, 7, 5);
	assert_int_equal(recent_stacks_find(&r, &a, 2, 7), 0);
	assert_int_equal(recent_stacks_find(&r, &none, 2, 7), 5);
	assert_int_equal(recent_stacks_find(&r, &a, 3, 7), INTERN_NONE);
	assert_int_equal(recent_stacks_find(&r, &a, 2, 8), INTERN_NONE);
	assert_int_equal(recent_stacks_find(&r, &b, 2, 7), INTERN_NONE);
	assert_int_equal(recent_stacks_find(&r, &c, 2, 7), INTERN_NONE);
	recent_stacks_clear(&r);
	assert_int_equal(recent_stacks_find(&r, &a, 2, 7), INTERN_NONE);
	recent_stacks_deinit(&r);
}

/* More than there are places: each is found with its own number, or not at all. */
static void test_a_taken_place_is_never_another_stack(void **state)
{
	struct recent_stacks r = {NULL};
	uint64_t frame, found = 0;
	const struct sample s = sample_of(&frame, 1);

	(void)state;
	for (frame = 0; frame < 4 * RECENT_STACKS; frame++)
		recent_stacks_add(&r, &s, 0, INTERN_NONE, (uint32_t)frame);
	for (frame = 0; frame < 4 * RECENT_STACKS; frame++) {
		uint32_t number = recent_stacks_find(&r, &s, 0, INTERN_NONE);

		assert_true(number == INTERN_NONE || number == frame);
		found += number != INTERN_NONE;
	}
	assert_in_range(found, RECENT_STACKS / 2, RECENT_STACKS);
	recent_stacks_deinit(&r);
}

static void test_long_callchains_are_not_remembered(void **state)
{
	static const uint64_t frames[RECENT_STACK_FRAMES + 1];
	const struct sample s = sample_of(frames, RECENT_STACK_FRAMES + 1);
	struct recent_stacks r = {NULL};

	(void)state;
	recent_stacks_add(&r, &s, 0, 0, 1);
	assert_int_equal(recent_stacks_find(&r, &s, 0, 0), INTERN_NONE);
	recent_stacks_deinit(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_added_is_found),
		cmocka_unit_test(test_a_taken_place_is_never_another_stack),
		cmocka_unit_test(test_long_callchains_are_not_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
