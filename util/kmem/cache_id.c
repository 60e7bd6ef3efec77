// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/cache_id.h"

#include <string.h>

static uint64_t load(const char *from, size_t bytes)
{
	uint64_t word = 0;

	memcpy(&word, from, bytes);
	return word;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

/*
 * Each event has a name, so this takes words, of which the last may overlap the one before.
 *
 * It is not keyed: nobody gains by two caches with the same number, of which then only the
 * addresses of objects are compared.
 */
uint32_t cache_id_of(const char *name, size_t len)
{
	uint64_t hash = len;

	if (!len)
		return CACHE_ID_OWN;
	if (len >= 8) {
		for (size_t i = 0; i < len - 8; i += 8)
			hash = mix(hash, load(name + i, 8));
		hash = mix(hash, load(name + len - 8, 8));
	} else if (len >= 4) {
		hash = mix(hash, load(name, 4) << 32 | load(name + len - 4, 4));
	} else {
		hash = mix(hash, load(name, 1) << 16 | load(name + len / 2, 1) << 8 |
					 load(name + len - 1, 1));
	}
	/* the highest bit is set in these alone */
	return (uint32_t)(hash >> (64 - CACHE_ID_BITS)) | 1u << (CACHE_ID_BITS - 1);
}
