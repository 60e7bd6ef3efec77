// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/decode/recent_stacks.h"

static struct sample sample_of(const uint64_t *frames, uint64_t nr)
{
	return (struct sample){.callchain = (const uint8_t *)frames, .nr_callchain = nr};
}

static struct recent_stack *at(struct recent_stacks *r, const struct sample *s, uint64_t callsite,
			       uint32_t user)
{
	struct recent_stack *stack = recent_stacks_at(r, s, callsite, user);

	assert_non_null(stack);
	return stack;
}

/* The key is the frames, the call site and the user's callchain. */
static void test_what_was_added_is_found(void **state)
{
	static const uint64_t frames[] = {1, 2, 3}, others[] = {1, 2, 4}, zeros[] = {1, 2, 3, 0};
	const struct sample a = sample_of(frames, 3), b = sample_of(others, 3),
			    c = sample_of(frames, 2), d = sample_of(zeros, 4),
			    none = sample_of(NULL, 0);
	struct recent_stacks r = {.seed = {0}};

	(void)state;
	assert_int_equal(at(&r, &a, 2, 7)->stack, 0);
	at(&r, &a, 2, 7)->stack = 1;
	at(&r, &a, 2, 7)->callsite = 9;
	at(&r, &none, 2, 7)->stack = 5;
	assert_int_equal(at(&r, &a, 2, 7)->stack, 1);
	assert_int_equal(at(&r, &a, 2, 7)->callsite, 9);
	assert_int_equal(at(&r, &none, 2, 7)->stack, 5);
	assert_int_equal(at(&r, &a, 3, 7)->stack, 0);
	assert_int_equal(at(&r, &a, 2, 8)->stack, 0);
	assert_int_equal(at(&r, &b, 2, 7)->stack, 0);
	assert_int_equal(at(&r, &c, 2, 7)->stack, 0);
	assert_int_equal(at(&r, &d, 2, 7)->stack, 0);
	recent_stacks_clear(&r);
	assert_int_equal(at(&r, &a, 2, 7)->stack, 0);
	recent_stacks_deinit(&r);
}

/* However many there are, and however alike. */
static void test_all_are_found(void **state)
{
	struct recent_stacks r = {.seed = {0}};
	uint64_t frames[64] = {0}, many = 20000;
	const struct sample s = sample_of(frames, 64);

	(void)state;
	for (uint64_t i = 0; i < many; i++) {
		frames[i % 64] = i;
		assert_int_equal(at(&r, &s, 0, 0)->stack, 0);
		at(&r, &s, 0, 0)->stack = i + 1;
	}
	memset(frames, 0, sizeof(frames));
	for (uint64_t i = 0; i < many; i++) {
		frames[i % 64] = i;
		assert_int_equal(at(&r, &s, 0, 0)->stack, i + 1);
	}
	recent_stacks_deinit(&r);
}

/* One with the same first half of the fingerprint is another one. */
static void test_halves_are_not_enough(void **state)
{
	static const uint64_t frames[] = {1, 2, 3};
	const struct sample s = sample_of(frames, 3);
	struct recent_stacks r = {.seed = {0}};

	(void)state;
	at(&r, &s, 0, 0)->stack = 4;
	at(&r, &s, 0, 0)->print[1] ^= 1; /* as if it were another callchain's */
	assert_int_equal(at(&r, &s, 0, 0)->stack, 0);
	recent_stacks_deinit(&r);
}

static void test_memory_is_bounded(void **state)
{
	struct recent_stacks r = {.seed = {0}};
	const struct sample none = sample_of(NULL, 0);

	(void)state;
	for (uint64_t i = 0; i < RECENT_STACKS_MAX + 10; i++)
		at(&r, &none, i, 0)->stack = i + 1;
	assert_in_range(r.nr, 1, RECENT_STACKS_MAX);
	assert_int_equal(at(&r, &none, RECENT_STACKS_MAX + 9, 0)->stack, RECENT_STACKS_MAX + 10);
	recent_stacks_deinit(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_added_is_found),
		cmocka_unit_test(test_all_are_found),
		cmocka_unit_test(test_halves_are_not_enough),
		cmocka_unit_test(test_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
