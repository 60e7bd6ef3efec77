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

#include "util/event/event_key.h"
#include "util/event/key.h"
#include "util/report/column.h"

static void test_every_key_is_found_by_its_name(void **state)
{
	(void)state;
	for (int key = 0; key < KEY_NR; key++) {
		const char *name = kmem_key_name((enum kmem_key)key);

		assert_non_null(name);
		assert_int_equal(kmem_key_find(name, strlen(name)), key);
		assert_int_equal(kmem_key_find(name, strlen(name) - 1), KEY_NR);
		assert_in_range(kmem_key_allocators((enum kmem_key)key), ALLOCATOR_SLAB,
				ALLOCATOR_ALL);
	}
	assert_int_equal(kmem_key_find("", 0), KEY_NR);
	assert_int_equal(kmem_key_find("callsites", 9), KEY_NR);
}

static void test_every_key_has_a_column_of_its_name(void **state)
{
	(void)state;
	for (int key = 0; key < KEY_NR; key++) {
		const struct column *c = column_of_key((enum kmem_key)key);

		assert_non_null(c);
		assert_string_equal(c->name, kmem_key_name((enum kmem_key)key));
		assert_int_equal(c->allocators, kmem_key_allocators((enum kmem_key)key));
	}
}

static void test_values_compare_as_what_they_are(void **state)
{
	struct key_names names;
	uint64_t b, a;

	(void)state;
	key_names_init(&names);
	b = intern_add_str(&names.strings, "b");
	a = intern_add_str(&names.strings, "a");
	assert_true(kmem_key_compare(KEY_COMM, &names, a, b) < 0);
	assert_true(kmem_key_compare(KEY_COMM, &names, b, a) > 0);
	assert_int_equal(kmem_key_compare(KEY_COMM, &names, a, a), 0);
	assert_true(kmem_key_compare(KEY_NODE, &names, UINT64_MAX, 0) < 0); /* -1 */
	assert_true(kmem_key_compare(KEY_PTR, NULL, UINT64_MAX, 0) > 0);
	assert_true(kmem_key_compare(KEY_ORDER, NULL, 3, 9) < 0);
	key_names_deinit(&names);
}

/* Bytes after the part of an event that a key needs do not change its value. */
static void test_the_extent_of_events_has_every_key(void **state)
{
	static const enum kmem_kind kinds[] = {KMEM_SLAB_ALLOC, KMEM_PAGE_ALLOC};
	struct kmem_event ev, cut;

	(void)state;
	for (int key = 0; key < KEY_NR; key++) {
		size_t extent = kmem_event_extent(KMEM_ALLOCATIONS, KEY_BIT(key));

		assert_true(extent <= sizeof(ev) && extent % 8 == 0);
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			memset(&ev, 0x25, sizeof(ev));
			ev.kind = (uint8_t)kinds[i];
			cut = ev;
			memset((char *)&cut + extent, 0x5a, sizeof(cut) - extent);
			if (kinds[i] == KMEM_SLAB_ALLOC)
				assert_int_equal(cut.cache_id, ev.cache_id);
			assert_true(kmem_event_key(&cut, (enum kmem_key)key) ==
				    kmem_event_key(&ev, (enum kmem_key)key));
		}
	}
	assert_int_equal(kmem_event_extent(KIND_BIT(KMEM_PAGE_ALLOC), 0), 64);
	assert_true(kmem_event_extent(KIND_BIT(KMEM_SLAB_FREE), 0) >
		    offsetof(struct kmem_event, cache_id));
	assert_int_equal(
		kmem_event_extent(KMEM_ALLOCATIONS, KEY_BIT(KEY_CALLSITE) | KEY_BIT(KEY_COMM)), 80);
	/* the fields of an account's own tracepoints */
	assert_int_equal(kmem_event_extent(KIND_BIT(KMEM_OWN), 0), sizeof(ev));
}

static void test_limits_belong_to_their_age_class(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key_is_found_by_its_name),
		cmocka_unit_test(test_every_key_has_a_column_of_its_name),
		cmocka_unit_test(test_values_compare_as_what_they_are),
		cmocka_unit_test(test_the_extent_of_events_has_every_key),
		cmocka_unit_test(test_limits_belong_to_their_age_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
