// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/cache_id.h"

static void test_a_name_has_one_number(void **state)
{
	char copy[] = "filp";

	(void)state;
	assert_int_equal(cache_id_of("filp", 4), cache_id_of(copy, 4));
	assert_int_equal(cache_id_of("", 0), CACHE_ID_OWN);
	assert_int_equal(cache_id_of(NULL, 0), CACHE_ID_OWN);
}

/* The bytes before a name make no difference. */
static void test_a_name_behind_something(void **state)
{
	static const char text[] = "raw data, of 16 bytes or more: skbuff_fclone_cache";
	const char *end = text + sizeof(text) - 1;

	(void)state;
	for (size_t len = 0; len <= 19; len++)
		assert_int_equal(cache_id_ending(end, len), cache_id_of(end - len, len));
}

/* Names that differ in the last letter, the length, or on either side of a word's end. */
static void test_names_differ(void **state)
{
	static const char *const names[] = {"filp",
					    "file",
					    "fil",
					    "skbuff_f",
					    "skbuff_fc",
					    "skbuff_fclone",
					    "skbuff_fclone_c",
					    "io_kiocb",
					    "io_kiocc",
					    "skbuff_head_cache",
					    "skbuff_ext_cache"};
	const size_t nr = sizeof(names) / sizeof(names[0]);

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		uint32_t id = cache_id_of(names[i], strlen(names[i]));

		assert_true(id > CACHE_ID_OWN && id < 1u << CACHE_ID_BITS);
		for (size_t j = 0; j < nr; j++)
			assert_int_equal(
				cache_ids_differ(id, cache_id_of(names[j], strlen(names[j]))),
				i != j);
	}
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A machine has some two hundred. */
static void test_many_names_have_many_numbers(void **state)
{
	uint32_t ids[1000];
	char name[32];
	int same = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "cache-%d", i);
		ids[i] = cache_id_of(name, strlen(name));
	}
	qsort(ids, 1000, sizeof(ids[0]), by_number);
	for (int i = 1; i < 1000; i++)
		same += ids[i] == ids[i - 1];
	assert_in_range(same, 0, 1);
}

static void test_what_is_not_known_does_not_differ(void **state)
{
	const uint32_t named = cache_id_of("filp", 4);

	(void)state;
	assert_false(cache_ids_differ(CACHE_ID_ANY, CACHE_ID_KMALLOC));
	assert_false(cache_ids_differ(named, CACHE_ID_ANY));
	assert_false(cache_ids_differ(CACHE_ID_OWN, named));
	assert_false(cache_ids_differ(named, CACHE_ID_OWN));
	/* but that it is not kmalloc's is */
	assert_true(cache_ids_differ(CACHE_ID_KMALLOC, CACHE_ID_OWN));
	assert_true(cache_ids_differ(CACHE_ID_KMALLOC, named));
	assert_false(cache_ids_differ(CACHE_ID_KMALLOC, CACHE_ID_KMALLOC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_name_has_one_number),
		cmocka_unit_test(test_a_name_behind_something),
		cmocka_unit_test(test_names_differ),
		cmocka_unit_test(test_many_names_have_many_numbers),
		cmocka_unit_test(test_what_is_not_known_does_not_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
