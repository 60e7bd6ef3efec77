// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "util/base/table.h"

struct row {
	uint64_t key;
	uint64_t value;
};

static void test_empty(void **state)
{
	struct table t;
	uint64_t key = 1;

	(void)state;
	table_init(&t, sizeof(struct row), sizeof(uint64_t));
	assert_null(table_find(&t, &key));
	table_prefetch_slot(&t, table_hash_u64(&t, key));
	table_prefetch_row(&t, table_hash_u64(&t, key), 0);
	table_deinit(&t);
}

static void test_rows_stand_in_order_of_insertion(void **state)
{
	struct table t;

	(void)state;
	table_init(&t, sizeof(struct row), sizeof(uint64_t));
	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t key = i << 12;
		struct row *r = table_insert(&t, &key);

		assert_int_equal(r->value, 0);
		r->value = i;
		assert_int_equal(table_index(&t, table_insert(&t, &key)), i);
	}
	assert_int_equal(t.nr, 10000);
	for (uint32_t i = 0; i < t.nr; i++) {
		struct row *r = table_row(&t, i);

		assert_int_equal(r->value, i);
		assert_int_equal(table_index(&t, r), i);
		assert_ptr_equal(table_find(&t, &r->key), r);
	}
	table_deinit(&t);
}

/* Random inserts and removes, compared with an array of the expected rows. */
static void test_remove_against_a_model(void **state)
{
	enum { KEYS = 700 };
	uint64_t model[KEYS] = {0};
	struct table t;
	uint32_t nr = 0;

	(void)state;
	srand(42);
	table_init(&t, sizeof(struct row), sizeof(uint64_t));
	for (uint64_t step = 1; step < 200000; step++) {
		uint64_t key = (uint64_t)rand() % KEYS;
		struct row *r = table_find(&t, &key);

		assert_int_equal(!!r, !!model[key]);
		if (r) {
			assert_int_equal(r->value, model[key]);
			table_remove(&t, r);
			model[key] = 0;
			nr--;
		} else {
			r = table_insert(&t, &key);
			r->value = model[key] = step;
			nr++;
		}
		assert_int_equal(t.nr, nr);
	}
	for (uint64_t key = 0; key < KEYS; key++) {
		const struct row *r = table_find(&t, &key);

		assert_int_equal(r ? r->value : 0, model[key]);
	}
	table_deinit(&t);
}

/* Rows do not move, the place of a removed one is reused, and a walk visits each once. */
static void test_gaps(void **state)
{
	struct table t;
	uint64_t key, at = 0, sum = 0, nr = 0;
	const struct row *r;
	uint32_t place;

	(void)state;
	table_init(&t, sizeof(struct row), sizeof(uint64_t));
	assert_null(table_next(&t, &at));
	for (key = 1; key <= 100; key++)
		table_insert(&t, &key);
	for (key = 10; key <= 50; key += 10)
		table_remove(&t, table_find(&t, &key));
	key = 100;
	assert_int_equal(table_index(&t, table_find(&t, &key)), 99);
	key = 50;
	place = 49; /* the latest gap */
	assert_int_equal(table_index(&t, table_insert(&t, &key)), place);
	key = 1000;
	assert_int_equal(table_index(&t, table_insert(&t, &key)), 39);
	assert_int_equal(t.nr, 97);
	assert_int_equal(t.top, 100);
	for (at = 0; (r = table_next(&t, &at)); nr++)
		sum += r->key;
	assert_int_equal(nr, 97);
	assert_int_equal(sum, 5050 - 10 - 20 - 30 - 40 + 1000);
	table_deinit(&t);
}

/* A key whose size is not a multiple of eight bytes, in rows with more data. */
static void test_odd_key(void **state)
{
	struct {
		char key[12];
		uint32_t value;
	} * r;
	struct table t;

	(void)state;
	table_init(&t, sizeof(*r), 12);
	r = table_insert(&t, "aaaaaaaaaaaa");
	r->value = 1;
	r = table_insert(&t, "aaaaaaaaaaab");
	assert_int_equal(r->value, 0);
	r->value = 2;
	r = table_find(&t, "aaaaaaaaaaaa");
	assert_int_equal(r->value, 1);
	assert_null(table_find(&t, "baaaaaaaaaaa"));
	table_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_rows_stand_in_order_of_insertion),
		cmocka_unit_test(test_remove_against_a_model),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_odd_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
