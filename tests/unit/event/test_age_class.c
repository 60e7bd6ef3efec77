// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/age_class.h"
#include "util/event/migratetype.h"

static void test_limits_belong_to_their_class(void **state)
{
	(void)state;
	assert_int_equal(age_class_of(0), AGE_1MS);
	assert_int_equal(age_class_of(1000000), AGE_1MS);
	assert_int_equal(age_class_of(1000001), AGE_10MS);
	assert_int_equal(age_class_of(60000000000), AGE_1MIN);
	assert_int_equal(age_class_of(UINT64_MAX), AGE_OLDER);
	for (int c = 0; c < AGE_CLASSES_NR; c++) {
		assert_int_equal(age_class_of(age_class_limit_ns((uint64_t)c)), c);
		assert_non_null(age_class_name((uint64_t)c));
	}
	assert_null(age_class_name(AGE_CLASSES_NR));
	assert_int_equal(age_class_limit_ns(AGE_CLASSES_NR), UINT64_MAX);
}

static void test_reasons_have_names(void **state)
{
	(void)state;
	for (int r = 0; r < MIGRATE_REASONS_NR; r++) {
		const char *name = migrate_reason_name((uint64_t)r);

		assert_int_equal(migrate_reason_find(name, strlen(name)), r);
	}
	assert_int_equal(migrate_reason_find("compaction ", 11), MIGRATE_REASON_OTHER);
	assert_int_equal(migrate_reason_find("", 0), MIGRATE_REASON_OTHER);
	assert_null(migrate_reason_name(MIGRATE_REASONS_NR));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits_belong_to_their_class),
		cmocka_unit_test(test_reasons_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
