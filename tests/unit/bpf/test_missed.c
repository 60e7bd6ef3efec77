// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "util/bpf/attached.h"

/* An interrupt frees objects while both counts are read: the number of events skipped and caught at
 * each. */
struct kernel {
	uint64_t skipped, caught;
	unsigned int burst; /* readings that it still lasts for */
	uint64_t each;
	int error;
};

static void go_on(struct kernel *k)
{
	if (!k->burst)
		return;
	k->burst--;
	k->skipped += k->each;
	k->caught += k->each;
}

static int read_skipped(void *ctx, uint64_t *ret_skipped)
{
	struct kernel *k = ctx;

	go_on(k);
	*ret_skipped = k->skipped;
	return k->error;
}

static uint64_t read_caught(void *ctx)
{
	struct kernel *k = ctx;

	go_on(k);
	return k->caught;
}

static uint64_t missed(struct kernel k)
{
	const struct missed_counts counts = {read_skipped, read_caught, &k};
	uint64_t ret = 12345;

	assert_int_equal(missed_read(&counts, &ret), 0);
	return ret;
}

static void test_what_neither_saw_is_missed(void **state)
{
	(void)state;
	assert_int_equal(missed((struct kernel){0}), 0);
	assert_int_equal(missed((struct kernel){.skipped = 7, .caught = 7}), 0);
	assert_int_equal(missed((struct kernel){.skipped = 7, .caught = 5}), 2);
	/* no second program */
	assert_int_equal(missed((struct kernel){.skipped = 7}), 7);
}

static void test_what_is_caught_meanwhile_is_not_missed(void **state)
{
	(void)state;
	for (unsigned int burst = 1; burst < 100; burst++) {
		const struct kernel nothing = {.burst = burst, .each = 4};
		const struct kernel some = {.skipped = 9, .caught = 6, .burst = burst, .each = 4};

		assert_int_equal(missed(nothing), 0);
		assert_int_equal(missed(some), 3);
	}
}

static void test_a_burst_without_end_is_not_waited_for(void **state)
{
	(void)state;
	assert_int_equal(missed((struct kernel){.burst = UINT32_MAX, .each = 1}), 0);
}

static void test_errors_are_passed_on(void **state)
{
	struct kernel k = {.error = -EPERM};
	const struct missed_counts counts = {read_skipped, read_caught, &k};
	uint64_t ret;

	(void)state;
	assert_int_equal(missed_read(&counts, &ret), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_neither_saw_is_missed),
		cmocka_unit_test(test_what_is_caught_meanwhile_is_not_missed),
		cmocka_unit_test(test_a_burst_without_end_is_not_waited_for),
		cmocka_unit_test(test_errors_are_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
