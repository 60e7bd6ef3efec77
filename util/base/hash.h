/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keyed hashes for byte strings, and random keys for them and for tables.
 *
 * The hash is SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). Names,
 * callchains and addresses in a recording may be chosen by an attacker who ran programs while it
 * was made. The key is new for each run, so nobody can choose them so that they collide. Output
 * must not depend on a hash, because it differs from run to run.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_key {
	uint64_t v[2];
};

/* Returns a new key at each call, from the kernel's random numbers. */
struct hash_key hash_key_random(void);

/* The hash of len bytes, the same on machines of either byte order; data may be NULL if there are
 * none. */
uint64_t hash_bytes(const struct hash_key *key, const void *data, size_t len);

#endif
