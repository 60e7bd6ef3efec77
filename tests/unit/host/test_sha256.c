// SPDX-License-Identifier: GPL-2.0-or-later
/* Examples of FIPS 180-4 and of RFC 4231. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/host/sha256.h"

static void check(const uint8_t hash[SHA256_SIZE], const char *want)
{
	char text[2 * SHA256_SIZE + 1];

	for (size_t i = 0; i < SHA256_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
	assert_string_equal(text, want);
}

static void test_hashes(void **state)
{
	static const struct {
		const char *text, *hash;
	} cases[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnop"
		 "qklmnopqrlmnopqrsmnopqrstnopqrstu",
		 "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
	};
	uint8_t hash[SHA256_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sha256(cases[i].text, strlen(cases[i].text), hash);
		check(hash, cases[i].hash);
	}
}

static void test_keyed(void **state)
{
	static const char question[] = "what do ya want for nothing?";
	uint8_t key[20], hash[SHA256_SIZE];

	(void)state;
	memset(key, 0x0b, sizeof(key));
	sha256_hmac(key, sizeof(key), "Hi There", 8, hash);
	check(hash, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	sha256_hmac("Jefe", 4, question, strlen(question), hash);
	check(hash, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hashes),
		cmocka_unit_test(test_keyed),
	};

	return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
