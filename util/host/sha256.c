// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t v, unsigned int bits)
{
	return v >> bits | v << (32 - bits);
}

static uint32_t big_endian_u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put_big_endian(uint8_t *to, uint64_t v, size_t size)
{
	while (size--) {
		to[size] = (uint8_t)v;
		v >>= 8;
	}
}

/* Names are those of the standard. */
static void add_block(uint32_t hash[8], const uint8_t block[SHA256_BLOCK])
{
	uint32_t w[64], a[8];

	for (unsigned int t = 0; t < 16; t++)
		w[t] = big_endian_u32(block + 4 * t);
	for (unsigned int t = 16; t < 64; t++)
		w[t] = (rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
		       (rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
	memcpy(a, hash, sizeof(a));
	for (unsigned int t = 0; t < 64; t++) {
		const uint32_t e = a[4],
			       t1 = a[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
				    ((e & a[5]) ^ (~e & a[6])) + round_constants[t] + w[t];
		const uint32_t t2 = (rotate(a[0], 2) ^ rotate(a[0], 13) ^ rotate(a[0], 22)) +
				    ((a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]));

		memmove(a + 1, a, 7 * sizeof(a[0]));
		a[4] += t1;
		a[0] = t1 + t2;
	}
	for (unsigned int i = 0; i < 8; i++)
		hash[i] += a[i];
}

void sha256(const void *message, size_t size, uint8_t ret[SHA256_SIZE])
{
	/* the first 32 bits of the fractional parts of the square roots of the first 8 primes */
	uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	uint8_t end[2 * SHA256_BLOCK] = {0};
	const uint8_t *p = message;
	const size_t rest = size % SHA256_BLOCK;
	const size_t end_size = rest < SHA256_BLOCK - 8 ? SHA256_BLOCK : 2 * SHA256_BLOCK;

	for (size_t at = 0; at + SHA256_BLOCK <= size; at += SHA256_BLOCK)
		add_block(hash, p + at);
	if (rest)
		memcpy(end, p + size - rest, rest);
	end[rest] = 0x80;
	put_big_endian(end + end_size - 8, (uint64_t)size * 8, 8);
	for (size_t at = 0; at < end_size; at += SHA256_BLOCK)
		add_block(hash, end + at);
	for (unsigned int i = 0; i < 8; i++)
		put_big_endian(ret + 4 * i, hash[i], 4);
}

/* The key, changed by a byte, and a message behind it. */
static void hash_keyed(const void *key, size_t key_size, uint8_t by, const void *message,
		       size_t size, uint8_t ret[SHA256_SIZE])
{
	uint8_t text[2 * SHA256_BLOCK] = {0};

	memcpy(text, key, key_size);
	for (unsigned int i = 0; i < SHA256_BLOCK; i++)
		text[i] ^= by;
	memcpy(text + SHA256_BLOCK, message, size);
	sha256(text, SHA256_BLOCK + size, ret);
}

void sha256_hmac(const void *key, size_t key_size, const void *message, size_t size,
		 uint8_t ret[SHA256_SIZE])
{
	uint8_t inner[SHA256_SIZE];

	hash_keyed(key, key_size, 0x36, message, size, inner);
	hash_keyed(key, key_size, 0x5c, inner, sizeof(inner), ret);
}
