// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/base/hash.h"

/* Hashes of the bytes 0, 1, 2, ... with the key 0 to 15, like the authors' test vectors; computed
 * by a Python implementation that yields their vectors of SipHash-2-4. */
static void test_it_is_siphash_1_3(void **state)
{
	static const struct {
		size_t len;
		uint64_t hash;
	} want[] = {
		{0, 0xabac0158050fc4dc}, {1, 0xc9f49bf37d57ca93},  {7, 0xd3927d989bb11140},
		{8, 0x369095118d299a8e}, {15, 0xd320d86d2a519956}, {63, 0x9d199062b7bbb3a8},
	};
	struct hash_key key;
	uint8_t bytes[64];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	memcpy(&key, bytes, sizeof(key));
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		skip_because("the values are those of little-endian machines");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(hash_bytes(&key, bytes, want[i].len), want[i].hash);
	assert_int_equal(hash_bytes(&key, NULL, 0), want[0].hash);
}

static void test_keys_differ_and_so_do_hashes(void **state)
{
	struct hash_key a = hash_key_random(), b = hash_key_random();

	(void)state;
	assert_memory_not_equal(&a, &b, sizeof(a));
	assert_true(hash_bytes(&a, "kmalloc", 7) != hash_bytes(&b, "kmalloc", 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_siphash_1_3),
		cmocka_unit_test(test_keys_differ_and_so_do_hashes),
	};

	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
