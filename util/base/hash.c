// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/hash.h"

#include <endian.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

struct hash_key hash_key_random(void)
{
	struct hash_key key = {{0}};
	const void *random;

	/* complete if it succeeds; missing before 3.17, or forbidden by a sandbox */
	if (getrandom(&key, sizeof(key), GRND_NONBLOCK) == (ssize_t)sizeof(key))
		return key;
	random = (const void *)getauxval(
		AT_RANDOM); /* 16 random bytes that the kernel gives each process */
	if (random)
		memcpy(&key, random, sizeof(key));
	return key;
}

struct sip {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate(uint64_t v, int by)
{
	return v << by | v >> (64 - by);
}

static inline void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 = rotate(s->v2, 32);
}

static inline void sip_word(struct sip *s, uint64_t word)
{
	s->v3 ^= word;
	sip_round(s);
	s->v0 ^= word;
}

/*
 * Words are read in this machine's byte order: on big-endian machines the hash is another one, and
 * as good.
 */
uint64_t hash_bytes(const struct hash_key *key, const void *data, size_t len)
{
	struct sip s = {
		key->v[0] ^ 0x736f6d6570736575ull,
		key->v[1] ^ 0x646f72616e646f6dull,
		key->v[0] ^ 0x6c7967656e657261ull,
		key->v[1] ^ 0x7465646279746573ull,
	};
	uint64_t last = (uint64_t)len << 56, word;
	const uint8_t *p = data;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sip_word(&s, le64toh(word));
	}
	for (size_t i = 0; i < len; i++)
		last |= (uint64_t)p[i] << (8 * i);
	sip_word(&s, last);
	s.v2 ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
