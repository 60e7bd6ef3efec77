// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/machine/callchain.h"

#define MARKER(context) ((uint64_t)PERF_CONTEXT_##context)

static struct callchain chain(const uint64_t *entries, uint64_t nr)
{
	return callchain_make((const uint8_t *)entries, nr, false);
}

static void test_frames_know_their_context(void **state)
{
	static const uint64_t entries[] = {1, MARKER(KERNEL),	       2, 3, MARKER(USER),
					   4, CALLCHAIN_USER_DEFERRED, 5};
	static const enum callchain_context contexts[] = {
		CONTEXT_NONE, CONTEXT_KERNEL, CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_OTHER};
	struct callchain c = chain(entries, 8);
	uint64_t address;

	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		assert_true(callchain_next(&c, &address));
		assert_int_equal(address, i + 1);
		assert_int_equal(c.context, contexts[i]);
	}
	assert_true(callchain_is_sound(&c));
	assert_false(callchain_next(&c, &address));
	assert_false(c.broken);
}

static void test_a_marker_that_no_kernel_writes(void **state)
{
	static const uint64_t entries[] = {MARKER(KERNEL), 1, (uint64_t)-3, 2, MARKER(KERNEL), 3};
	struct callchain c = chain(entries, 6);
	uint64_t address;

	(void)state;
	assert_true(callchain_next(&c, &address));
	assert_false(c.broken);
	assert_false(callchain_is_sound(&c)); /* as is to be seen further on */
	assert_true(callchain_next(&c, &address));
	assert_int_equal(address, 2);
	assert_int_equal(c.context, CONTEXT_BROKEN);
	assert_true(c.broken);
	assert_true(callchain_next(&c, &address));
	assert_int_equal(c.context, CONTEXT_KERNEL);
	assert_true(c.broken);
	assert_false(callchain_is_sound(&c));
}

/* A frame pointer register can hold any value. */
static void test_a_user_frame_like_a_marker(void **state)
{
	static const uint64_t entries[] = {MARKER(KERNEL), 1, MARKER(USER), 2,
					   (uint64_t)-184, 3, (uint64_t)-1};
	struct callchain c = chain(entries, 7);
	uint64_t address;

	(void)state;
	for (uint64_t i = 1; i <= 3; i++) {
		assert_true(callchain_is_sound(&c));
		assert_true(callchain_next(&c, &address));
		assert_int_equal(address, i);
		assert_int_equal(c.context, i == 1 ? CONTEXT_KERNEL : CONTEXT_USER);
	}
	assert_false(callchain_next(&c, &address));
	assert_false(c.broken);
}

static void test_the_other_byte_order(void **state)
{
	const uint64_t entries[] = {__builtin_bswap64(MARKER(KERNEL)), __builtin_bswap64(0x1234)};
	struct callchain c = callchain_make((const uint8_t *)entries, 2, true);
	uint64_t address = 0;

	(void)state;
	assert_true(callchain_next(&c, &address));
	assert_int_equal(address, 0x1234);
	assert_int_equal(c.context, CONTEXT_KERNEL);
}

static void test_no_chain(void **state)
{
	struct callchain c = chain(NULL, 0);
	uint64_t address;

	(void)state;
	assert_false(callchain_next(&c, &address));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_know_their_context),
		cmocka_unit_test(test_a_marker_that_no_kernel_writes),
		cmocka_unit_test(test_a_user_frame_like_a_marker),
		cmocka_unit_test(test_the_other_byte_order),
		cmocka_unit_test(test_no_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
