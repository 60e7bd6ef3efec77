/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cache of an object as a number, to recognise that a free cannot belong to an allocation.
 *
 * Objects that were allocated in bulk are freed with an event, but allocated without one
 * (kmem_cache_alloc_bulk(): skbs, requests of io_uring). If such an object lies in a former slab of
 * another cache, whose objects were freed without an event, its free has the address of an object
 * that no longer exists. Only the cache shows that it is not the same object.
 *
 * kfree() frees objects of any cache (allowed since 6.4), and its event does not name the cache.
 */
#ifndef EVENT_CACHE_ID_H
#define EVENT_CACHE_ID_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CACHE_ID_BITS 27
/* The number is made from the last bytes of the name, up to this many, and its length. */
#define CACHE_ID_TAIL 16

enum {
	CACHE_ID_ANY,	  /* unknown */
	CACHE_ID_KMALLOC, /* from kmalloc(), whose event names none */
	CACHE_ID_OWN,	  /* from kmem_cache_alloc() or kmem_cache_free(), without a name */
};

/* The last nr bytes, up to 8, before end. 8 bytes before end must be readable. */
static inline uint64_t cache_id_word(const char *end, size_t nr)
{
	uint64_t word;

	memcpy(&word, end - sizeof(word), sizeof(word));
	/* in two steps, because nr may be 0 */
	return le64toh(word) >> (32 - 4 * nr) >> (32 - 4 * nr);
}

/*
 * The id of a cache whose name of len bytes ends there; CACHE_ID_TAIL bytes before the end must be
 * readable. Each event names a cache, so this has no branches, which would be mispredicted.
 *
 * Different names hardly ever have equal ids. The hash is not keyed: two caches with equal ids do
 * no harm, because addresses of objects are compared, too.
 */
static inline uint32_t cache_id_ending(const char *end, size_t len)
{
	const size_t tail = len < CACHE_ID_TAIL ? len : CACHE_ID_TAIL, last = tail < 8 ? tail : 8;
	const uint64_t multiplier = 0x9e3779b97f4a7c15;
	uint64_t hash = (cache_id_word(end - 8, tail - last) ^ len) * multiplier;

	hash = (hash ^ hash >> 32 ^ cache_id_word(end, last)) * multiplier;
	/* only these have the highest bit set */
	hash = hash >> (64 - CACHE_ID_BITS) | 1u << (CACHE_ID_BITS - 1);
	return len ? (uint32_t)hash : CACHE_ID_OWN;
}

/* The same for a name anywhere; without a name (len 0) CACHE_ID_OWN. */
static inline uint32_t cache_id_of(const char *name, size_t len)
{
	const size_t tail = len < CACHE_ID_TAIL ? len : CACHE_ID_TAIL;
	char end[CACHE_ID_TAIL] = "";

	if (name && len)
		memcpy(end + CACHE_ID_TAIL - tail, name + len - tail, tail);
	return cache_id_ending(end + CACHE_ID_TAIL, len);
}

/* Whether the caches certainly differ. */
static inline bool cache_ids_differ(uint32_t a, uint32_t b)
{
	if (a == b || a == CACHE_ID_ANY || b == CACHE_ID_ANY)
		return false;
	return a == CACHE_ID_KMALLOC || b == CACHE_ID_KMALLOC ||
	       (a != CACHE_ID_OWN && b != CACHE_ID_OWN);
}

#endif
