/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cache an object is of, as a number: enough to tell that a free cannot be that of an
 * allocation.
 *
 * Objects that were allocated in bulk are freed with an event, and allocated without one
 * (kmem_cache_alloc_bulk(): skbs, requests of io_uring).  Where they lie in what was once the slab
 * of another cache, whose objects were freed without an event, such a free has the address of an
 * object that is long gone, and only the cache says that it is not the one.
 *
 * kfree() frees objects of any cache (since 6.4 the kernel allows that), and does not say which.
 */
#ifndef EVENT_CACHE_ID_H
#define EVENT_CACHE_ID_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CACHE_ID_BITS 28
#define CACHE_ID_TAIL 16 /* so many of a name's last bytes, and its length, make the number */

enum {
	CACHE_ID_ANY,	  /* nothing is known */
	CACHE_ID_KMALLOC, /* from kmalloc(), which names none */
	CACHE_ID_OWN,	  /* of kmem_cache_alloc() or kmem_cache_free(), but not named */
};

/* Of a cache with this name of len bytes; 0: CACHE_ID_OWN. Names that differ hardly ever have the
 * same. */
uint32_t cache_id_of(const char *name, size_t len);

/* The last nr bytes, up to 8, of those before end, of which 8 can be read. */
static inline uint64_t cache_id_word(const char *end, size_t nr)
{
	uint64_t word;

	memcpy(&word, end - sizeof(word), sizeof(word));
	/* in two steps, as there may be none left */
	return le64toh(word) >> (32 - 4 * nr) >> (32 - 4 * nr);
}

/*
 * The same for a name that ends there, and of which, or before which, CACHE_ID_TAIL bytes can be
 * read.  Each event names a cache, so this does without branches, which would be mispredicted.
 *
 * It is not keyed: nobody gains by two caches with the same number, of which then only the
 * addresses of objects are compared.
 */
static inline uint32_t cache_id_ending(const char *end, size_t len)
{
	const size_t tail = len < CACHE_ID_TAIL ? len : CACHE_ID_TAIL, last = tail < 8 ? tail : 8;
	const uint64_t multiplier = 0x9e3779b97f4a7c15;
	uint64_t hash = (cache_id_word(end - 8, tail - last) ^ len) * multiplier;

	hash = (hash ^ hash >> 32 ^ cache_id_word(end, last)) * multiplier;
	/* the highest bit is set in these alone */
	hash = hash >> (64 - CACHE_ID_BITS) | 1u << (CACHE_ID_BITS - 1);
	return len ? (uint32_t)hash : CACHE_ID_OWN;
}

/* False if they may be the same. */
static inline bool cache_ids_differ(uint32_t a, uint32_t b)
{
	if (a == b || a == CACHE_ID_ANY || b == CACHE_ID_ANY)
		return false;
	return a == CACHE_ID_KMALLOC || b == CACHE_ID_KMALLOC ||
	       (a != CACHE_ID_OWN && b != CACHE_ID_OWN);
}

#endif
